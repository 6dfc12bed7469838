/* bars.c - error bars against true errors, and accuracies asked for against those reached, as Markdown.
 *
 *     bars          docs/error_bars_table.md
 *     bars NAME     of one model
 *
 * docs/guides/error_bars.md says how to read it. */
#include "bars.h"

#include <time.h>

enum { LOOSEST = 3, TIGHTEST = 9, CELLS = TIGHTEST - LOOSEST + 1 };
static const double least = 0.5, most = 4, never = 0.3; /* bar over error */
static const double known = 20;                         /* an error is known if it is so many times what the truth leaves open */

static const char *const explicit_methods[] = {"rk32", "rk43", "dopri5", "verner65", "dopri853", "bdf", NULL};
static const char *const implicit_methods[] = {"sdirk4b", "radau2a", "rodas4", "bdf", "rodas3", "lobatto3c", NULL};
static const char *const algebraic_methods[] = {"sdirk4b", "radau2a", "rodas4", "bdf", NULL};
static const char *const index2_methods[] = {"radau2a", "bdf", NULL};

static const struct model {
    const char *file, *define;
    const char *const *methods;
    const char *best; /* for the truth */
    int second;       /* Hessian products too */
} models[] = {
    {"problems/lotka_volterra", NULL, explicit_methods, "dopri853", 1},
    {"problems/van_der_pol_control", "KNOTS=11", explicit_methods, "dopri853", 1},
    {"problems/duffing", NULL, explicit_methods, "dopri853", 1},
    {"problems/brusselator", NULL, explicit_methods, "dopri853", 1},
    {"problems/kepler", NULL, explicit_methods, "dopri853", 1},
    {"problems/logistic", NULL, explicit_methods, "dopri853", 1},
    {"examples/models/epidemic", NULL, explicit_methods, "dopri853", 0},
    {"examples/models/orbit", NULL, explicit_methods, "dopri853", 0},
    {"examples/models/predator_prey", NULL, explicit_methods, "dopri853", 0},
    {"problems/van_der_pol_mu", NULL, implicit_methods, "radau2a", 1},
    {"problems/hires", NULL, implicit_methods, "radau2a", 1},
    {"problems/pollu", NULL, implicit_methods, "radau2a", 0},
    {"examples/models/enzyme", NULL, implicit_methods, "radau2a", 0},
    {"examples/models/microbes", NULL, implicit_methods, "radau2a", 0},
    {"problems/linear_index1", NULL, algebraic_methods, "radau2a", 0},
    {"problems/robertson_dae", NULL, algebraic_methods, "radau2a", 0},
    {"problems/pendulum", NULL, index2_methods, "radau2a", 0},
};
enum { MODELS = sizeof models / sizeof *models };

/* ---- ratios --------------------------------------------------------------------------------------------------------------- */

typedef struct tally {
    int count, within, below, unknown;
    double lo, hi;
} tally;

static void add(tally *t, double ratio)
{
    if (!t->count++) t->lo = t->hi = ratio;
    t->within += ratio >= least && ratio <= most;
    t->below += !(ratio >= never);
    t->lo = fmin(t->lo, ratio);
    t->hi = fmax(t->hi, ratio);
}

static double judged(tally *t, double bar, double error, double open, double size)
{
    if (!(error > fmax(known * open, 1e-13 * size))) return t->unknown++, -1;
    add(t, bar / error);
    return bar / error;
}

static void print_tally(const char *what, const tally *t)
{
    printf("| %s | %d | %.1f | %d | %.2g | %.3g | %d |\n", what, t->count, 100.0 * t->within / t->count, t->below, t->lo, t->hi,
           t->unknown);
}

static tally objectives, gradients, components, hessians;

/* Components: those that count, of at least a thousandth of the largest. */
static void judge_components(const subject *q, const answer *a)
{
    const double size = bars_norm(q, q->truth.g, NULL);
    for (size_t i = 0; i < q->all; i++)
        if (q->unit[i] * fabs(q->truth.g[i]) > 1e-3 * size)
            judged(&components, q->unit[i] * a->g_bar[i], q->unit[i] * fabs(a->g[i] - q->truth.g[i]), q->g_open, size);
}

static void cell(char text[32], double ratio)
{
    if (ratio < 0) snprintf(text, 32, "-");
    else snprintf(text, 32, ratio < least || ratio > most ? "**%.2g**" : "%.2g", ratio);
}

static void print_method(const subject *q, const char *method, int second)
{
    printf("| %s |", method);
    for (int d = LOOSEST; d <= TIGHTEST; d++) {
        const costate_options o = bars_options(method, pow(10, -d));
        answer a = answer_make(q->all);
        char text[3][32] = {"", "", ""};
        answer_fill(q, &o, 1, second, &a);
        if (a.status) {
            fprintf(stderr, "%s, 1e-%d: %s\n", method, d, a.reason);
            printf(" fails |");
        } else {
            cell(text[0], judged(&objectives, a.psi_bar, fabs(a.psi - q->truth.psi), q->psi_open, fabs(q->truth.psi)));
            cell(text[1], judged(&gradients, bars_norm(q, a.g_bar, NULL), bars_norm(q, a.g, q->truth.g), q->g_open,
                                 bars_norm(q, q->truth.g, NULL)));
            judge_components(q, &a);
            if (second)
                cell(text[2], judged(&hessians, bars_norm(q, a.h_bar, NULL), bars_norm(q, a.h, q->truth.h), q->h_open,
                                     bars_norm(q, q->truth.h, NULL)));
            printf(second ? " %s %s %s |" : " %s %s |", text[0], text[1], text[2]);
        }
        answer_free(&a);
    }
    printf("\n");
}

