#!/usr/bin/env python3
"""reference.py [--check] - writes the pages of docs/reference that repeat what the headers say: library.md from the
comments and declarations of include/costate/*.h, options.md, errors.md and model.md from the .def files. --check: says
which pages differ instead."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOTE = '<!-- Written by tools/reference.py from {}: change that, then `make docs`. -->\n\n'


def read(name):
    with open(os.path.join(ROOT, 'include/costate', name)) as file:
        return file.read()


def entries(name):
    """The entries MACRO(argument, ...) of a .def file, as lists of texts."""
    for macro, arguments in re.findall(r'^COSTATE_(\w+)\(((?:"(?:[^"\\]|\\.)*"|[^"()])*)\)$', read(name), re.M):
        arguments = re.sub(r'"\s*\n\s*"', '', arguments)
        yield [macro] + [a.strip().strip('"') for a in re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^,"])+', arguments)]


def row(*cells):
    return '| ' + ' | '.join(cell.replace('|', '\\|') for cell in cells) + ' |\n'


def code(text):
    return f'`{text}`' if text else ''


def size(text):
    """1073741824 as people write it."""
    value, unit = int(text), 0
    while value and value % 1024 == 0:
        value, unit = value // 1024, unit + 1
    return f'{value}{" KMGT"[unit].strip()}'


def values(low, high):
    endless = high in ('HUGE_VAL', 'INT64_MAX')
    return f'at least {low}' if endless else f'{low} .. {high}'


def options():
    text = '# Options\n\n' + NOTE.format('include/costate/options.def')
    text += '''\
Members of `costate_options`, and names for `costate_set`. On the command line they are `--rtol 1e-8` or `--rtol=1e-8`,
with dashes or underscores; sizes are written as 64K, 2G. `costate_options` has some members more that only a program can
give: tolerances for each component, a method, a linear solver or a preconditioner of its own ([library.md](library.md)).

| option | type | default | values | meaning |
|---|---|---|---|---|
'''
    for macro, name, preset, *limits, _, meaning in (e for e in entries('options.def') if e[0] != 'GIVEN'):
        if macro == 'TEXT':
            allowed = ', '.join(code(choice) for choice in limits[0].split('|'))
        else:
            allowed = values(*limits)
        text += row(code(name), macro.lower(), code(size(preset) if macro == 'BYTES' else preset), allowed, meaning)
    return text


def errors():
    text = '# Errors\n\n' + NOTE.format('include/costate/errors.def')
    text += '''\
What the functions of the library return. `costate_message` says more about the failure at hand: what, at which time, in
which step and component. After a failure every output array of the failed call is filled with NaN. The exit codes of the
command line, and what to do: [failures](../guides/failures.md).

| code | name | what | try |
|---|---|---|---|
'''
    for _, name, number, what, *advice in entries('errors.def'):
        text += row(number, code('COSTATE_' + name), what, ''.join(advice))
    return text


def model():
    text = '# What a model says of itself\n\n' + NOTE.format('include/costate/model.def')
    text += '''\
Members of the descriptor, `COSTATE_MODEL(name, .member = ..., ...)`, with which a model file ends. What may stand in the
functions: [language.md](../language.md).

## Sizes and lists

Lists are given in place, by `COSTATE_VALUES(1, 2)` or `COSTATE_NAMES("a", "b")`, or as an array of the file, by
`COSTATE_ARRAY(array)`.

| member | length | meaning |
|---|---|---|
'''
    functions = '''
## Functions

Each takes these arguments and, if it wants, a last `void *data`; in a model with events also an `int mode` just before `t`. The
last of them is written, as many values as the size says. Every function has the derivative products `jvp`, `vjp` and `vjp_dot`.

| member | writes | called | products besides | meaning |
|---|---|---|---|---|
'''
    usual = ('jvp', 'vjp', 'vjp_dot')
    for macro, name, *columns, meaning in entries('model.def'):
        if macro in ('SIZE', 'NUMBER', 'WORD'):
            text += row(code('.' + name), '', meaning)
        elif macro in ('LIST', 'NOMINAL'):
            text += row(code('.' + name), code(columns[1]), meaning)
        elif macro == 'CHOICE':
            functions += row(code(f'int {name}({columns[0]})'), '', 'each event', '', meaning)
        else:
            arguments, rows, products, each = columns if macro != 'FORM' else columns + ['', 'stage']
            more = ', '.join(code(p) for p in products.split() if p not in usual)
            functions += row(code(f'{name}({arguments})'), code(rows), 'each ' + each, more, meaning)
    functions += row(code('defaults(p)'), code('params'), 'once', '', 'the nominal parameters; not differentiated')
    return text + functions


def prose(comment):
    """A comment as Markdown: paragraphs, and what is indented as it is."""
    lines, text = [re.sub(r'^ ?\* ?', '', line) for line in comment.strip().split('\n')], ''
    for before, line in zip([''] + lines, lines):
        formula = line.startswith('    ')
        if line and before and formula != before.startswith('    '):
            text += '\n'
        text += (line if formula else re.sub(r'(`[^`]*`)|([*<])', lambda m: m[1] or '\\' + m[2], line)) + '\n'
    return text


def names(declaration):
    """What a declaration declares: functions, types, the macros that users write."""
    found = re.findall(r'^(?!typedef)\w[^;(]*?\b(costate_\w+)\(', declaration, re.M)
    found += re.findall(r'^typedef (?:struct|enum) (\w+)', declaration, re.M)
    return found + re.findall(r'^typedef int (\w+)\(', declaration, re.M)


def members(block):
    """What the macros in front of an #include of model.def make of its lines."""
    macros, text = dict(re.findall(r'#define COSTATE_(\w+)\(.*?\) ?(.*)', block[1])), ''
    for macro, name, *columns, meaning in entries('model.def'):
        body = macros.get(macro, macros.get({'SYSTEM': 'FUNCTION', 'AT_EVENT': 'FUNCTION', 'NOMINAL': 'LIST'}.get(macro), ''))
        member = re.sub(r'\bname\b', name, re.sub(r'##kind', columns[0] if columns else '', body))
        arguments = f'({columns[0]}): ' if macro in ('SYSTEM', 'AT_EVENT', 'FUNCTION', 'FORM', 'CHOICE') else ''
        text += f'    {member:30} /* {arguments}{meaning} */\n' if member else ''
    return text


