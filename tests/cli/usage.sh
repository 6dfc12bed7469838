# Mistakes in the arguments: exit code 1, a message that helps, and nothing on standard output.
. "$SOURCE/tests/cli/lib.sh"
lv=$models/lotka_volterra.c

wrong() # WORDS ARGUMENTS
{
    local words=$1
    shift
    expect 1 "$@"
    silent out
    says err "$words"
}

wrong 'usage: costate COMMAND'
wrong "there is no command 'gradeint'; did you mean 'gradient'?" gradeint "$lv"
wrong "there is no command 'fly', but run, gradient" fly
wrong "there is no command 'grad'; did you mean 'gradient'?" grad "$lv"
wrong "there is no command 'Simulate'; did you mean 'run'?" Simulate "$lv"
wrong 'which command?' "$lv"
wrong 'try: costate check model.c' model.c check
wrong 'which model?' run
wrong 'one at a time' run a.c b.c
wrong "there is no option '--rotl'; did you mean --rtol?" run "$lv" --rotl 1e-3
wrong "there is no option '-x'" run "$lv" -x
wrong '--points needs a value' run "$lv" --points
wrong '--scaled takes no value' gradient "$lv" --scaled=yes
wrong "'--direction' is an option of hessian" run "$lv" --direction alpha=1
wrong "there is no format 'xml'" run "$lv" --format xml
wrong 'cannot be read' run nowhere.c
lacks err 'did you mean'
touch sir.c sampling.csv
wrong "did you mean 'sir.c'?" gradient sirv
wrong "did you mean 'sir.c'?" gradient sir
wrong "did you mean './sir.c'?" gradient ./siir.c
ln -s ring.c ring.c
wrong 'symbolic links' run ring.c
lacks err 'did you mean'
wrong "did you mean 'sampling.csv'?" run "$lv" --ensemble samplin.csv

# Options of the library are checked before there is a model.
wrong 'rtol = -1 is not in [0, 0.5]' run nowhere.c --rtol -1
wrong 'rtol = -1 is not in [0, 0.5]' run nowhere.c --rtol=-1
wrong 'max_steps = "many" is not a whole number' run nowhere.c --max-steps many
wrong 'linsol = "lu" is none of auto|dense' run nowhere.c --linsol lu
wrong "there is no method 'dorpi5'; did you mean 'dopri5'?" run nowhere.c --method dorpi5
wrong '`costate methods` lists them' run nowhere.c --method xyzzy
wrong "there is no method 'RODAS4'; did you mean 'rodas4'?" run nowhere.c --method RODAS4
for name in RK45 ode45 Dormand-Prince Tsit5; do wrong dopri5 run nowhere.c --method "$name"; done
for name in BDF ode15s CVODE CVODE_BDF IDA DASSL; do wrong 'formulas are bdf here' run nowhere.c --method $name; done
wrong 'and so does auto' run nowhere.c --method LSODA
wrong 'is radau2a here' run nowhere.c --method Radau
wrong 'dopri853 is of order 8' compare "$lv" --among DOP853

