#!/usr/bin/env python3
"""run.py [ROOT [NM BUILD]] - the rooms of the house: who may include whom, and within a part no two files of one name.

Each part of the source is a list of floors, lowest first, and a floor is a list of rooms (folders). A file includes headers of
its own room, of rooms on lower floors and of platform/; never of a higher floor, nor of another room on its own floor, nor of
another part. What is wrong is printed with file and line."""
import os
import re
import subprocess
import sys

PARTS = {
    'src': [['base'], ['tableau', 'traj', 'linsol', 'deriv'], ['solver'], ['method'], ['core'], ['sens']],
    'ad': [['base'], ['tree'], ['front', 'derive'], ['shape'], ['emit'], ['load']],
    'cli': [['.']],
    'platform': [],
}
GROUND = 'platform'  # below every part; it stands on nothing
OBJECTS = {'src': 'costate_objects', 'ad': 'costate_diff_objects'}  # targets of CMake

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def sources(root, part):
    for folder, _, names in sorted(os.walk(os.path.join(root, part))):
        for name in sorted(names):
            if name.endswith(('.c', '.h', '.def')):
                yield os.path.relpath(os.path.join(folder, name), root)


def room_of(path, part):
    inside = os.path.relpath(path, part)
    return inside.split('/')[0] if '/' in inside else '.'


def wrong(part, path, header):
    """What is wrong with `path` including `header`; None: nothing.

    >>> wrong('src', 'src/core/driver.c', 'method/method.h')
    >>> wrong('src', 'src/core/driver.c', 'core/driver.h')
    >>> wrong('src', 'src/method/erk.c', 'core/driver.h')
    'method is below core'
    >>> wrong('src', 'src/traj/traj.c', 'deriv/deriv.h')
    'traj and deriv are side by side'
    >>> wrong('src', 'src/new/file.c', 'base/alloc.h')
    'room new is not in the list of rooms'
    >>> wrong('src', 'src/core/driver.c', 'emit/emit.h')
    'no such room in src'
    >>> wrong('cli', 'cli/run.c', 'cli.h')
    >>> wrong('cli', 'cli/run.c', 'core/driver.h')
    'no such room in cli'
    >>> wrong('ad', 'ad/base/file.c', 'platform/file.h')
    >>> wrong('platform', 'platform/file.c', 'base/alloc.h')
    'platform stands on nothing'
    """
    if header.split('/')[0] == GROUND:
        return None
    if part == GROUND:
        return 'platform stands on nothing'
    floor = {room: i for i, rooms in enumerate(PARTS[part]) for room in rooms}
    own, other = room_of(path, part), header.split('/')[0] if '/' in header else '.'
    if own not in floor:
        return f'room {own} is not in the list of rooms'
    if other not in floor:
        return f'no such room in {part}'
    if own == other or floor[other] < floor[own]:
        return None
    return f'{own} is below {other}' if floor[other] > floor[own] else f'{own} and {other} are side by side'


def wrong_includes(root):
    for part in PARTS:
        names = {}
        for path in sources(root, part):
            if path.endswith('.c'):
                names.setdefault(os.path.basename(path), []).append(path)
            with open(os.path.join(root, path), encoding='utf-8') as file:
                for number, line in enumerate(file, 1):
                    found = INCLUDE.match(line)
                    what = wrong(part, path, found[1]) if found else None
                    if what:
                        yield f'{path}:{number}: includes "{found[1]}": {what}'
        yield from (f'{", ".join(paths)}: one name for several files' for paths in names.values() if len(paths) > 1)


def wrong_uses(root, nm, build):
    """A prototype of one's own needs no include: what object files use and define is held against the same order."""
    for part, target in OBJECTS.items():
        folder, defined, used = os.path.join(build, 'CMakeFiles', f'{target}.dir'), {}, []
        paths = [f'{path}.o' for path in sources(root, part) if os.path.isfile(os.path.join(folder, f'{path}.o'))]
        lines = subprocess.run([nm, '-A', *paths], cwd=folder, capture_output=True, text=True, check=True).stdout if paths else ''
        for line in lines.splitlines():
            path, (*_, kind, name) = line.split('.o:')[0], line.split()
            if kind == 'U':
                used.append((path, name))
            elif kind in 'TDRB':
                defined[name] = path
        for path, name in used:
            what = wrong(part, path, os.path.relpath(defined[name], part)) if name in defined else None
            if what:
                yield f'{path}: uses {name} of {defined[name]}: {what}'


if __name__ == '__main__':
    root, *build = sys.argv[1:] or ['.']
    errors = list(wrong_includes(root)) + (list(wrong_uses(root, *build)) if build else [])
    print('\n'.join(errors) if errors else 'every include goes down')
    sys.exit(bool(errors))
