#!/usr/bin/env python3
"""run.py [--write] PAGE... - runs the commands of pages of the manual and compares what they print with what the pages say.

A page is Markdown. Of its fenced blocks

    ```c predators.c        is written to the file of that name,
    ```console              holds commands, lines that begin with "$ ", each followed by what it prints, standard error included.

A page has a folder of its own, in which `examples`, `problems` and `build/release` are those of the repository, and `costate`,
`cc` and `pkg-config` find the build of the program named by the variable COSTATE (default: build/release). Every command
succeeds, unless the next one is `echo $?`. Compared are words and numbers, not blanks: numbers agree if they differ by at most
REL, or if both are round-off (TINY). Where the page has `...` there may be anything: as a line of its own any lines, else any
part of a line.

A picture that a page shows, ![...](.../figures/NAME.svg), is what a command of the page draws with --plot NAME.svg. Compared are
the words in it; numbers and curves, which may be those of a clock, are not.

--write puts what is printed into the page where it says something else, and stores the pictures. What was left out stays left
out, if the lines around it are still printed."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

REL, TINY = 2e-6, 1e-10
PICTURE = r'!\[[^]]*\]\(([^)]*figures/([^)/]+\.svg))\)'
NUMBER = r'[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?'
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COSTATE = os.path.abspath(os.environ.get('COSTATE', f'{ROOT}/build/release/costate'))


# ---- comparing

def match(want, got, same):
    """Whether the list got is as the list want, in which '...' stands for any number of items.
    >>> [match(['a', '...', 'b'], got, str.__eq__) for got in (['a', 'b'], ['a', 'x', 'y', 'b'], ['a', 'b', 'c'], ['a'])]
    [True, True, False, False]
    """
    for i, item in enumerate(want):
        if item == '...':
            return any(match(want[i + 1:], got[k:], same) for k in range(i, len(got) + 1))
        if i >= len(got) or not same(item, got[i]):
            return False
    return len(want) == len(got)


def same_word(want, got):
    if not (re.fullmatch(NUMBER, want) and re.fullmatch(NUMBER, got)):
        return want == got
    a, b = float(want), float(got)
    return abs(a - b) <= REL * max(abs(a), abs(b)) or max(abs(a), abs(b)) <= TINY


def same_line(want, got):
    """
    >>> same_line('worst of 6, ...  5.6e-15  at most 1e-08', 'worst of 6, hares(t0) 2.0e-16 at most 1e-08')
    True
    >>> same_line('beta  0.4  26.0563', 'beta  0.4   26.05631'), same_line('beta  0.4  26.0563', 'beta  0.4  26.0573')
    (True, False)
    """
    words = [re.findall(r'\.\.\.|' + NUMBER + r'|\S', line) for line in (want, got)]
    return match(*words, same_word)


def abridged(want, got):
    """What is printed, with `...` for the lines between those that stood before and behind a `...` of the page; all of it if
    these are not there.
    >>> abridged(['a 1', 'b', '...', 'y', '...'], ['a 2', 'b', 'c', 'd', 'y', 'z'])
    ['a 2', 'b', '...', 'y', '...']
    >>> abridged(['...', 'x'], ['a', 'b'])
    ['a', 'b']
    """
    made, at = [], 0
    for i, line in enumerate(want):
        if line != '...':
            continue
        before, behind = want[i - 1] if i else None, want[i + 1] if i + 1 < len(want) else None
        first = next((k for k in range(at, len(got)) if before is not None and same_line(before, got[k])), at - 1)
        last = next((k for k in range(first + 1, len(got)) if behind is not None and same_line(behind, got[k])), len(got))
        if (before is not None and first < at) or (behind is not None and last == len(got)):
            return got
        made += got[at:first + 1] + ['...']
        at = last
    return made + got[at:]


# ---- reading

def blocks(lines):
    """(words after the fence, first line, line after the last) of every fenced block."""
    fences = [i for i, line in enumerate(lines) if line.startswith('```')]
    for start, end in zip(fences[::2], fences[1::2]):
        yield lines[start][3:].split(), start + 1, end


def commands(lines, first, end):
    """(command, first line, line after the last) of what every command of a block prints."""
    starts = [i for i in range(first, end) if lines[i].startswith('$ ')]
    for start, after in zip(starts, starts[1:] + [end]):
        yield lines[start][2:], start + 1, after


# ---- pictures

def words(svg):
    """The texts of a figure that are no numbers, in their order.
    >>> words('<text x="1">alpha</text><text>10</text><text>10<tspan dy="-3">-4</tspan></text><text>d g / d p</text>')
    ['alpha', 'd g / d p']
    """
    texts = [re.sub('<[^>]*>', '', text) for text in re.findall(r'<text[^>]*>(.*?)</text>', svg, re.S)]
    return [text for text in texts if re.search('[A-Za-z]', text) and not re.fullmatch(NUMBER, text)]


def pictures(page, lines, folder, write):
    """What is wrong with the pictures that the page shows; with `write` they are stored."""
    for number, line in enumerate(lines, 1):
        for path, name in re.findall(PICTURE, line):
            stored, made = os.path.join(os.path.dirname(os.path.abspath(page)), path), f'{folder}/{name}'
            if not os.path.exists(made):
                yield f'{page}:{number}: no command of the page draws {name}'
            elif write:
                os.makedirs(os.path.dirname(stored), exist_ok=True)
                shutil.copyfile(made, stored)
            elif not os.path.exists(stored):
                yield f'{page}:{number}: there is no {path}; `make docs` draws it'
            else:
                with open(made) as new, open(stored) as old:
                    if words(new.read()) != words(old.read()):
                        yield f'{page}:{number}: {path} is not what is drawn now; `make docs` draws it anew'


# ---- running

def script(path, text):
    with open(path, 'w') as file:
        file.write('#!/bin/sh\n' + text + '\n')
    os.chmod(path, 0o755)


def surroundings(folder):
    """Makes in the folder what a reader of the page has, and gives the environment."""
    build, tools = os.path.dirname(COSTATE), f'{folder}/bin'
    cc = shutil.which(os.environ.get('CC', 'cc'))
    os.mkdir(tools)
    os.mkdir(f'{folder}/build')
    os.symlink(build, f'{folder}/build/release')
    for here in ('examples', 'problems'):
        os.symlink(f'{ROOT}/{here}', f'{folder}/{here}')
    script(f'{tools}/costate', f'exec "{COSTATE}" "$@"')
    script(f'{tools}/cc', f'exec "{cc}" -I"{ROOT}/include" "$@"')
    script(f'{tools}/pkg-config', f'echo "-I{ROOT}/include -L{build} -lcostate -Wl,-rpath,{build}"')
    return {**os.environ, 'PATH': f'{tools}:{os.environ["PATH"]}', 'CC': cc, 'COSTATE_PLUGIN_DIR': build}


def printed(command, code, folder, env):
    """What the command prints, as lines, and its exit code; code is that of the command before."""
    done = subprocess.run(['bash', '-c', f'(exit {code}); {command}'], cwd=folder, env=env, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.rstrip('\n').split('\n') if done.stdout else [], done.returncode


def run(page, lines, write, complaints):
    """Runs the page; (first line, line after the last, what is printed) wherever it says something else. Complaints are about
    its pictures."""
    with tempfile.TemporaryDirectory() as folder:
        env, code = surroundings(folder), 0
        for info, first, end in blocks(lines):
            if len(info) == 2:
                with open(f'{folder}/{info[1]}', 'w') as file:
                    file.write('\n'.join(lines[first:end]) + '\n')
            for command, begin, after in commands(lines, first, end) if info == ['console'] else ():
                if code and command != 'echo $?':
                    sys.exit(f'{page}:{begin - 1}: exit code {code}')
                got, code = printed(command, code, folder, env)
                if not match(lines[begin:after], got, same_line):
                    yield begin, after, got
        if code:
            sys.exit(f'{page}: exit code {code} at the end')
        complaints += pictures(page, lines, folder, write)


def main():
    write, good = '--write' in sys.argv, True
    for page in [a for a in sys.argv[1:] if a != '--write']:
        with open(page) as file:
            lines = file.read().split('\n')
        complaints = []
        wrong = list(run(page, lines, write, complaints))
        print(*complaints, sep='\n', end='\n' if complaints else '')
        good = good and not complaints
        for begin, after, got in reversed(wrong):
            if write:
                lines[begin:after] = abridged(lines[begin:after], got)
            else:
                good = False
                print(f'{page}:{begin}: {lines[begin - 1]}', *got, '--- but the page says', *lines[begin:after], sep='\n')
        if wrong and write:
            with open(page, 'w') as file:
                file.write('\n'.join(lines))
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
