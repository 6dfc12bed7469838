# The certificate holds for every example with the methods that suit it, of which every third takes its turn: implicit methods
# suit all, explicit ones those that dopri5 integrates in a few thousand steps without a word about stiffness. The number decides
# for enzyme.c alone, which takes 13,805 steps and gets no such word; the others that are stiff fail or are told so, and the rest
# takes up to 475. Newton's iteration, where there is one, goes on to 1e-8 tolerances: at default settings what it leaves may be
# more than a slope that is small beside the others of its objective, and the certificate says so (orbit.c with sdirk2b).
. "$SOURCE/tests/cli/lib.sh"

methods() # FAMILY: "explicit", or all the others
{
    "$COSTATE" methods --format csv |
        awk -F, -v explicit="$1" 'NR > 1 && ($2 == "explicit") == (explicit == "explicit") { print $1 }'
}

stiff= turn=0
for model in "$SOURCE"/examples/models/*.c; do
    suited=$(methods implicit) quiet=
    if grep -q '\.mass\|\.residual' "$model"; then # those that a refusal names; initial values are made consistent, which is told
        quiet=-q
        expect 4 check "$model" --method dopri5
        suited=$(sed -n 's/.*those that do are auto, //p' err | tr -d ,)
    fi
    if "$COSTATE" run "$model" --method dopri5 --max-steps 5000 >out 2>err && [ ! -s err ]; then
        suited="$(methods explicit) $suited"
    else stiff="$stiff $(basename "$model" .c)"
    fi
    if grep -q '\.events\|\.timed_events' "$model"; then # bdf does not start anew at them
        expect 4 check "$model" --method bdf
        suited=$(printf '%s\n' $suited | grep -vx bdf)
    fi
    case $model in */lockdown.c) suited=$(printf '%s\n' $suited | grep -vx bdf) ;; esac # which does not hold its condition
    for method in $suited; do
        turn=$((turn + 1))
        [ $((turn % 3)) -eq 0 ] || continue
        case $method in sdirk* | radau* | lobatto* | gauss | bdf) newton='--newton-tol 1e-8' ;; *) newton= ;; esac
        expect 0 check "$model" --method "$method" --rtol 1e-4 $newton $quiet; silent err
    done
done
[ "$stiff" = ' bead cbm4 clipper crane enzyme heat michaelis rectifier relay_circuit' ] || fail "the stiff models are$stiff"

# What is judged is what was named.
expect 0 check "$models/lotka_volterra.c" --wrt beta; says out 'worst of 1 components, beta'
expect 0 check "$models/lotka_volterra.c" --wrt beta,prey; says out 'worst of 2 components, '
expect 1 check "$models/lotka_volterra.c" --wrt betta; silent out; says err "did you mean 'beta'?"

# Slopes that scatter by more noise than was foreseen: upwind differences that change sides all over a grid.
expect 0 check "$SOURCE/problems/shallow_water.c" -q -DM=16 --rtol 1e-4; silent err
grep -q '^products .* known to .* at most' out || fail "the row of products does not say what it is known to"

# After steps of 1e9 the factors are all but singular, and their round-off is that of every tangent and adjoint.
for tolerance in 1e-3 1e-5; do
    expect 0 check "$SOURCE/problems/robertson.c" --method sdirk4a --rtol $tolerance; silent err
done

# States that begin at 0 and end near 1e-22: objectives bend there on a smaller scale than any perturbation, or are nothing to
# their tolerances.
for method in auto rodas4 ros4 radau2a; do
    expect 0 check "$SOURCE/problems/e5.c" --method $method; says out 'not measured'; silent err
done
for arguments in 'rodas4 --rtol 1e-3' 'ros3 --rtol 1e-6' 'rodas3 --rtol 1e-9'; do # where reactants leave 1e-21 of each other
    expect 0 check "$SOURCE/problems/e5.c" -q --method $arguments; says out 'not measured'
done

# What Newton's iteration leaves of its tolerance is no mistake, and is told: more of it makes it go away. Nor is a remainder that
# falls with its first power, as long as it falls out of it at smaller sizes: a mode at the border of stability.
for arguments in 'radau2a --rtol 1e-4' 'sdirk4b --rtol 1e-5'; do
    expect 0 check "$SOURCE/examples/models/rectifier.c" -q --method $arguments; says out 'as newton_tol allows'
done
expect 0 check "$SOURCE/examples/models/enzyme.c" -q --method dopri853 --rtol 1e-3

# Where derivatives are those of a run that is too loose, by orders of magnitude here, that is what is said.
expect 5 check "$SOURCE/problems/van_der_pol.c" --method bdf --rtol 1e-5; says out 'the run is too loose for derivatives'
