#!/usr/bin/env python3
"""run.py ROOT - every link of every page leads somewhere: to a file or folder that is there, and within a page to a heading.
Pictures of the manual that no page shows are mistakes too. Links to other machines are not followed.

A heading's name is what GitHub makes of it: small letters, digits and underscores, blanks as dashes, the rest left out."""
import os
import re
import sys


def text_of(page):
    """The page's lines with everything in fences and backquotes left out."""
    fenced, lines = False, []
    with open(page) as file:
        for line in file:
            fence = re.match(r'\s*(```|~~~)', line)
            fenced ^= bool(fence)
            code = fence or fenced or re.match(r'    \S', line)
            lines.append('' if code else re.sub(r'`[^`]*`', lambda m: '`' * len(m.group()), line))
    return lines


def slug(heading):
    """
    >>> slug('Many objectives, many parameter sets'), slug('`costate run`: costate_solve [x](y.md)')
    ('many-objectives-many-parameter-sets', 'costate-run-costate_solve-x')
    """
    heading = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading)
    return re.sub(r'[^\w\- ]', '', heading.lower()).strip().replace(' ', '-')


def names(page):
    """The names of the page's headings; a second one of the same name is name-1."""
    seen, fenced = {}, False
    with open(page) as file:
        for line in file:
            fenced ^= line.startswith('```')
            heading = not fenced and re.match(r'#+ +(.*)', line)
            if heading:
                name = slug(heading.group(1))
                seen[name] = seen.get(name, -1) + 1
    return {name if k == 0 else f'{name}-{k}' for name, count in seen.items() for k in range(count + 1)}


def links(page):
    """(line, target) of every link and picture."""
    for number, line in enumerate(text_of(page), 1):
        for target in re.findall(r'\]\(([^)\s]+)(?:\s+"[^"]*")?\)', line) + re.findall(r'^\[[^]]+\]:\s+(\S+)', line):
            if not re.match(r'[a-z]+:', target):
                yield number, target


def pages(root):
    for folder, inside, files in os.walk(root):
        inside[:] = [name for name in inside if name != 'build' and not name.startswith('.')]
        yield from (os.path.join(folder, name) for name in files if name.endswith('.md'))


def check(root):
    """What is wrong, a line each."""
    shown = set()
    for page in sorted(pages(root)):
        for number, target in links(page):
            path, _, name = target.partition('#')
            there = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            shown.add(there)
            where = f'{os.path.relpath(page, root)}:{number}: {target}'
            if not os.path.exists(there):
                yield f'{where}: there is no {os.path.relpath(there, root)}'
            elif name and (not there.endswith('.md') or name not in names(there)):
                yield f'{where}: there is no heading of that name'
    figures = os.path.join(root, 'docs', 'figures')
    for name in sorted(os.listdir(figures)) if os.path.isdir(figures) else ():
        if os.path.join(figures, name) not in shown:
            yield f'docs/figures/{name}: no page shows it'


if __name__ == '__main__':
    wrong = list(check(os.path.abspath(sys.argv[1])))
    print(*wrong, sep='\n', end='\n' if wrong else '')
    sys.exit(bool(wrong))
