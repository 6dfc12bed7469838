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
wrong 'which model?' run
wrong 'one at a time' run a.c b.c
wrong "there is no option '--rotl'; did you mean --rtol?" run "$lv" --rotl 1e-3
wrong "there is no option '-x'" run "$lv" -x
wrong '--points needs a value' run "$lv" --points
wrong '--scaled takes no value' gradient "$lv" --scaled=yes
wrong "'--direction' is an option of hessian" run "$lv" --direction alpha=1
wrong "there is no format 'xml'" run "$lv" --format xml
wrong 'cannot be read' run nowhere.c

# Options of the library are checked before there is a model.
wrong 'rtol = -1 is not in [0, 0.5]' run nowhere.c --rtol -1
wrong 'rtol = -1 is not in [0, 0.5]' run nowhere.c --rtol=-1
wrong 'max_steps = "many" is not a whole number' run nowhere.c --max-steps many
wrong 'linsol = "lu" is none of auto|dense' run nowhere.c --linsol lu
wrong "there is no method 'dorpi5'; did you mean 'dopri5'?" run nowhere.c --method dorpi5
wrong '`costate methods` lists them' run nowhere.c --method xyzzy

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
wrong 'threads = "two" is not a whole number' gradient "$lv" --threads two
wrong "there is no method 'dorpi*'; \`costate methods\` lists them" compare "$lv" --among 'dorpi*'
wrong "'--method' is an option of run, gradient, tangent, hessian, check" compare "$lv" --method dopri5
wrong 'cannot be written' run "$lv" -o no/such/folder/out
wrong 'its 600 final states are too many' gradient "$own/sized.c" -DN=600
wrong 'too large for --full' hessian "$own/sized.c" -DN=600 --full --objective 'y[0]'

# Help is no mistake.
expect 0 --help; narrow; says out 'usage: costate COMMAND'
expect 0 --version; says out 'costate '
for command in run gradient tangent hessian check compare diff methods solvers help; do
    expect 0 help "$command"; narrow; silent err; says out "usage: costate $command"
    mv out first
    expect 0 "$command" --help; cmp -s out first || fail "costate $command --help and costate help $command differ"
done
wrong "there is no command 'fly'" help fly

# Every option of the library has its flag.
expect 0 help run
for option in $(sed -n '/^COSTATE_GIVEN/!s/^COSTATE_[A-Z]*(\([a-z0-9_]*\),.*/\1/p' "$SOURCE/include/costate/options.def"); do
    says out "--${option//_/-}"
done
