# lib.sh - what the tests of the command line share. A test is a bash script that is started with COSTATE (the program), SOURCE
# (the repository) and PYTHON in the environment; it works in a folder of its own, and fails at the first thing that is not as
# expected.
set -u
: "${COSTATE:?}" "${SOURCE:?}" "${PYTHON:?}"
here=$SOURCE/tests/cli
models=$SOURCE/problems
own=$here/models

root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
cd "$root" || exit 1
mkdir tmp
export TMPDIR=$root/tmp
: "${COSTATE_CACHE:=$root/cache}"
export COSTATE_CACHE
unset NO_COLOR

fail()
{
    echo "FAILED: $*"
    echo "--- standard output"; head -c 2000 out 2>/dev/null
    echo "--- standard error"; head -c 2000 err 2>/dev/null
    exit 1
}

# expect CODE ARGUMENTS: runs costate; out and err become what it prints.
expect()
{
    local code=$1 got
    shift
    "$COSTATE" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$code" ] || fail "costate $*: exit code $got, not $code"
}

says() # FILE WORDS
{
    grep -qF -e "$2" "$1" || fail "$1 does not say '$2'"
}

lacks() # FILE WORDS
{
    ! grep -qF -e "$2" "$1" || fail "$1 says '$2'"
}

silent() # FILE...
{
    local file
    for file; do [ ! -s "$file" ] || fail "$file is not empty"; done
}

# python CODE: `d` is the JSON in out, `rows` its lines if it is CSV.
python()
{
    "$PYTHON" -c "
import csv, json, math, sys
text = open('out').read()
try: d = json.loads(text)
except ValueError: rows = list(csv.DictReader(text.splitlines()))
def close(a, b, tol): assert abs(a - b) <= tol * abs(b), (a, b)
$1" || fail "python: $1"
}

# valid COMMAND: out is JSON as docs/schema says.
valid()
{
    "$PYTHON" -W ignore "$here/validate.py" "$SOURCE/docs/schema/$1.json" out || fail "out is not valid by docs/schema/$1.json"
}

# exact: every number in out is what its double is with 17 digits.
exact()
{
    python "import re
for word in re.findall(r'-?[0-9][0-9.]*(?:e[-+][0-9]+)?', re.sub(r'\"[^\"]*\"', '', text)):
    assert '%.17g' % float(word) == word, word"
}

# narrow: no line of out is longer than 80 columns.
narrow()
{
    awk 'length > 80 { exit 1 }' out || fail "lines of more than 80 columns"
}
