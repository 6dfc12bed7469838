# Each exit code of the contract, with nothing on standard output where there is nothing to be trusted.
. "$SOURCE/tests/cli/lib.sh"

for command in run gradient tangent check 'hessian --full'; do
    # shellcheck disable=SC2086
    {
        expect 2 $command "$own/refused.c"; silent out; says err 'refused.c:5:'; says err '^'
        expect 3 $command "$own/broken.c"; silent out; says err 'broken.c:5:'
        expect 4 $command "$own/blowup.c"; silent out; says err 'at t = '; says err 'try: '
        expect 0 $command "$models/lotka_volterra.c"; silent err
    }
done
expect 4 gradient "$own/blowup.c" --format json -o result.json; [ ! -e result.json ] || fail 'a file in spite of the failure'
silent out

# What, where, what to try.
expect 4 gradient "$models/robertson.c" --max-steps 1000
silent out
says err 'too many steps: max_steps = 1000 reached at t = '
says err 'an implicit method (--method rodas4)'
expect 4 gradient "$models/robertson.c" --max-steps 10 --method rodas4
lacks err '--method rodas4'
expect 0 gradient "$models/robertson.c" --method rodas4

# An explicit method that gets through a stiff model is told of; one that has no trouble is not.
expect 0 run "$models/robertson.c" --t1 40; says err 'the model is stiff'; says err 'try --method rodas4'
expect 0 run "$models/robertson.c" --t1 40 --method rodas4; silent err
expect 0 run "$models/lotka_volterra.c" --t1 1000; silent err

# A value that is not a number is told by its place.
expect 4 run "$own/namesake.c" --t1 2; silent out
says err '(z) of the right-hand side'; says err 'at t = 1 with h = '; says err '--nan-check'
lacks err 'stiff'
expect 4 run "$own/namesake.c" --t1 2 --nan-check; silent out; says err 'namesake.c:7'; [ "$(wc -l <err)" -eq 1 ] || fail 'more than the place'

expect 5 check "$own/kink.c"; says out 'DOES NOT HOLD'
expect 5 check "$own/kink.c" --format json; valid check; python 'assert d["certificate"]["holds"] is False'
expect 0 check "$own/decay.c"; says out 'the certificate holds'; narrow
expect 0 check "$own/decay.c" --method rodas4 --format json; valid check
python 'c = d["certificate"]; assert c["holds"] and abs(c["slope_hessian"] - 3) < 0.2, c'

CC=/nonexistent expect 3 run "$own/decay.c" -DUNSEEN=$$; silent out; says err '/nonexistent'
