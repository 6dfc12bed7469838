# The numbers, where they are known, in all formats.
. "$SOURCE/tests/cli/lib.sh"
decay="$own/decay.c --rtol 1e-12 --atol 1e-14"
lv=$models/lotka_volterra.c

# y(2) = y0 exp(-2 k), integral = y0 (1 - exp(-2 k))/k; derivatives with respect to k and y0.
exact='k, y = 0.7, 3; e = math.exp(-2*k); left = y*e; total = y*(1-e)/k
lk, ly, tk, ty = -2*y*e, e, y*(2*e*k - (1-e))/k**2, (1-e)/k'

# shellcheck disable=SC2086
{
expect 0 gradient $decay --format json --scaled; silent err; valid gradient
python "$exact
a, b = d['objectives']
assert d['model'] == 'decay' and d['method'] == 'dopri5' and d['t'] == [0, 2] and d['warnings'] == []
assert a['name'] == 'left' and b['name'] == 'integral, total'
for got, want in ((d['state']['amount'], left), (a['value'], left), (a['params']['rate'], lk), (a['initial']['amount'], ly),
                  (b['value'], total), (b['params']['rate'], tk), (b['initial']['amount'], ty),
                  (a['scaled']['params']['rate'], lk*k/left),
                  (b['scaled']['initial']['amount'], ty*y/total)): close(got, want, 1e-10)
assert d['stats']['derivatives'] == 'generated' and d['stats']['jvp'] > 0 and d['stats']['vjp'] == 0"

# The other formats hold the same numbers: CSV bit for bit.
cp out all.json
expect 0 gradient $decay --format csv; silent err
python "j = json.load(open('all.json'))
assert [list(r) for r in rows][0] == ['objective', 'kind', 'name', 'value', 'derivative'] and len(rows) == 4
for r in rows:
    o = [o for o in j['objectives'] if o['name'] == r['objective']][0]
    assert float(r['derivative']) == o['params' if r['kind'] == 'param' else 'initial'][r['name']], r"
expect 0 gradient $decay; narrow; silent err; says out 'integral, total'
grep -qE '^rate +0.7 +-1.479582 ' out || fail 'the table lacks d left / d rate'

# Forward sensitivities and those of the adjoint agree.
expect 0 tangent $decay --wrt rate,amount --format json; valid tangent
python "$exact
for got, want in ((d['sensitivities']['params']['rate']['amount'], lk), (d['sensitivities']['initial']['amount']['amount'], ly),
                  (d['objectives'][1]['params']['rate'], tk)): close(got, want, 1e-10)"
expect 0 tangent $decay --at 2,1 --format json; valid tangent
python "assert d['trajectory']['t'] == [1, 2]
s = d['sensitivities']['params']['rate']['amount']
close(s[0], -3*math.exp(-0.7), 1e-9); close(s[1], -6*math.exp(-1.4), 1e-9)"

# d2/dk2 y0 exp(-2k) = 4 y0 exp(-2k), mixed -2 exp(-2k).
expect 0 hessian $decay --full --objective left --format json; valid hessian
python "$exact
m = d['objectives'][0]; assert m['names'] == ['rate', 'amount'] and len(d['objectives']) == 1
close(m['matrix'][0][0], 4*left, 1e-9); close(m['matrix'][0][1], -2*e, 1e-9); close(m['matrix'][1][0], -2*e, 1e-9)
assert abs(m['matrix'][1][1]) < 1e-12"
expect 0 hessian $decay --direction rate=2,amount=-1 --format json; valid hessian
python "$exact
a = d['objectives'][0]; close(a['params']['rate'], 8*left + 2*e, 1e-9); close(a['initial']['amount'], -4*e, 1e-9)
assert d['direction'] == {'rate': 2, 'amount': -1}"
expect 0 hessian $decay --direction rate=1; narrow
expect 0 hessian $decay --full --format csv; python 'assert len(rows) == 8'

# Output points: the first and the last are t0 and t1; interpolation is as good as the steps.
expect 0 run $decay --points 5 --format csv
python "assert [float(r['t']) for r in rows] == [0, 0.5, 1, 1.5, 2]
for r in rows: close(float(r['amount']), 3*math.exp(-0.7*float(r['t'])), 1e-7)"
expect 0 run $decay --at 1.5 --at 0.5,1 --format json; valid run
python "assert d['trajectory']['t'] == [0.5, 1, 1.5]"
expect 0 run $decay; narrow; grep -qE '^amount +0.7397909$' out || fail 'the table lacks the final state'

# Other values, other times; backwards too.
expect 0 run $decay --param rate=1 --y0 amount=5 --t0 1 --t1 4 --format json
python "assert d['t'] == [1, 4]; close(d['state']['amount'], 5*math.exp(-3), 1e-10)"
expect 0 run $decay --t0 2 --t1 0 --at 0,1,2 --format json
python "assert d['trajectory']['t'] == [2, 1, 0]; close(d['state']['amount'], 3*math.exp(1.4), 1e-10)"
expect 0 run $own/decay.c --atol amount=1e-3 --rtol 0 --format json
python "assert d['stats']['steps'] < 12"
}

