# gradient --ensemble: a gradient for every row of a file, those that fail told apart, mistakes in the file by their place.
. "$SOURCE/tests/cli/lib.sh"
lv=$models/lotka_volterra.c

printf 'alpha,prey(t0)\n1.1,10\n1.2,9\n\n"1.3" , 8\r\n' >members.csv
expect 0 gradient "$lv" --ensemble members.csv --format json; silent err; valid ensemble
python "assert [m['status'] for m in d['members']] == ['good'] * 3 and d['failed'] == 0
json.dump(d['members'][1]['objectives'], open('second', 'w')); json.dump(d['members'], open('one', 'w'))"
expect 0 gradient "$lv" --param alpha=1.2 --y0 prey=9 --format json; python "assert d['objectives'] == json.load(open('second'))"
expect 0 gradient "$lv" --ensemble members.csv --threads 2 --format json; python "assert d['members'] == json.load(open('one'))"
expect 0 gradient "$lv" --ensemble members.csv --wrt beta,prey; narrow; says out 'good'; says out '/ d beta'
expect 0 gradient "$lv" --ensemble members.csv --wrt beta --format csv -o out.csv; silent out err
"$PYTHON" -c "
import csv
rows = list(csv.DictReader(open('out.csv')))
assert len(rows) == 3 and rows[2]['status'] == 'good' and not rows[2]['message'], rows
assert any(name.endswith('/ d beta') and float(rows[0][name]) for name in rows[0]), rows" || fail 'the CSV is not as it should be'

# By tangents or the adjoint, as asked.
expect 0 gradient "$lv" --ensemble members.csv --sensitivities tangent --format json; mv out tangent
expect 0 gradient "$lv" --ensemble members.csv --sensitivities adjoint --format json; mv out adjoint
cmp -s tangent adjoint && fail '--sensitivities makes no difference in the last digits'
"$PYTHON" -c "
import json
a, b = ([o['params'] for m in json.load(open(f))['members'] for o in m['objectives']] for f in ('tangent', 'adjoint'))
assert all(abs(x[k] - y[k]) <= 1e-9 * abs(y[k]) for x, y in zip(a, b) for k in x), (a, b)" || fail 'tangents and adjoint differ'

# The file as others write it: a byte-order mark, semicolons or tabs, any ends of lines.
mv one good
same() # TEXT
{
    printf "$1" >other.csv
    expect 0 gradient "$lv" --ensemble other.csv --format json; silent err
    python "assert d['members'] == json.load(open('good'))"
}
same '\xEF\xBB\xBFalpha;prey(t0)\r\n1.1;10\r\n1.2;9\r\n1.3;8\r\n\r\n'
same '"alpha"\t"prey"\n 1.1 \t10\n1.2\t"9"\n1.3\t8'
same 'alpha,prey(t0)\r1.1,10\r1.2,9\r1.3,8\r'

# run --ensemble: what single runs say.
expect 0 run "$lv" --ensemble members.csv --format json --at 2,5 --threads 2; silent err; valid run_ensemble
python "json.dump(d['members'][1], open('second', 'w'))"
expect 0 run "$lv" --param alpha=1.2 --y0 prey=9 --format json --at 2,5
python "m = json.load(open('second'))
for key in ('state', 'objectives', 'trajectory'): assert m[key] == d[key], key
assert m['steps'] == d['stats']['steps']"
expect 0 run "$lv" --ensemble members.csv; narrow; says out 'member  status'
expect 0 run "$lv" --ensemble members.csv --format csv; python "assert len(rows) == 3 and float(rows[1]['t']) == 10, rows"
expect 0 run "$lv" --ensemble members.csv --points 4 --format csv; python "assert len(rows) == 12 and 'predator' in rows[0], rows"
expect 0 run "$lv" --ensemble members.csv --param alpha=9; says err '--param alpha has no effect: the file has a column for it'
expect 1 run "$lv" --ensemble members.csv --plot x.svg; says err 'neither --plot nor --scaled'

# A member that fails is told of, the others are there, and so is the file.
printf 'alpha\n1.1\n1e9\n1.3\n' >members.csv
expect 4 gradient "$lv" --method dopri5 --ensemble members.csv --max-steps 500 --format json; valid ensemble
says err 'members.csv:3: member 2: too many steps'; says err '1 of 3 members failed'
python "assert [m['status'] for m in d['members']] == ['good', 'failed', 'good'] and d['failed'] == 1
assert 'max_steps = 500' in d['members'][1]['message'] and 'objectives' not in d['members'][1]"
expect 4 gradient "$lv" --method dopri5 --ensemble members.csv --max-steps 500 --format csv -o kept.csv
grep -q '^2,failed,,' kept.csv || fail 'the failed member has no row'
expect 4 run "$lv" --method dopri5 --ensemble members.csv --max-steps 500 --format json
valid run_ensemble; says err '1 of 3 members failed'
python "assert [m['status'] for m in d['members']] == ['good', 'failed', 'good'] and 'state' not in d['members'][1]"
expect 4 run "$lv" --method dopri5 --ensemble members.csv --max-steps 500 --format csv --points 3
python "assert [r['status'] for r in rows] == ['good'] * 3 + ['failed'] + ['good'] * 3 and not rows[3]['prey']"

# Mistakes.
bad() # WORDS TEXT: a file with that text
{
    printf "$2" >bad.csv
    expect 1 gradient "$lv" --ensemble bad.csv; silent out; says err "$1"
}
bad "bad.csv:1:7: there is no parameter or initial value 'betta' in lotka_volterra; did you mean 'beta'?" 'alpha,betta\n1,2\n'
bad "bad.csv:3:5: 'x' is not a finite number" 'alpha,beta\n1,2\n1.1,x\n'
bad 'bad.csv:2:5: more than the 2 values' 'alpha,beta\n1,2,3\n'
bad "bad.csv:3:2: 1 values, but the first line names 2" 'alpha,beta\n1,2\n1\n'
bad "bad.csv:1:7: alpha has a column already" 'alpha,alpha\n1,2\n'
bad 'there is no line of values' 'alpha\n'
bad 'there is no line of names' ''
bad 'bad.csv:1:1: column 1 has no name' ',alpha\n0,1\n'
bad "bad.csv:2:1: '1,5' is not a finite number; decimals have a point" 'alpha;beta\n1,5;2\n'
bad 'it is no plain text (UTF-8)' '\xFF\xFEa\000l\000'
expect 1 gradient "$lv" --ensemble /dev/zero; says err 'it is no plain text (UTF-8)'
expect 1 gradient "$lv" --ensemble no_such_file.csv; says err 'no_such_file.csv cannot be read'
expect 1 gradient "$lv" --ensemble members.csv --scaled; says err 'neither --plot nor --scaled'