def header(name):
    """The declarations of a header, each with the comment in front of it."""
    source = read(name)
    about, source = re.fullmatch(r'/\*(.*?)\*/\n(.*)', source, re.S).groups()
    text = f'## `<costate/{name}>`\n\n{prose(about)}\n'
    source = re.sub(r'^#ifdef COSTATE_DIFF.*?^#else[^\n]*$', '', source, flags=re.S | re.M) # what the model compiler reads
    source = re.sub(r'((?:^#define COSTATE_.*\n)+)#include <costate/model\.def>\n', members, source, flags=re.M)
    source = re.sub(r'^static inline (.*?)\n\{\n.*?^\}$', r'\1;', source, flags=re.S | re.M)
    source = re.sub(r'(?:^#define COSTATE_.*\n)+#include <costate/(.*)\.def>\n(?:#undef .*\n)*',
                    r'    /* one for every line of \1.def: \1.md */\n', source, flags=re.M)
    source = source.replace('COSTATE_API ', '')
    for block in re.split(r'\n\n+(?=\S)', source):
        section = re.match(r'/\* -+ (.*?) -+ \*/\n?', block)
        if section:
            text += f'### {section.group(1).capitalize()}\n\n'
            block = block[section.end():]
        comment, declaration = re.fullmatch(r'(?:/\*(.*?)\*/\n?)?(.*)', block.strip(), re.S).groups()
        declared = names(declaration)
        if declared:
            text += '#### ' + ', '.join(declared) + '\n\n'
        if comment and (declared or not declaration):
            text += prose(comment) + '\n'
        if declared:
            text += '```c\n' + declaration + '\n```\n\n'
    return text


def library():
    text = '# The library\n\n' + NOTE.format('include/costate/*.h')
    return (text + header('costate.h') + header('diff.h') + header('model.h')).rstrip('\n') + '\n'


def main():
    stale = 0
    for page, make in (('library', library), ('options', options), ('errors', errors), ('model', model)):
        path, text = os.path.join(ROOT, 'docs/reference', page + '.md'), make()
        if '--check' not in sys.argv:
            with open(path, 'w') as file:
                file.write(text)
        elif not os.path.exists(path) or open(path).read() != text:
            print(f'{path} is not what the headers say; run `make docs`')
            stale = 1
    return stale


if __name__ == '__main__':
    sys.exit(main())
