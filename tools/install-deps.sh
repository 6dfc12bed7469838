#!/bin/sh
# install-deps.sh PACKAGE... - installs those Debian packages that are missing. When none is, it touches neither network nor
# system. Where it cannot install (not Debian, or neither root nor sudo) it says what is needed, and goes on if the basic tools
# are there; CMake will then name any library it misses.
set -eu

missing=
if command -v dpkg >/dev/null 2>&1; then
    for package in "$@"; do
        dpkg -s "$package" 2>/dev/null | grep -q '^Status: install ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || exit 0
fi

if [ -n "$missing" ] && command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" -eq 0 ]; then as_root=env
    elif command -v sudo >/dev/null 2>&1; then as_root='sudo env'
    else as_root=
    fi
    if [ -n "$as_root" ]; then
        echo "Installing:$missing"
        $as_root apt-get -q update
        # shellcheck disable=SC2086
        $as_root DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $missing </dev/null
        exit 0
    fi
fi

echo "Needed, by their Debian names:${missing:- $*}"
for tool in cc cmake pkg-config; do
    command -v "$tool" >/dev/null 2>&1 || { echo "There is no $tool here. Please install the above." >&2; exit 1; }
done