# init: what depends on the parameters through it is in params, and there is no initial.
expect 0 gradient "$own/started.c" --format json; valid gradient
python "a, b = d['objectives']
assert a['params'] == {'a': 1, 'b': 0} and b['params'] == {'a': 5, 'b': 2} and 'initial' not in a and b['name'] == 'y[1]'"

# No parameters, no objectives: the final states with respect to the initial ones, a rotation.
expect 0 gradient "$own/oscillator.c" --rtol 1e-10 --format json; valid gradient
python "x, v = d['objectives']
assert x['params'] == {}; close(x['initial']['x'], math.cos(10), 1e-7); close(v['initial']['x'], -math.sin(10), 1e-7)"
expect 0 tangent "$own/oscillator.c" --format json; valid tangent

# -D, and names chosen by patterns and in any order.
expect 0 run "$own/sized.c" -DN=5 --format json; python "assert list(d['state']) == ['y[%d]' % i for i in range(5)]"
expect 0 run "$own/sized.c" -D N=4 --format json; python "assert len(d['state']) == 4"
expect 0 gradient "$lv" --wrt 'delta,*a,prey' --format json; valid gradient
python "o = d['objectives'][0]; assert list(o['params']) == ['delta', 'alpha', 'beta', 'gamma']
assert list(o['initial']) == ['prey']"
expect 0 gradient "$lv" --wrt initial --format json
python "o = d['objectives'][0]; assert not o['params'] and len(o['initial']) == 2"

# One name for a state and a parameter.
expect 0 gradient "$own/namesake.c" --wrt 'x(t0),x' --objective x --rtol 1e-10 --format json; valid gradient
python "o = d['objectives'][0]; close(o['params']['x'], -0.5*math.exp(-1), 1e-8); close(o['initial']['x'], math.exp(-1), 1e-8)
assert list(o['initial']) == ['x']"
expect 0 hessian "$own/namesake.c" --direction 'x(t0)=1' --format json; valid hessian
python "assert d['direction'] == {'x(t0)': 1}"

# A budget changes what is kept, not the derivatives; nor do threads.
expect 0 gradient "$lv" --t1 2000 --format json; python "json.dump(d['objectives'], open('plenty', 'w'))"
expect 0 gradient "$lv" --t1 2000 --memory 64K --format json; valid gradient
python "assert d['objectives'] == json.load(open('plenty')) and d['stats']['recomputed_steps'] > 0
assert d['stats']['trajectory_bytes'] <= 65536"
expect 0 gradient "$lv" --t1 2000 --memory=64K --disk 10M --disk_dir "$root" --format json
python "assert d['objectives'] == json.load(open('plenty')) and d['stats']['disk_bytes'] > 0"
expect 0 gradient "$own/sized.c" --lanes 2 --format json; python "json.dump(d['objectives'], open('one', 'w'))"
expect 0 gradient "$own/sized.c" --lanes 2 --threads 3 --format json; python "assert d['objectives'] == json.load(open('one'))"

# Errors fall with the tolerances, those of a model that is solved exactly too; steps that are too many are a failure.
expect 0 compare "$own/decay.c" --among 'dopri*,rodas4,rk32' --max-steps 500 --format json; silent err; valid compare
python "m = {}
for t in d['trials']: m.setdefault(t['method'], []).append(t)
assert list(m) == ['rk32', 'dopri5', 'dopri853', 'rodas4'] and d['reference']['error'] < 1e-11
for name in ('dopri5', 'rodas4'):
    assert [t['rtol'] for t in m[name]] == [10.0**-k for k in range(3, 10)], m[name]
    assert m[name][0]['error'] > 1e3 * m[name][-1]['error'] and m[name][-1]['error'] < 1e-7
    assert m[name][0]['steps'] < m[name][-1]['steps']