# Names and values.
wrong "there is no parameter 'alhpa' in lotka_volterra; did you mean 'alpha'?" run "$lv" --param alhpa=1
wrong "there is no parameter 'qqqqq' in lotka_volterra, but alpha, beta, gamma, delta" run "$lv" --param qqqqq=1
wrong "there is no state 'Prey' in lotka_volterra; did you mean 'prey'?" run "$lv" --y0 Prey=1
wrong "'1.x' is not a finite number" run "$lv" --param alpha=1.x
wrong "'inf' is not a finite number" run "$lv" --param alpha=inf
wrong "'nan' is not a finite number" run "$lv" --t1 nan
wrong "--param takes NAME=VALUE,..., not 'alpha'" run "$lv" --param alpha
wrong 'there is nothing to integrate' run "$lv" --t1 0
wrong 'is outside of the run from 0 to 10' run "$lv" --at 3,11
wrong '--points or --at, not both' run "$lv" --at 3 --points 4
wrong "'1' is not a whole number from 2 on" run "$lv" --points 1
wrong 'computes its initial state from the parameters' run "$own/started.c" --y0 'y[0]=1'
wrong "there is no parameter 'y[0]'" gradient "$own/started.c" --wrt 'y[0]'
wrong "there is no objective 'g[1]'" gradient "$lv" --objective 'g[1]'
wrong 'either --direction' hessian "$lv"
wrong 'either --direction' hessian "$lv" --full --direction alpha=1
wrong "there is no state 'pray' in lotka_volterra; did you mean 'prey'?" run "$lv" --atol pray=1
wrong 'atols[0] = -1 (prey)' run "$lv" --atol prey=-1
wrong "--atol takes NUMBER|NAME=NUMBER,..., not '1e-8'" run "$lv" --atol prey=1e-3 --atol 1e-8
wrong "'--record' is an option of run, tangent" gradient "$lv" --record 0
wrong 'it goes to a thousandth of --rtol' compare "$lv" --rtol 0
wrong '--step leaves no tolerances to compare' compare "$lv" --step 0.1
wrong "'--ensemble' is an option of run, gradient" tangent "$lv" --ensemble sampling.csv
wrong 'threads = "two" is not a whole number' gradient "$lv" --threads two
wrong "there is no method 'dorpi*'; \`costate methods\` lists them" compare "$lv" --among 'dorpi*'
wrong "'--method' is an option of run, gradient, tangent, hessian, check" compare "$lv" --method dopri5
wrong 'cannot be written' run "$lv" -o no/such/folder/out
wrong 'its 600 final states are too many' gradient "$own/sized.c" -DN=600
wrong 'too large for --full' hessian "$own/sized.c" -DN=600 --full --objective 'y[0]'

wrong "'prey' is a state of lotka_volterra: --y0 sets it" run "$lv" --param prey=1
wrong "'alpha' is a parameter of lotka_volterra: --param sets it" run "$lv" --y0 alpha=1
wrong "what is '1.2'? The model is" run "$lv" --param alpha 1.2
wrong 'did you mean --param?' run "$lv" --parameters alpha=1.2
wrong 'options follow the command' -v run "$lv"

# A word of any length is not repeated at any length.
long=$(printf 'x%.0s' {1..100000})
wrong 'xxx ...' run "$lv" --method "$long"; [ "$(wc -c <err)" -lt 4000 ] || fail 'a long word is repeated'
printf 'alpha\n%s\n' "$long" >long.csv
wrong 'long.csv:2:1: ' run "$lv" --ensemble long.csv; [ "$(wc -c <err)" -lt 4000 ] || fail 'a long field is repeated'

# Nor are control characters, or bytes that are no text, given to the terminal.
wrong "no method '\\x1b[31m\\xff'" run "$lv" --method $'\x1b[31m\xff'
printf 'alpha\n\x1b[31m\xff\n' >odd.csv
wrong "odd.csv:2:1: '\\x1b[31m\\xff' is not" run "$lv" --ensemble odd.csv

# Blanks in lists are no mistake.
expect 0 run "$lv" --param 'alpha = 1.2, beta=0.5' --at '1, 2' --format json; mv out blanks
expect 0 run "$lv" --param alpha=1.2,beta=0.5 --at 1,2 --format json
"$PYTHON" -c "
import json
a, b = (json.load(open(f)) for f in ('out', 'blanks'))
assert a['state'] == b['state'] and a['trajectory'] == b['trajectory']" || fail 'blanks make a difference'
expect 0 gradient "$lv" --wrt 'alpha, beta'

# Help is no mistake.
expect 0 --help; narrow; says out 'usage: costate COMMAND'
expect 0 --version; says out 'costate '
for command in run gradient tangent hessian check compare diff methods solvers help; do
    expect 0 help "$command"; narrow; silent err; says out "usage: costate $command"
    mv out first
    expect 0 "$command" --help; cmp -s out first || fail "costate $command --help and costate help $command differ"
done
wrong "there is no command 'fly'" help fly

# A program that is found in $PATH has the plug-ins beside it, too.
unset COSTATE_PLUGIN_DIR
expect 0 solvers; mv out first
(PATH=$(dirname "$COSTATE"):$PATH; costate solvers >out)
cmp -s out first || fail 'it depends on how the program is called which linear solvers there are'

# Every option of the library has its flag.
expect 0 help run
for option in $(sed -n '/^COSTATE_GIVEN/!s/^COSTATE_[A-Z]*(\([a-z0-9_]*\),.*/\1/p' "$SOURCE/include/costate/options.def"); do
    says out "--${option//_/-}"
done
