#!/usr/bin/env python3
"""run.py [ROOT] - every line of code has at most 130 columns; those that have more are printed with file and line. Markdown,
which has tables, results (JSON, CSV) and drawings are not code."""
import os
import sys

MOST = 130
CODE = {'.c', '.h', '.cpp', '.def', '.awk', '.sh', '.py', '.cmake', '.in', '.gp', '.txt', '.supp'}
NAMES = {'Makefile', 'run', 'report'}  # without an ending
FOLDERS = ['.ci', 'ad', 'bench', 'cli', 'cmake', 'examples', 'include', 'platform', 'problems', 'src', 'tests', 'tools']


def is_code(name):
    """
    >>> is_code('driver.c'), is_code('CMakeLists.txt'), is_code('Makefile'), is_code('theory.md'), is_code('figures.json')
    (True, True, True, False, False)
    """
    return os.path.splitext(name)[1] in CODE or name in NAMES


def files(root):
    yield from (name for name in sorted(os.listdir(root)) if is_code(name))
    for top in FOLDERS:
        for folder, below, names in os.walk(os.path.join(root, top)):
            below.sort()
            yield from (os.path.relpath(os.path.join(folder, name), root) for name in sorted(names) if is_code(name))


def too_long(lines):
    """
    >>> list(too_long(['x' * 130, 'y' * 131]))
    [(2, 131)]
    """
    return ((number, len(line.rstrip('\n'))) for number, line in enumerate(lines, 1) if len(line.rstrip('\n')) > MOST)


def main(root):
    errors = []
    for path in files(root):
        with open(os.path.join(root, path), encoding='utf-8') as file:
            errors += [f'{path}:{number}: {length} columns' for number, length in too_long(file)]
    print('\n'.join(errors) if errors else f'no line has more than {MOST} columns')
    return bool(errors)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else '.'))
