#!/usr/bin/env python3
"""run.py [--fix] ROOT PAGE... - the maps of the house do not rot: `file:line` (`words`) on a page of ROOT means that this line
of the file, named from the page's folder, has these words; and ad/README.md has a paragraph for every pass, in the order of the
table.

--fix writes the lines where the words are, if only one has them."""
import os
import re
import sys

REFERENCE = re.compile(r'`([\w./-]+):(\d+)`(?: \(`([^`]+)`\))?')


def line_of(lines, line, words):
    """The line, counted from 1, that is meant; 0: none, or one of several.

    >>> line_of(['a', 'b c', 'c'], 2, 'c')
    2
    >>> line_of(['a', 'b c', 'd'], 1, 'c')
    2
    >>> line_of(['a', 'b c', 'c'], 1, 'c')
    0
    """
    if line <= len(lines) and words in lines[line - 1]:
        return line
    found = [i + 1 for i, text in enumerate(lines) if words in text]
    return found[0] if len(found) == 1 else 0


def check(root, page, fix):
    """Messages about what is wrong with the references of a page."""
    path = os.path.join(root, page)
    text = open(path).read()
    wrong = []

    def visit(match):
        name, line, words = match.group(1), int(match.group(2)), match.group(3)
        target = os.path.join(os.path.dirname(path), name)
        where = f'{page}: {name}:{line}'
        if not words or not os.path.isfile(target):
            wrong.append(f'{where}: no such file' if words else f'{where}: which words should be there is not said')
            return match.group(0)
        found = line_of(open(target).read().split('\n'), line, words)
        if found == line:
            return match.group(0)
        if fix and found:
            return match.group(0).replace(f':{line}`', f':{found}`', 1)
        wrong.append(f'{where} has no "{words}"' + (f'; line {found} has: run.py --fix' if found else ''))
        return match.group(0)

    fixed = REFERENCE.sub(visit, text)
    if fixed != text:
        open(path, 'w').write(fixed)
    return wrong


def passes_missing(root):
    table = re.findall(r'^    \{"([a-z-]+)", ', open(os.path.join(root, 'ad/shape/passes.c')).read(), re.M)
    told = re.findall(r'^\*\*([a-z-]+)\*\*', open(os.path.join(root, 'ad/README.md')).read(), re.M)
    if table == told:
        return []
    return [f'ad/README.md: passes are {" ".join(told)}, but in ad/shape/passes.c {" ".join(table)}']


def main(arguments):
    fix = '--fix' in arguments
    root, *pages = [a for a in arguments if a != '--fix']
    wrong = [message for page in pages for message in check(root, page, fix)] + passes_missing(root)
    print('\n'.join(wrong) or f'{len(pages)} pages are right')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
