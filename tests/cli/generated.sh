# docs/generated.md: the commands of the page, on the files of the page, print what the page says.
. "$SOURCE/tests/cli/lib.sh"
page=$SOURCE/docs/generated.md
block() # LANGUAGE NUMBER: the NUMBER-th block of that language
{
    awk -v mark='```'"$1" -v want="$2" '$0 == mark { n++; inside = 1; next } /^```$/ { inside = 0 } inside && n == want' "$page"
}
block c 1 >decay.c
block c 2 >main.c
build=$(dirname "$COSTATE")
flags="-I$SOURCE/include $build/libcostate.so -Wl,-rpath,$build"
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$COSTATE" >bin/costate
printf '#!/bin/sh\necho "%s"\n' "$flags" >bin/pkg-config
printf '#!/bin/sh\nexec %s -I"%s/include" "$@"\n' "${CC:-cc}" "$SOURCE" >bin/cc
chmod +x bin/*
block sh 1 >commands.sh
PATH=$PWD/bin:$PATH sh -e commands.sh >out 2>err || fail 'the commands of the page fail'
block text 1 >expected
cmp -s out expected || fail 'the page says something else'
silent err
