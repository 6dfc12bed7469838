# Conditions in the text of a model: commands warn where derivatives that they print lack something, and only there.
. "$SOURCE/tests/cli/lib.sh"
dose=$own/dose.c
jump="dose.c:8:11: 't < p[1]' changes at t = 0.4, where amount' jumps from"
kink="'fmax(y[0] - 0.5, 0)' changes at t = 0.17"

# Held, as it is unless one says otherwise, the same condition is an event of its own, with its share in derivatives.
expect 0 gradient "$dose"; silent err
expect 0 check "$dose"; says out 'the certificate holds'
expect 0 run "$dose" --format json; valid run
python "e, = d['events']; assert e['event'] == '!(t < p[1])' and e['t'] == 0.4 and e['holds'] and not e['changes'], e"
expect 0 run "$dose"; says out '!(t < p[1])'; says out 'holds from here on'
expect 0 run "$dose" --format csv --events; python "r, = rows
assert float(r['t']) == 0.4 and r['changed'] == 'holds from here on', r"

# A jump that a parameter moves: in tables, in JSON, by tangents and adjoints, for a direction.
expect 0 gradient "$dose" --switches off; says err "$jump"
says err 'with respect to stop lack'
[ "$(wc -l <err)" -eq 1 ] || fail 'one warning is enough'
expect 0 gradient "$dose" --switches off --format json --quiet; silent err; valid gradient
python "w, = d['warnings']; assert 'dose.c:8:11' in w and 't = 0.4,' in w, w"
expect 0 gradient "$dose" --switches off --sensitivities adjoint --method rodas4; says err "$jump"
expect 0 tangent "$dose" --switches off --format json; says err "$jump"; valid tangent
python "assert len(d['warnings']) == 1"
expect 0 hessian "$dose" --switches off --direction rate=1; says err "$jump"; says err "$kink"
says err 'first derivatives are right'

# Not where nothing is lacking: other parameters, other commands.
expect 0 gradient "$dose" --switches off --wrt rate,amount; silent err
expect 0 tangent "$dose" --switches off --wrt kel; silent err
expect 0 run "$dose" --switches off; silent err
expect 0 hessian "$dose" --switches off --full --wrt kel,rate; says err "$kink"
grep -q 'dose.c:8:11' err && fail 'stop is not among them'

# Members of an ensemble, of which some do not come by it.
printf 'stop\n0.3\n2\n0.4\n' >members.csv
expect 0 gradient "$dose" --switches off --ensemble members.csv; says err "2 of 3 members, the first being 1"
says err "changes at t = 0.3"

# The certificate says so, too.
"$COSTATE" check "$dose" --switches off >out 2>err
says err "$jump"
