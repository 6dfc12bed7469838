# The JSON of `costate gradient` is as docs/schema says for every example and problem, and its numbers come back bit for bit.
. "$SOURCE/tests/cli/lib.sh"

suited() # MODEL: what makes a large one small; tolerances for numbers that are small
{
    case $1 in
    brusselator_1d) echo -DN=6 ;;
    e5) echo --atol 1e-20 ;;
    brusselator_2d | shallow_water) echo -DM=5 ;;
    esac
}

for model in "$SOURCE"/examples/models/*.c "$models"/*.c; do
    name=$(basename "$model" .c)
    # shellcheck disable=SC2046
    expect 0 gradient "$model" --method radau2a --scaled --format json $(suited "$name") --quiet
    valid gradient
    exact
    python "assert d['model'] and d['objectives'] and d['stats']['derivatives'] == 'generated', d
for o in d['objectives']:
    assert o['value'] is not None and None not in o['params'].values() and None not in o.get('initial', {}).values(), o['name']"
done
