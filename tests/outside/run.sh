#!/bin/sh
# run.sh SOURCE BUILD CMAKE CC - installs BUILD to a folder of its own, moves it away from there, and builds the README's program
# against it: by find_package (shared and static) and by pkg-config. Each must print what the exact solution says.
set -eu
source=$1 build=$2 cmake=$3 cc=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "outside: $*" >&2; exit 1; }

"$cmake" --install "$build" --prefix "$work/installed" >/dev/null
mv "$work/installed" "$work/moved"
prefix=$work/moved

# y(1) = exp(-2), dy/dp = -y(1), dy/dy0 = y(1)
y1=$(awk 'BEGIN { printf "%.6f", exp(-2) }')
expect="y(1) = $y1, dy(1)/dp = -$y1, dy(1)/dy(0) = $y1"
check() { [ "$("$@")" = "$expect" ] || fail "$* does not print: $expect"; }
export COSTATE_CACHE="$work/cache" CC="$cc"

"$cmake" -S "$source/tests/outside" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >/dev/null
"$cmake" --build "$work/by-cmake" >/dev/null
check "$work/by-cmake/with_costate"
check "$work/by-cmake/with_costate_static"
check "$work/by-cmake/load" "$source/tests/outside/decay.c"
check "$work/by-cmake/load_static" "$source/tests/outside/decay.c"

pc=$(find "$prefix" -name costate.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir costate)
# shellcheck disable=SC2046
"$cc" -Wall -Wextra -Wconversion -Werror "$source/tests/outside/main.c" -o "$work/by-pkg-config" \
    $(pkg-config --cflags --libs costate) -Wl,-rpath,"$libdir"
check "$work/by-pkg-config"
# shellcheck disable=SC2046
"$cc" -Wall -Wextra -Wconversion -Werror "$source/tests/outside/load.c" -o "$work/load" \
    $(pkg-config --cflags --libs costate_diff) -Wl,-rpath,"$libdir"
check "$work/load" "$source/tests/outside/decay.c"

# The command writes C that compiles with the installed headers.
"$prefix/bin/costate" diff "$source/tests/outside/decay.c" -o "$work/decay_made.c"
# shellcheck disable=SC2046
"$cc" -Wall -Wextra -Wconversion -Werror $(pkg-config --cflags costate) -c "$work/decay_made.c" -o "$work/decay_made.o"

version=$(sed -n 's/^#define COSTATE_VERSION "\(.*\)"/\1/p' "$prefix"/include/costate/costate.h)
[ "$(pkg-config --modversion costate)" = "$version" ] ||
    fail "costate.pc and costate.h disagree about the version"

# Nothing but the public functions is exported.
for library in costate costate_diff; do
    extra=$(nm -D --defined-only "$libdir/lib$library.so" | awk '$3 !~ /^costate_/ { print $3 }')
    [ -z "$extra" ] || fail "lib$library.so exports $extra"
done

# The README shows this very program.
awk '/^```c main.c$/ { on = 1; next } /^```$/ { if (on) exit } on' "$source/README.md" |
    diff - "$source/tests/outside/main.c" >/dev/null ||
    fail "main.c in README.md differs from tests/outside/main.c"
