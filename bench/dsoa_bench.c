/* dsoa_bench.c - what a Hessian product costs beside a simulation, beside two gradients by adjoints, whose difference gives one
 * too, and with a second direction: the tables of Ozyurt and Barton, SIAM J. Sci. Comput. 26 (2005) 1725.
 *
 *     dsoa_bench problem size method rtol atol reps mean|first [option=value ...]
 *
 * mean: the direction is 1/np in every parameter; first: it is the first parameter, and 1/np the second direction. Simulations
 * record nothing. Every other task runs forward, too: a gradient, a product, one of two directions. The least of the
 * repetitions, which take turns, on one line; `off` is how far the product is from the difference of two gradients. */
#include "generated.h"
#include "own.h"

#include <math.h>

enum { SIMULATION, GRADIENT, PRODUCT, TWO, TASKS };

typedef struct setting {
    costate_model *model;
    costate_model_info about;
    size_t n, np;
    double *y, *p, *weights, *dy, *dp, *pdot, *both; /* both: np x 2 */
} setting;

static setting open_setting(char **argv)
{
    setting x = {.model = generated_open(argv[1], strcmp(argv[2], "-") ? argv[2] : NULL, 2, NULL)};
    const costate_problem *q = costate_model_problem(x.model);
    x.about = costate_model_about(x.model);
    x.n = (size_t)q->n, x.np = (size_t)q->np;
    x.y = bench_alloc(4 * x.n + 6 * x.np + 1, sizeof *x.y);
    x.dy = x.y + x.n; /* n x 2 */
    x.p = x.dy + 2 * x.n;
    x.pdot = x.p + x.np;
    x.both = x.pdot + x.np;
    x.dp = x.both + 2 * x.np; /* np x 2 */
    x.weights = x.dp + 2 * x.np;
    x.weights[0] = 1;
    const int first = argv[7][0] == 'f';
    for (size_t k = 0; k < x.np; k++) {
        const double mean = 1 / (double)x.np;
        x.p[k] = x.about.p[k];
        x.pdot[k] = first ? k == 0 : mean;
        x.both[2 * k] = x.pdot[k];
        x.both[2 * k + 1] = first ? mean : k == 0;
    }
    return x;
}

static costate_solver *make_solver(const setting *x, char **argv, int record)
{
    costate_options o = costate_defaults(argv[3]);
    costate_solver *s = NULL;
    o.rtol = atof(argv[4]), o.atol = atof(argv[5]);
    o.record = record;
    must(s, costate_create(&s, costate_model_problem(x->model), &o));
    for (char **text = argv + 8; *text; text++) own_option(s, *text, "");
    return s;
}

static void simulate(costate_solver *s, const setting *x)
{
    if (x->about.y0) memcpy(x->y, x->about.y0, x->n * sizeof *x->y);
    must(s, costate_solve(s, x->about.t0, x->about.t1, x->p, x->y));
}

static void run(costate_solver *s, const setting *x, int task)
{
    simulate(s, x);
    if (task == GRADIENT) must(s, costate_gradient(s, 1, x->weights, x->dy, x->dp));
    if (task == PRODUCT) must(s, costate_hessian(s, 1, NULL, NULL, x->pdot, NULL, x->dp));
    if (task == TWO) must(s, costate_hessian(s, 2, NULL, NULL, x->both, NULL, x->dp));
}

/* The product less the difference of gradients at p +- eps u, relative to the largest entry. */
static double difference(costate_solver *s, setting *x)
{
    double *product = bench_alloc(2 * x->np, sizeof *product), *up = product + x->np, off = 0, size = 0, most = 0;
    for (size_t k = 0; k < x->np; k++) {
        size = fmax(size, fabs(x->pdot[k]));
        if (x->pdot[k] != 0) most = fmax(most, fabs(x->p[k]));
    }
    const double eps = 1e-3 * most / size;
    size = 0;
    run(s, x, PRODUCT);
    memcpy(product, x->dp, x->np * sizeof *product);
    for (int side = 0; side < 2; side++) {
        for (size_t k = 0; k < x->np; k++) x->p[k] = x->about.p[k] + (side ? -eps : eps) * x->pdot[k];
        run(s, x, GRADIENT);
        if (side == 0) memcpy(up, x->dp, x->np * sizeof *up);
    }
    for (size_t k = 0; k < x->np; k++) {
        off = fmax(off, fabs(product[k] - (up[k] - x->dp[k]) / (2 * eps)));
        size = fmax(size, fabs(product[k]));
        x->p[k] = x->about.p[k];
    }
    free(product);
    return off / size;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"simulation", "gradient", "product", "two"};
    double best[TASKS];
    if (argc < 8) bench_give_up("usage: dsoa_bench problem size|- method rtol atol reps mean|first", "[option=value ...]");
    setting x = open_setting(argv);
    costate_solver *plain = make_solver(&x, argv, 0), *recording = make_solver(&x, argv, 1);
    costate_stats stats;
    const double off = difference(recording, &x);
    for (int k = 0; k < TASKS; k++) best[k] = HUGE_VAL;
    for (int rep = 0; rep < atoi(argv[6]); rep++)
        for (int k = 0; k < TASKS; k++) {
            const double began = bench_now();
            run(k == SIMULATION ? plain : recording, &x, k);
            best[k] = fmin(best[k], bench_now() - began);
        }
    run(recording, &x, PRODUCT);
    must(recording, costate_get_stats(recording, &stats));
    printf("problem=%s size=%s method=%s adjoint=%s rtol=%s n=%zu np=%zu steps=%lld back=%lld off=%.1e", argv[1], argv[2],
           argv[3], stats.adjoint_method[0] ? stats.adjoint_method : "discrete", argv[4], x.n, x.np, (long long)stats.steps,
           (long long)stats.adjoint_steps, off);
    for (int k = 0; k < TASKS; k++) printf(" %s_ms=%.5f", names[k], 1e3 * (best[k] - bench_clock_cost()));
    printf("\n");
    costate_free(plain), costate_free(recording);
    costate_model_close(x.model);
    free(x.y);
    return 0;
}
