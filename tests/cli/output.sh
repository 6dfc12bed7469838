# Where results go and how they look: files, pipes, terminals; the texts that the program writes about itself.
. "$SOURCE/tests/cli/lib.sh"
lv=$models/lotka_volterra.c

# -o writes the same, keeps the rights of a file that is there, and leaves nothing else behind.
expect 0 gradient "$lv" --format csv; cp out plain
expect 0 gradient "$lv" --format csv -o result; silent out err; cmp -s result plain || fail '-o writes something else'
chmod 640 result; expect 0 gradient "$lv" --format csv --output=result
[ "$(stat -c %a result)" = 640 ] || fail 'the rights of the file have changed'
[ "$(echo result*)" = result ] || fail "left behind: $(echo result*)"
ln -s result link; ln -s tmp/absent dangling; expect 0 gradient "$lv" --format csv -o link
{ [ -L link ] && cmp -s result plain && [ "$(stat -c %a result)" = 640 ]; } || fail 'a link is not written through'
expect 0 gradient "$lv" --format csv -o dangling
{ [ -L dangling ] && cmp -s tmp/absent plain; } || fail 'a link to what is not there is not written through'
ln -s ring2 ring1; ln -s ring1 ring2; expect 1 gradient "$lv" -o ring1; says err 'symbolic links'
echo old >twin1; ln twin1 twin2; expect 0 gradient "$lv" --format csv -o twin1
cmp -s twin2 plain || fail 'another name of the file has its old content'
expect 0 run "$lv" -o /dev/null; silent out err
expect 1 run "$lv" -o tmp; says err 'cannot be written'

# A reader that goes away, a full device, no standard output at all: an error, not a crash.
for format in csv json table; do
    "$COSTATE" run "$lv" --points 20000 --format $format 2>err | head -n 1 >/dev/null
    code=${PIPESTATUS[0]}
    [ "$code" -eq 1 ] || fail "a closed pipe gives exit code $code"
    silent err
done
"$COSTATE" help run 2>err >/dev/full; [ $? -eq 1 ] || fail 'a full device is not noticed'; says err 'cannot be written'
"$COSTATE" --version 2>err >/dev/full; [ $? -eq 1 ] || fail 'a full device is not noticed'
"$COSTATE" run "$lv" 2>err >&-; [ $? -eq 1 ] || fail 'a closed standard output is not noticed'

# Tables fit into 80 columns, however many there are.
for command in 'run --points 4' run gradient 'gradient --scaled' tangent; do
    # shellcheck disable=SC2086
    for model in pollu hires lotka_volterra; do
        expect 0 $command "$models/$model.c" --method rodas4 --t1 1; narrow; silent err
    done
done
for command in run 'run --points 3' gradient 'gradient --scaled' tangent 'hessian --full' check 'compare --among dopri5'; do
    # shellcheck disable=SC2086
    expect 0 $command "$own/long_names.c"; narrow; silent err
done
expect 0 tangent "$own/long_names.c"; says out 'd/d rate_of_d..'; says out 'd/d rate_of_p..'
expect 0 hessian --full "$models/hires.c" --method rodas4 --t1 1; narrow; silent err
expect 0 check "$models/hires.c" --method rodas4; narrow
for command in methods solvers; do
    expect 0 $command; narrow; silent err
    expect 0 $command --format csv
    expect 0 $command --format json; valid $command
done
expect 0 methods --format json
python "m = {m['name']: m for m in d['methods']}
assert m['dopri5']['order'] == 5 and abs(m['dopri5']['real_axis'] - 3.3066) < 1e-3 and not m['dopri5']['a_stable']
assert m['rodas4']['l_stable'] and m['radau2a']['l_stable'] and m['gauss']['a_stable'] and not m['gauss']['l_stable']"

# diff.
expect 0 diff "$own/kink.c" --lint --pattern --format json; valid diff
python "assert d['kinks'][0]['line'] == 11 and 'fabs' in d['kinks'][0]['text'] and d['pattern']['f_y']['rows'] == 1"
expect 0 diff "$own/kink.c"; mv out plain.c
expect 0 diff "$own/kink.c" --format json; valid diff
python "assert d['file'] == '$own/kink.c' and d['c'] == open('plain.c').read()"
expect 0 diff "$own/kink.c" --format json -o made.json; silent out; mv made.json out
python "assert d['c'] == open('plain.c').read()"
expect 1 diff "$own/kink.c" --format csv; silent out; says err 'C is no table'
expect 1 diff "$own/kink.c" --dump lower --format json; silent out; says err '--dump is text'
expect 0 diff "$own/sized.c" -DN=3 --pattern --format csv
python "assert [(r['row'], r['column']) for r in rows if r['matrix'] == 'f_y'] == \\
    [('0', '0'), ('1', '0'), ('1', '1'), ('2', '1'), ('2', '2')]"
