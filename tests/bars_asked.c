/* bars_asked.c - of the program `bars`: accuracies asked for against those reached, and what bars cost. */
#include "bars_models.h"

#include <time.h>

/* ---- accuracies ----------------------------------------------------------------------------------------------------------- */

static const bars_model asked[] = {
    {"problems/lotka_volterra", NULL, NULL, "dopri853", 0, 0},
    {"problems/duffing", NULL, NULL, "dopri853", 0, 0},
    {"problems/brusselator", NULL, NULL, "dopri853", 0, 0},
    {"problems/logistic", NULL, NULL, "dopri853", 0, 0},
    {"problems/van_der_pol_control", "KNOTS=11", NULL, "dopri853", 0, 0},
    {"examples/models/predator_prey", NULL, NULL, "dopri853", 0, 0},
    {"examples/models/enzyme", NULL, NULL, "radau2a", 0, 0},
    {"problems/hires", NULL, NULL, "radau2a", 0, 0},
    {"problems/robertson_dae", NULL, NULL, "radau2a", 0, 0},
    {"problems/pendulum", NULL, NULL, "radau2a", 0, 0},
    {"examples/models/bead", NULL, NULL, "radau2a", 0, 0},
    {"examples/models/crane", NULL, NULL, "radau2a", 0, 0},
    {"examples/models/rectifier", NULL, NULL, "radau2a", 0, 0},
    {"examples/models/lockdown", NULL, NULL, "dopri853", 0, 0},
    {"tests/harsh/doses", NULL, NULL, "dopri853", 0, 0},
    {"tests/harsh/relay", NULL, NULL, "dopri853", 0, 0},
    {"tests/harsh/bounces", NULL, NULL, "dopri853", 0, 0},
    {"tests/harsh/stiff_relay", NULL, NULL, "radau2a", 0, 0},
};
enum { ASKED = sizeof asked / sizeof *asked, PER_DECADE = 4 };

static double true_error(const subject *q, const answer *a)
{
    const double of_psi = fabs(a->psi - q->truth.psi) / fabs(q->truth.psi);
    return fmax(of_psi, bars_norm(q, a->g, q->truth.g) / bars_norm(q, q->truth.g, NULL));
}

/* The calls of a run with gradient, as attain.c weighs them. */
static double work_of(const costate_stats *c)
{
    return (double)(c->rhs + 2 * (c->jvp + c->vjp) + 10 * c->factor);
}

/* The least work by the method with a tolerance of a grid whose true error is within what is wanted. */
static double by_hand(const subject *q, const char *method, double wanted)
{
    double best = INFINITY;
    for (int k = PER_DECADE; k <= 12 * PER_DECADE; k++) {
        const costate_options o = bars_options(method, pow(10, -(double)k / PER_DECADE));
        costate_solver *s = NULL;
        costate_stats c;
        double weights[1000] = {1}, *y = malloc((2 * q->n + q->np) * sizeof *y);
        answer a = answer_make(q->all);
        memcpy(y, q->about.y0, q->n * sizeof *y);
        double psi[1000];
        int status = costate_create(&s, &q->prob, &o);
        if (!status) status = costate_solve(s, q->about.t0, q->about.t1, q->about.p, y);
        if (!status) status = costate_objectives(s, psi);
        if (!status) status = costate_gradient(s, 1, weights, a.g, a.g + q->n);
        costate_get_stats(s, &c);
        a.psi = psi[0];
        if (!status && true_error(q, &a) <= wanted) best = fmin(best, work_of(&c));
        costate_free(s);
        free(y);
        answer_free(&a);
        if (isfinite(best) && k > PER_DECADE * 11) break;
    }
    return best;
}

typedef struct found {
    costate_accuracy a;
    answer x;
    double work, all;
    int status;
} found;

static void attain(const subject *q, double wanted, found *f)
{
    costate_options o = bars_options("auto", 1e-6);
    o.sensitivities = "adjoint";
    costate_solver *s = NULL;
    costate_stats c;
    const int first = q->prob.init.eval ? (int)q->n : 0; /* variables */
    double weights[1000] = {1}, psi[1000], *y = malloc((q->n + 1) * sizeof *y);
    int *list = malloc(q->all * sizeof *list);
    for (size_t i = 0; i < q->all; i++) list[i] = (int)i + first;
    f->x = answer_make(q->all);
    memcpy(y, q->about.y0, q->n * sizeof *y);
    f->a = (costate_accuracy){.wanted = wanted,
                              .t0 = q->about.t0,
                              .t1 = q->about.t1,
                              .p = q->about.p,
                              .y = y,
                              .w = 1,
                              .count = (int)q->all - first,
                              .variable = list,
                              .weights = weights,
                              .d = f->x.g + first};
    f->status = costate_create(&s, &q->prob, &o);
    if (!f->status) f->status = costate_attain(s, &f->a);
    if (f->status) fprintf(stderr, "%s\n", costate_message(s));
    costate_objectives(s, psi);
    f->x.psi = psi[0];
    costate_get_stats(s, &c);
    f->work = work_of(&c);
    costate_free(s);
    free(list);
    free(y);
}

