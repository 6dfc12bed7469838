# mechanism.awk - a reaction mechanism as a model file: -v reactions=2000 -v species=500. Every third reaction is of first order
# with a rate that depends on the time through the temperature, the others are of second order; which species react and become
# what is drawn at random, from a fixed seed.

function draw() # a species
{
    seed = (1103515245 * seed + 12345) % 2147483648
    return int(seed / 65536) % species
}

BEGIN {
    seed = 42
    printf "#include <costate/model.h>\n\nstatic void rhs(double t, const double *y, const double *p, double *f)\n{\n    " \
        "double r[%d];\n", reactions
    for (k = 0; k < reactions; k++) {
        i = draw(); j = draw(); to = draw()
        if (k % 3) printf "    r[%d] = p[%d] * y[%d] * y[%d];\n", k, k, i, j
        else printf "    r[%d] = p[%d] * exp(-%d / (300 + t)) * y[%d];\n", k, k, 100 + k % 700, i
        sum[i] = sum[i] " - r[" k "]"
        if (k % 3) sum[j] = sum[j] " - r[" k "]"
        sum[to] = sum[to] " + r[" k "]"
    }
    for (i = 0; i < species; i++) printf "    f[%d] =%s;\n", i, i in sum ? sum[i] : " 0"
    print "}\n\nstatic void defaults(double *p)\n{"
    printf "    for (int k = 0; k < %d; k++) p[k] = 0.1;\n}\n\nstatic void init(const double *p, double *y0)\n{\n", reactions
    printf "    for (int i = 0; i < %d; i++) y0[i] = 1;\n}\n\n", species
    printf "COSTATE_MODEL(mechanism, .states = %d, .params = %d, .t0 = 0, .t1 = 1, .rhs = rhs, .init = init, .defaults = " \
        "defaults)\n", \
        species, reactions
}