/* Second orders of Rosenbrock methods are left out: their truth is by another method. */
static void print_model(const struct model *m)
{
    subject q = {0};
    if (subject_open(&q, m->file, m->define, m->best, m->second)) {
        fprintf(stderr, "%s: %s\n", m->file, q.truth.reason);
        return;
    }
    printf("\n### %s\n\n| rtol |", strrchr(m->file, '/') + 1);
    for (int d = LOOSEST; d <= TIGHTEST; d++) printf(" 1e-%d |", d);
    printf("\n|---|");
    for (int d = LOOSEST; d <= TIGHTEST; d++) printf("---|");
    printf("\n");
    for (const char *const *method = m->methods; *method; method++) print_method(&q, *method, m->second);
    fflush(stdout);
    subject_close(&q);
}

/* ---- accuracies ----------------------------------------------------------------------------------------------------------- */

static const struct model asked[] = {
    {"problems/lotka_volterra", NULL, NULL, "dopri853", 0},
    {"problems/duffing", NULL, NULL, "dopri853", 0},
    {"problems/brusselator", NULL, NULL, "dopri853", 0},
    {"problems/logistic", NULL, NULL, "dopri853", 0},
    {"problems/van_der_pol_control", "KNOTS=11", NULL, "dopri853", 0},
    {"examples/models/predator_prey", NULL, NULL, "dopri853", 0},
    {"examples/models/enzyme", NULL, NULL, "radau2a", 0},
    {"problems/hires", NULL, NULL, "radau2a", 0},
    {"problems/robertson_dae", NULL, NULL, "radau2a", 0},
    {"problems/pendulum", NULL, NULL, "radau2a", 0},
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

static void print_asked(void)
{
    int cells = 0, kept = 0, dear = 0, refused = 0;
    double dearest = 0;
    printf("\n## Accuracy asked for\n\n| model | asked | method | rtol | bar | true error | calls | by hand | ratio | runs |\n"
           "|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < ASKED; i++) {
        subject q = {0};
        if (subject_open(&q, asked[i].file, asked[i].define, asked[i].best, 0)) continue;
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

static const struct costed {
    const char *file, *define, *method[4];
} costed[] = {
    {"problems/lotka_volterra", NULL, {"dopri5", "dopri853", "bdf"}},
    {"problems/duffing", NULL, {"dopri5", "radau2a"}},
    {"examples/models/epidemic", NULL, {"dopri5", "bdf"}},
    {"problems/hires", NULL, {"rodas4", "radau2a", "bdf"}},
    {"problems/pollu", NULL, {"rodas4", "radau2a", "bdf"}},
    {"problems/brusselator_1d", "N=200", {"rodas4", "radau2a", "bdf"}},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a run with its gradient, and of the bars: the least of many. */
static int seconds(const subject *q, const char *method, double *gradient, double *bars)
{
    const costate_options o = bars_options(method, 1e-6);
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
    for (int times = 0; !status && (times < 3 || now() < began + 0.4); times++) {
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

static void print_cost(void)
{
    printf("\n## Cost\n\nSeconds of a run with the gradient of one objective at 1e-6, and of its bars, which are two more of "
           "both and what a "
           "solver costs.\n\n| model | method | gradient | bars | ratio |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof costed / sizeof *costed; i++) {
        subject q = {0};
        if (subject_load(&q, costed[i].file, costed[i].define)) continue;
        for (int m = 0; m < 4 && costed[i].method[m]; m++) {
            double gradient, bars;
            if (seconds(&q, costed[i].method[m], &gradient, &bars)) continue;
            printf("| %s | %s | %.2g | %.2g | %.2f |\n", strrchr(costed[i].file, '/') + 1, costed[i].method[m], gradient, bars,
                   bars / gradient);
            fflush(stdout);
        }
        subject_close(&q);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2)
        printf("# Error bars against true errors\n\nWritten by `make bars`; [the guide](guides/error_bars.md) says how "
               "to read it.\n\n## Bar over error\n");
    for (int i = 0; i < MODELS; i++)
        if (argc < 2 || (strstr(models[i].file, argv[1]) || !strcmp(argv[1], "table"))) print_model(&models[i]);
    printf("\n### All of it\n\n| of | runs | percent in [0.5, 4] | below 0.3 | least | largest | not known "
           "|\n|---|---|---|---|---|---|---|\n");
    print_tally("objective", &objectives);
    print_tally("gradient, norm", &gradients);
    print_tally("gradient, components", &components);
    print_tally("Hessian products, norm", &hessians);
    if (argc < 2 || !strcmp(argv[1], "asked")) print_asked();
    if (argc < 2 || !strcmp(argv[1], "cost")) print_cost();
    return 0;
}
