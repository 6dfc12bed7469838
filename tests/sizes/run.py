#!/usr/bin/env python3
"""run.py ROOT LIBRARY CC - programs built with another version's header run with this library, or are refused clearly.

program.c is compiled against three headers: ours; an older one, whose structs lack their last member; a newer one, whose structs
have one more, named `future`. All three print the same numbers with LIBRARY, the shared library as it is."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

STRUCTS = ['problem', 'options', 'table', 'linear_solver', 'preconditioner', 'stats', 'certificate', 'member', 'option_info',
           'linsol_info']
KEPT = {'option_info'}  # ends in what every version has


def body(text, name):
    found = re.search(r'(typedef struct costate_%s \{[^\n]*\n)(.*?)(\n\} costate_%s;)' % (name, name), text, re.S)
    return found.span(2)


def without_last(members):
    """The members but the last declaration, whatever comments stand behind.

    >>> without_last('    int n;\\n    int a, b; /* two */\\n    char c[3]; /* last */')
    '    int n;\\n    int a, b; /* two */'
    """
    plain = re.sub(r'/\*.*?\*/', lambda c: ' ' * len(c[0]), members, flags=re.S)
    ends = [m.start() for m in re.finditer(';', re.sub(r'\([^()]*\)', lambda c: ' ' * len(c[0]), plain))]
    start = plain.rfind('\n', 0, ends[-1])
    return members[:start]


def header(root, folder, version):
    shutil.copytree(os.path.join(root, 'include/costate'), os.path.join(folder, 'costate'))
    path, definitions = (os.path.join(folder, 'costate', name) for name in ('costate.h', 'options.def'))
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for name in STRUCTS:
        start, end = body(text, name)
        members = text[start:end]
        if version == 'newer':
            members += '\n    int64_t future;'
        elif version == 'older' and name != 'options' and name not in KEPT:
            members = without_last(members)
        text = text[:start] + members + text[end:]
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    if version == 'older':
        with open(definitions, encoding='utf-8') as file:
            text = file.read()
        with open(definitions, 'w', encoding='utf-8') as file:
            file.write(re.sub(r'(?:^COSTATE_GIVEN\(.*\)\n)(#undef)', r'\1', text, flags=re.M))


def main(root, library, compiler):
    printed, source = {}, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'program.c')
    with tempfile.TemporaryDirectory() as work:
        for version in ('same', 'older', 'newer'):
            folder, program = os.path.join(work, version), os.path.join(work, version, 'program')
            header(root, folder, version)
            subprocess.run([compiler, '-std=gnu11', '-Wall', '-Wextra', '-Werror', '-D' + version.upper(), '-I', folder,
                            source, library, '-lm', '-Wl,-rpath,' + os.path.dirname(library), '-o', program], check=True)
            run = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=False)
            printed[version] = run.stdout
            if run.returncode:
                print(f'{version}: exit code {run.returncode}\n{run.stdout}')
                return 1
    if len(set(printed.values())) != 1:
        print(printed)
        return 1
    print('the same with headers of three versions: ' + printed['same'].strip())
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