expect 2 diff "$own/refused.c" --pattern --format json; silent out

# Colours are for terminals. `script` gives it one.
on_terminal() # COMMAND
{
    script -qec "$1" /dev/null >out 2>err </dev/null || fail "$1"
}
bold=$(printf '\033[1m')
on_terminal "'$COSTATE' run '$lv'"; says out "$bold"
on_terminal "'$COSTATE' run '$lv' --no-color"; lacks out "$bold"
on_terminal "NO_COLOR=1 '$COSTATE' run '$lv'"; lacks out "$bold"
expect 0 run "$lv"; lacks out "$bold"

# Progress: for a run of more than a second, on a terminal, unless --quiet.
long="'$COSTATE' run '$own/oscillator.c' --t1 1e9 --max-steps 1000000000000"
script -qec "timeout 3 $long; true" /dev/null >out 2>err </dev/null; says out 'integrating forward: '; says out ', t = '
script -qec "timeout 2 $long --quiet; true" /dev/null >out 2>err </dev/null; lacks out 'integrating'
timeout 2 "$COSTATE" run "$own/oscillator.c" --t1 1e9 --max-steps 1000000000000 >out 2>err; silent out err

# Figures.
expect 0 run "$lv" --plot run.svg; says run.svg '<svg'
expect 0 run "$lv" --points 3 --format csv; cp out plain
expect 0 run "$lv" --points 3 --format csv --plot run3.svg; cmp out plain
[ "$(grep -o 'L[0-9]' run3.svg | wc -l)" -gt 300 ] || fail 'the figure has only the points that were asked for'
expect 0 tangent "$lv" --at 7,1,7 --format csv; cp out plain
expect 0 tangent "$lv" --at 7,1,7 --format csv --plot t.svg; cmp out plain
expect 0 tangent "$lv" --plot tangent.svg; says tangent.svg '<svg'
expect 0 gradient "$lv" --plot gradient.svg; says gradient.svg '>prey(t0)</text>'
expect 0 hessian "$lv" --full --plot full.svg; says full.svg '<title>alpha, beta: '
expect 0 hessian "$lv" --direction alpha=1 --plot hessian.svg; says hessian.svg '>predator(t0)</text>'
expect 0 check "$lv" --plot check.svg; says check.svg 'gradient: slope 2.00'; says check.svg 'Hessian: slope 3.0'
expect 0 diff "$lv" --pattern --plot pattern.svg; says pattern.svg '>predator</text>'; says pattern.svg '>delta</text>'
says out 'predator |##|'
expect 0 compare "$lv" --among 'dopri5,rodas4' --plot work.svg; says work.svg '>rodas4</text>'; narrow
expect 0 run "$lv" --plot run.html; says run.html '<script>'; says run.html '<title>prey</title>'
expect 0 run "$lv" --plot log.svg --plot-y log; says log.svg '<svg'
expect 1 run "$lv" --plot log.svg --plot-y loud; says err 'none of auto, linear and log'
expect 0 gradient "$lv" --plot plain.svg; says plain.svg '>d g[0] / d name</text>'
expect 0 gradient "$lv" --scaled --plot scaled.svg; says scaled.svg '>percent of g[0] per percent of name</text>'
expect 1 run "$lv" --plot run.bmp; silent out

# Manual pages and completions.
expect 0 help costate --man; says out '.SH COMMANDS'; says out '.SH EXIT STATUS'
for page in run gradient tangent hessian check compare diff methods solvers; do
    expect 0 help $page --man; says out '.SH OPTIONS'; says out '.SH EXIT STATUS'
    man --warnings -E UTF-8 -l out >page 2>err || fail "man does not take the page of $page"
    silent err; grep -q "^ *costate-$page" page || fail "the page of $page lacks its name"
done
expect 0 help --completion bash; bash -n out || fail 'the completion for bash is not bash'
bash -c '. ./out; COMP_WORDS=(costate gradient --met); COMP_CWORD=2; _costate; [ "${COMPREPLY[*]}" = --method ] || exit 1
         COMP_WORDS=(costate run --method rod); COMP_CWORD=3; _costate; [ "${COMPREPLY[*]}" = "rodas3 rodas4" ] || exit 1
         COMP_WORDS=(costate gr); COMP_CWORD=1; _costate; [ "${COMPREPLY[*]}" = gradient ]' || fail 'completion in bash'
expect 0 help --completion zsh; zsh -n out || fail 'the completion for zsh is not zsh'
expect 1 help --completion fish