void print_asked(void)
{
    int cells = 0, kept = 0, dear = 0, refused = 0;
    double dearest = 0;
    printf("\n## Accuracy asked for\n\n| model | asked | method | rtol | bar | true error | calls | by hand | ratio | runs |\n"
           "|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < ASKED; i++) {
        subject q = {0};
        if (subject_open(&q, asked[i].file, asked[i].define, asked[i].best, 0)) continue;
        for (size_t k = q.prob.init.eval ? q.n : 0; k < q.all; k++) /* as attain.c has it */
            if (q.unit[k] == 0) q.unit[k] = 1;
        for (int d = 2; d <= 8; d++) {
            found f = {0};
            const double wanted = pow(10, -d);
            attain(&q, wanted, &f);
            const double error = true_error(&q, &f.x), hand = by_hand(&q, f.a.method, wanted), ratio = f.work / hand;
            printf("| %s | 1e-%d | %s | %.1e | %.1e | %.1e | %.0f | %.0f | %.2g | %d |\n", strrchr(asked[i].file, '/') + 1, d,
                   f.a.method, f.a.rtol, f.a.reached, error, f.work, hand, ratio, f.a.runs);
            fflush(stdout);
            cells++;
            refused += f.status != 0;
            kept += f.status == 0 && error <= wanted;
            dear += f.status == 0 && ratio > 4;
            dearest = fmax(dearest, ratio);
            answer_free(&f.x);
        }
        subject_close(&q);
    }
    printf("\n%d of %d: the true error is within what was asked for; %d refused; %d took more than 4 times the calls of the best "
           "tolerance by hand, at most %.2g times.\n",
           kept, cells, refused, dear, dearest);
}

/* ---- cost ----------------------------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a run with its gradient, and of the bars: the least of many. */
static int seconds(const subject *q, const char *method, const char *adjoint, double *gradient, double *bars)
{
    costate_options o = bars_options(method, 1e-6);
    o.adjoint = adjoint;
    answer a = answer_make(q->all);
    double weights[1000] = {1}, psi_bar[1000], *y = malloc(q->n * sizeof *y);
    costate_solver *s = NULL;
    int status = costate_create(&s, &q->prob, &o);
    const costate_error_bars b = {.of = COSTATE_BARS_GRADIENT,
                                  .w = 1,
                                  .weights = weights,
                                  .psi = psi_bar,
                                  .value = {a.g, a.g + q->n},
                                  .bar = {a.g_bar, a.g_bar + q->n}};
    *gradient = *bars = INFINITY;
    double began = now();
    for (int times = 0; !status && (times < 5 || (now() < began + 0.2 && times < 1000)); times++) {
        memcpy(y, q->about.y0, q->n * sizeof *y);
        const double first = now();
        status = costate_solve(s, q->about.t0, q->about.t1, q->about.p, y);
        if (!status) status = costate_gradient(s, 1, weights, a.g, a.g + q->n);
        const double second = now();
        if (!status) status = costate_bars(s, &b);
        *gradient = fmin(*gradient, second - first);
        *bars = fmin(*bars, now() - second);
    }
    costate_free(s);
    free(y);
    answer_free(&a);
    return status;
}

static int by_what(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* All models that bars are measured on, by their methods; the dearest are named. */
void measure_cost(const bars_model *model, int count, const char *adjoint, cost_table *to)
{
    for (int i = 0; i < count; i++) {
        subject q = {0};
        if (subject_load(&q, model[i].file, model[i].define)) continue;
        for (const char *const *method = model[i].methods; *method; method++) {
            double gradient, bars;
            if (seconds(&q, *method, adjoint, &gradient, &bars) || to->count == COSTS) continue;
            cost *c = &to->at[to->count++];
            *c = (cost){.ratio = bars / gradient, .gradient = gradient, .method = *method, .adjoint = adjoint};
            snprintf(c->model, sizeof c->model, "%s", strrchr(model[i].file, '/') + 1);
        }
        subject_close(&q);
    }
}

void print_costs(cost_table *t)
{
    const int shown = 12;
    int within = 0;
    if (!t->count) return;
    qsort(t->at, (size_t)t->count, sizeof *t->at, by_what);
    for (int i = 0; i < t->count; i++) within += t->at[i].ratio <= 2.2;
    printf("\n## Cost\n\nProcessor time of the bars over that of a run with the gradient of one objective, at 1e-6: %d models "
           "and methods, of which %d take at most 2.2 times the gradient; the median is %.2f. The dearest:\n\n| model | "
           "method | adjoint | gradient, seconds | ratio |\n|---|---|---|---|---|\n",
           t->count, within, t->at[t->count / 2].ratio);
    for (int i = t->count - 1; i >= 0 && i >= t->count - shown; i--)
        printf("| %s | %s | %s | %.2g | %.2f |\n", t->at[i].model, t->at[i].method, t->at[i].adjoint, t->at[i].gradient,
               t->at[i].ratio);
}
