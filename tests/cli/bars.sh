# --bars of every command that has them: valid JSON, whose bars are those of the library's promise; tables that fit; CSV with the
# same numbers; figures with whiskers; "not resolved" where the tolerance is too loose.
. "$SOURCE/tests/cli/lib.sh"

lotka=$models/lotka_volterra.c

# The true gradient is that of a tight run: no error is more than twice its bar, and the worst no less than a quarter of its own.
expect 0 gradient "$lotka" --method dopri853 --rtol 1e-13 --atol 1e-13 --format json
cp out truth
for method in dopri5 bdf radau2a; do
    expect 0 gradient "$lotka" --method $method --bars --format json
    valid gradient
    python "truth = json.load(open('truth'))['objectives'][0]
o = d['objectives'][0]
worst = 0
for part in 'params', 'initial':
    for name, x in o[part].items():
        error, bar = abs(x - truth[part][name]), o['bars'][part][name]
        assert error < 2 * bar < 2e-2 * abs(x), (name, error, bar)
        worst = max(worst, error / bar)
assert 0.25 < worst, worst
assert abs(o['value'] - truth['value']) < o['bar'] < 1e-3"
done

# The same numbers as a table and as CSV.
expect 0 gradient "$lotka" --method dopri5 --bars --format json
python "bars = d['objectives'][0]['bars']; bars = {**bars['params'], **bars['initial']}; json.dump(bars, open('bars', 'w'))"
expect 0 gradient "$lotka" --method dopri5 --bars --format csv
python "bars = json.load(open('bars'))
assert len(rows) == 6
for r in rows: assert float(r['bar']) == bars[r['name']], r"
expect 0 gradient "$lotka" --method dopri5 --bars --scaled
python "bars = json.load(open('bars'))
lines = [line for line in text.splitlines() if line.split()]
for name, bar in bars.items(): assert any(line.split()[0] == name and '± %.2g ' % bar in line for line in lines), name
assert max(map(len, text.splitlines())) <= 80"

expect 0 hessian "$lotka" --bars --direction alpha=1 --format json
valid hessian
python "assert all(0 < x < 1 for x in d['objectives'][0]['bars']['params'].values())"
expect 0 hessian "$lotka" --bars --full --wrt alpha,beta --format json
valid hessian
python "o = d['objectives'][0]; assert all(0 < b < 1e-2 * abs(x) for r, s in zip(o['matrix'], o['bars']) for x, b in zip(r, s))"
expect 0 tangent "$lotka" --bars --at 5,10 --format json
valid tangent
python "assert all(b > 0 for s in d['bars']['params'].values() for row in s.values() for b in row)"
expect 0 run "$lotka" --bars --points 3 --format json
valid run
python "assert d['trajectory']['bars']['prey'][0] == 0 < d['trajectory']['bars']['prey'][2] == d['state_bars']['prey']"
expect 0 run "$lotka" --bars --points 3 --format csv
python "assert float(rows[2]['bar prey']) > 0"

printf 'alpha\n1\n1.2\n' >members.csv
expect 0 gradient "$lotka" --bars --ensemble members.csv --format json
valid ensemble
python "assert all(0 < m['objectives'][0]['bar'] < 1e-3 for m in d['members'])"
expect 0 run "$lotka" --bars --ensemble members.csv --format json
valid run_ensemble
expect 0 gradient "$lotka" --bars --ensemble members.csv --format csv
python "assert float(rows[1]['bar d g[0] / d beta']) > 0"
expect 0 run "$lotka" --bars --ensemble members.csv --points 3
says out ±

# Too loose: what is not resolved is said, once in the table for each number and once as a warning; no NaN anywhere.
expect 0 gradient "$lotka" --method dopri5 --rtol 1e-2 --bars --plot gradient.svg
says out "not resolved"
says err "6 of 6 numbers are not resolved"
lacks out nan
says gradient.svg "0.9435835 ± "
expect 0 run "$lotka" --method dopri5 --rtol 1e-2 --bars --plot run.svg
expect 0 run "$lotka" --method dopri5 --rtol 1e-2 --plot plain.svg
[ "$(wc -c <run.svg)" -gt "$(wc -c <plain.svg)" ] || fail "no whiskers"

# Values that do not depend on steps have no bars, and a command without them has none to give.
printf '#include <costate/model.h>
static void rhs(double t, const double *y, const double *p, double *f) { f[0] = p[0]; }
COSTATE_MODEL(line, .states = 1, .params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(2), .t1 = 1, .rhs = rhs)\n' >line.c
expect 0 gradient line.c --bars
lacks out "not resolved"
expect 1 check "$lotka" --bars
says err bars

# An accuracy that is asked for is reached, and what was found is said; or it is not, and the best is printed.
expect 0 gradient "$lotka" --accuracy 1e-4 --format json
valid gradient
python "truth = json.load(open('truth'))['objectives'][0]['params']
o = d['objectives'][0]['params']
assert d['accuracy']['met'] and d['accuracy']['reached'] <= 1e-4
assert max(abs(o[k] - truth[k]) for k in o) <= 1e-4 * max(abs(x) for x in truth.values())"
expect 0 gradient "$lotka" --accuracy 1e-4 --method rk43
says out "lotka_volterra, rk43"
says out "accuracy 0.0001 reached: bars up to"
for command in "tangent $lotka" "run $lotka --points 3" "hessian $lotka --direction alpha=1"; do
    # shellcheck disable=SC2086
    expect 0 $command --accuracy 1e-3 --bars
    says out "accuracy 0.001 reached"
done
expect 4 gradient "$lotka" --accuracy 1e-10 --method rk32 --max-steps 500
says out "accuracy 1e-10 not reached"
says out "delta"
says err "1e-10 was asked for"
expect 1 gradient "$lotka" --accuracy 1e-4 --rtol 1e-3
says err "one or the other"
expect 1 gradient "$lotka" --accuracy 2
says err "between 1e-12 and 1"
expect 1 gradient "$lotka" --accuracy 1e-4 --ensemble members.csv
says err "--ensemble"
