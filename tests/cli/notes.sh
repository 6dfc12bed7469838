# Options that have no effect are told of, in the list of warnings too; those that have one are not.
. "$SOURCE/tests/cli/lib.sh"
lv=$models/lotka_volterra.c

noted() # WORDS ARGUMENTS
{
    local words=$1
    shift
    expect 0 "$@"
    says err "warning: $words"
    expect 0 "$@" --quiet
    silent err
}

plain() # ARGUMENTS
{
    expect 0 "$@"
    silent err
}

# Tolerances that numbers cannot hold, or that another one hides.
noted 'rtol = 0: errors are held against atol alone, 1e-9' run "$lv" --rtol 0
noted 'rtol = 1e-20 is below round-off: nothing under 2.2e-14 is sensible' run "$lv" --rtol 1e-20
noted 'errors are held against atol alone, 1e-9, beside which rtol = 1e-13' run "$lv" --rtol 1e-13
plain run "$lv" --rtol 1e-13 --atol 1e-13
plain run "$lv" --rtol 1e-9

# By the method.
for option in 'linsol dense' 'gmres-tol 1e-3' 'gmres-most 50' 'gmres-basis 9'; do
    noted "--${option% *} has no effect: dopri5 is an explicit method" \
        gradient "$lv" --method dopri5 "--${option% *}" "${option#* }"
done
for option in 'newton-tol 1e-3' 'newton-most 5' 'adjoint-solve direct' 'tangent-solve direct' 'sweep-tol 1e-9'; do
    noted "--${option% *} has no effect: rodas4 has no Newton iteration" \
        gradient "$lv" --method rodas4 "--${option% *}" "${option#* }"
done
noted '--estimator has no effect: sdirk4a is not fully implicit' gradient "$lv" --method sdirk4a --estimator sdirk
noted '--gmres-tol has no effect: it is about --linsol gmres' gradient "$lv" --method rodas4 --gmres-tol 1e-3
for option in 'control pi' 'safety 0.8' 'facmin 0.5' 'facmax 2'; do
    noted "--${option% *} has no effect: bdf chooses the size of its steps together with their order" \
        run "$lv" --method bdf "--${option% *}" "${option#* }"
    plain run "$lv" --method rodas4 "--${option% *}" "${option#* }"
done
plain gradient "$lv" --method radau2a --linsol dense --newton-tol 1e-3 --newton-most 12 --adjoint-solve direct --estimator sdirk
plain gradient "$lv" --method rodas4 --linsol gmres --gmres-tol 1e-9
plain compare "$lv" --among dopri5,radau2a --linsol dense --newton-most 12

# By the command.
noted '--memory has no effect: run records no trajectory' run "$lv" --memory 1M
noted '--disk has no effect: tangent records no trajectory' tangent "$lv" --disk 1M
noted '--memory has no effect: gradient --sensitivities tangent records no trajectory' \
    gradient "$lv" --sensitivities tangent --memory 1M
noted '--tangent-control has no effect: gradient --sensitivities adjoint computes no tangents' \
    gradient "$lv" --sensitivities adjoint --tangent-control all
noted '--disk-dir has no effect: without --disk' gradient "$lv" --disk-dir "$root"
noted '--sensitivities has no effect: hessian has one way' hessian "$lv" --full --sensitivities tangent
noted '--threads has no effect: a single run' run "$lv" --threads 2
noted '--lanes has no effect' run "$lv" --lanes 4 --method dopri5
noted '--plot-y has no effect: there is no --plot' run "$lv" --plot-y log
plain gradient "$lv" --memory 1M --disk 1M --disk-dir "$root" --threads 2 --lanes 4 --sensitivities adjoint
plain tangent "$lv" --tangent-control all --threads 2 --lanes 4
plain run "$lv" --record 1 --memory 1M

# Steps of one size.
noted '--rtol has no effect: --step makes all steps of one size' run "$lv" --method dopri5 --step 0.1 --rtol 1e-3
noted '--control has no effect: --step makes all steps of one size' run "$lv" --method sdirk4a --step 0.1 --control pi
plain run "$lv" --method sdirk4a --step 0.1 --rtol 1e-3

expect 0 gradient "$lv" --linsol dense --method dopri5 --format json; valid gradient
python "assert d['warnings'] == ['--linsol has no effect: dopri5 is an explicit method'], d['warnings']"

# Advice that suits the method, and observations that a run would leave out.
expect 4 run "$lv" --method dopri5 --max-steps 9; says err 'use an implicit method if the problem is stiff'
for method in rodas4 sdirk4a radau2a; do
    expect 4 run "$lv" --method $method --max-steps 9; says err 'try: raise max_steps'; lacks err 'implicit method'
done
expect 1 run "$own/observed.c" --t1 2; silent out
says err 'observation time 2 is 3, beyond the end of the run from 0 to 2'
says err 'choose t0 and t1 so that all of them lie between'; lacks err 'sort'
says err 'the model observes from t = 1 to 3'