assert m['rk32'][-1]['status'] < 0 and 'error' not in m['rk32'][-1]"
# What the user allows the methods does not bind the reference; where none gets through another takes its place, and it is said.
expect 0 compare "$lv" --among dopri5 --max-steps 60 --format json; silent err; valid compare
python "assert d['reference']['method'] == 'dopri853' and d['reference']['error'] < 1e-9, d['reference']"
expect 0 compare "$own/rapid.c" --among rk23,dopri5 --format json; valid compare
says err 'errors are measured by dopri5 at'; says err 'radau2a at 1e-12: too many steps'
python "assert d['reference']['method'] == 'dopri5' and len(d['warnings']) == 3 and 'none of' in d['warnings'][2], d"
expect 4 compare "$own/blowup.c" --among rk23; silent out
says err 'there is nothing to measure errors by'; says err 'dopri853 at 1e-12: '
# A run that only tight tolerances get through is made at those.
expect 0 compare "$own/blowup.c" --t1 0.9999999 --among dopri5 --format json --plot tight.svg; valid compare; silent err
says tight.svg '>dopri5</text>'
python "assert len(d['trials']) == 7 and d['trials'][0]['status'] < 0 and d['trials'][-1]['error'] < 0.01, d['trials']"
expect 0 compare "$own/decay.c" --among dopri5 --atol amount=1e-9 --format csv; python "assert len(rows) == 7"
expect 0 compare "$own/started.c" --among dopri5 --format json; valid compare

# 17 digits come back as the same number, and what is not finite is null with a warning.
expect 0 run "$lv" --points 50 --format json; valid run; exact
expect 0 gradient "$own/kink.c" --scaled --format json; valid gradient; says err 'warning:'
python "assert d['objectives'][0]['scaled']['params'] == {'p[0]': None} and d['warnings']"
expect 0 gradient "$own/kink.c" --scaled --format json --quiet; silent err

# What a run cost, for those who ask.
expect 0 gradient "$lv" --verbose --method rodas4; says err 'linear solver: '; says err 'steps, '

# The continuous adjoint: the same gradient to the tolerance, and lambda(t) in all formats; none of a discrete one.
expect 0 gradient "$own/parts.c" --adjoint continuous --at 0,3 --rtol 1e-8
says out 'adjoint equations by dopri5'
says out 'd g[0] / d prey(t)'
says out '199.793'
expect 0 gradient "$own/parts.c" --adjoint continuous --adjoint-method radau2a --points 3 --format csv --plot lambda.svg
says out 't,objective,state,adjoint'
[ "$(wc -l <out)" -eq 13 ] || fail "rows of the adjoint"
says lambda.svg 'd g[0] / d state(t)'
expect 0 gradient "$own/parts.c" --adjoint continuous --at 3 --format json
python "assert d['objectives'][0]['adjoint']['t'] == [3] and d['stats']['adjoint_steps'] > 0"
# It jumps at observations and events: a time given twice, and pictures, have both sides.
expect 0 gradient "$own/parts.c" --adjoint continuous --at 3,3 --format json
python "a = d['objectives'][0]['adjoint']; assert a['t'] == [3, 3]
assert any(x[0] != x[1] for x in a['states'].values()), a"
expect 0 gradient "$SOURCE/examples/models/thermostat.c" --adjoint continuous --points 2 --format csv --plot lambda.svg
says lambda.svg '18 events'
[ "$(wc -l <out)" -eq 5 ] || fail "rows of the adjoint beside both sides of jumps"
expect 4 gradient "$own/parts.c" --at 3
says err 'need not be near lambda(t)'
expect 0 check "$own/parts.c" --adjoint continuous --rtol 1e-5
says out 'the certificate holds'; says out 'falls with rtol'; says out 'error bars'
! grep -q 'round-off' out || fail "a continuous adjoint is not held against round-off"
expect 0 check "$own/parts.c" --adjoint continuous --format json; valid check
python 'c = d["certificate"]; assert c["continuous"] and c["tighter"]["wrong"] == 0 and c["bars"]["defect"] <= 3, c'
expect 0 check "$own/parts.c" --adjoint continuous --format csv -q; says out ',tighter,tighter_noise,'
expect 5 check "$own/kink.c" --adjoint continuous -q; says out 'DOES NOT HOLD'
expect 0 hessian "$own/parts.c" --adjoint continuous --full
