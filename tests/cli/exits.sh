# Each exit code of the contract, with nothing on standard output where there is nothing to be trusted.
. "$SOURCE/tests/cli/lib.sh"

for command in run gradient tangent check 'hessian --full' 'compare --among dopri5'; do
    # shellcheck disable=SC2086
    {
        expect 2 $command "$own/refused.c"; silent out; says err 'refused.c:5:'; says err '^'
        expect 3 $command "$own/broken.c"; silent out; says err 'broken.c:5:'
        expect 4 $command "$own/blowup.c"; silent out; says err 'at t = '; says err 'try: '
        expect 0 $command "$models/lotka_volterra.c"; silent err
    }
done
# 1 is for what is asked for in vain: usage.sh has all of that, these are one of each kind.
lv=$models/lotka_volterra.c
expect 1 gradient "$lv" --param alhpa=1; silent out; says err "did you mean 'alpha'?"
expect 1 gradient "$lv" --rtol -1e-6; silent out; says err 'is not in [0, 0.5]'; says err 'try: '
expect 1 gradient "$lv" --atol -1; silent out; says err 'atol = -1'
expect 1 gradient nowhere.c; silent out; says err 'costate gradient: nowhere.c cannot be read: No such file'
for format in table csv json; do
    "$COSTATE" gradient "$lv" --format $format >/dev/full 2>err; [ $? -eq 1 ] || fail 'a full disk is not noticed'
    says err 'standard output cannot be written: No space left'
    expect 1 gradient "$lv" --format $format -o /dev/full; silent out; says err '/dev/full cannot be written: No space left'
    "$COSTATE" gradient "$own/sized.c" -DN=60 --format $format 2>err | head -c 1 >/dev/null # more than a pipe holds
    [ "${PIPESTATUS[0]}" -eq 1 ] || fail 'a reader that is gone is not noticed'
    silent err
done

expect 4 gradient "$own/blowup.c" --format json -o result.json; [ ! -e result.json ] || fail 'a file in spite of the failure'
silent out

# What, where, what to try.
expect 4 gradient "$models/robertson.c" --max-steps 1000 --method dopri5
silent out
says err 'too many steps: max_steps = 1000 reached at t = '
says err 'try: --method auto'
expect 4 gradient "$models/robertson.c" --max-steps 10 --method rodas4
lacks err '--method auto'
expect 4 gradient "$models/robertson.c" --max-steps 15; says err 'tried: '; says err 'radau2a, rodas4'; lacks err '--method auto'
expect 0 gradient "$models/robertson.c" --method rodas4

# An explicit method that gets through a stiff model is told of; one that has no trouble is not.
expect 0 run "$models/robertson.c" --t1 40 --method dopri5; says err 'the model is stiff'; says err 'try --method auto'
expect 0 gradient "$models/robertson.c" --t1 3 --rtol 1e-3 --method dopri5; says err 'derivatives are not to be trusted'
expect 0 gradient "$models/robertson.c"; says out 'robertson, auto: radau2a, t = '; silent err
expect 0 gradient "$models/robertson.c" -v; says err 'auto chose radau2a, for dopri5 is at the limit of its stability from t = '
expect 0 run "$models/robertson.c" --t1 40 --method rodas4; silent err
expect 0 run "$models/lotka_volterra.c" --t1 1000; silent err

# A state at zero whose error has no scale is what stands in the way, of steps of any kind, and not of a consistent start.
for method in rk23 rk32 ros2 ros3 rodas3 sdirk4a radau2a bdf; do
    expect 4 run "$models/robertson.c" --atol 0 --t1 0.4 --method $method
    says err 'B is 0 at t = 0'; says err 'set atol above zero'
done
expect 4 run "$own/blowup.c" --atol 0 --method ros2; lacks err 'set atol above zero'
expect 0 run "$SOURCE/examples/models/clipper.c" --atol 0 --method rodas4

# A value that is not a number is told by its place.
expect 4 run "$own/namesake.c" --t1 2; silent out
says err '(z) of the right-hand side'; says err 'at t = 1 with h = '; says err '--nan-check'
lacks err 'stiff'
expect 4 run "$own/namesake.c" -q --t1 2 --nan-check; silent out; says err 'namesake.c:7'
[ "$(wc -l <err)" -eq 1 ] || fail 'more than the place'

expect 5 check "$own/kink.c"; says out 'DOES NOT HOLD'
expect 5 check "$own/kink.c" --format json; valid check; python 'assert d["certificate"]["holds"] is False'
expect 0 check "$own/decay.c"; says out 'the certificate holds'; narrow
expect 0 check "$own/decay.c" --method rodas4 --format json; valid check
python 'c = d["certificate"]; assert c["holds"] and abs(c["slope_hessian"] - 3) < 0.2, c'

CC=/nonexistent expect 3 run "$own/decay.c" -DUNSEEN=$$; silent out; says err '/nonexistent'
