#!/usr/bin/env python3
"""run.py [ROOT] - the rooms of the house: who may include whom, and within a part no two files of one name.

Each part of the source is a list of floors, lowest first, and a floor is a list of rooms (folders). A file includes headers of its
own room, of rooms on lower floors and of platform/; never of a higher floor, nor of another room on its own floor, nor of
another part. What is wrong is printed with file and line."""
import os
import re
import sys

PARTS = {
    'src': [['base'], ['tableau', 'traj', 'linsol', 'deriv'], ['solver'], ['method'], ['core'], ['sens']],
    'ad': [['base'], ['tree'], ['front', 'derive'], ['shape'], ['emit'], ['load']],
    'cli': [['.']],
    'platform': [],
}
GROUND = 'platform'  # below every part; it stands on nothing
KNOWN = set()  # 'file: header' of what is wrong, but known

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


def check(root):
    errors, known = [], set()
    for part in PARTS:
        names = {}
        for path in sources(root, part):
            if path.endswith('.c'):
                names.setdefault(os.path.basename(path), []).append(path)
            with open(os.path.join(root, path), encoding='utf-8') as file:
                for number, line in enumerate(file, 1):
                    found = INCLUDE.match(line)
                    what = wrong(part, path, found[1]) if found else None
                    if what and f'{path}: {found[1]}' in KNOWN:
                        known.add(f'{path}: {found[1]}')
                    elif what:
                        errors.append(f'{path}:{number}: includes "{found[1]}": {what}')
        errors += [f'{", ".join(paths)}: one name for several files' for paths in names.values() if len(paths) > 1]
    errors += [f'{gone}: is right; take it out of KNOWN' for gone in sorted(KNOWN - known)]
    return errors


if __name__ == '__main__':
    errors = check(sys.argv[1] if len(sys.argv) > 1 else '.')
    print('\n'.join(errors) if errors else 'every include goes down')
    sys.exit(bool(errors))
