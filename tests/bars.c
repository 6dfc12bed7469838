/* bars.c - error bars against true errors, and accuracies asked for against those reached, as Markdown.
 *
 *     bars          docs/error_bars_table.md
 *     bars NAME     of one model or group; `asked` and `cost` are the accuracies and the cost
 *
 * docs/guides/error_bars.md says how to read it. */
#include "bars_models.h"

enum { LOOSEST = 3, TIGHTEST = 9, CELLS = TIGHTEST - LOOSEST + 1 };
static const double least = 0.5, most = 4, never = 0.3; /* bar over error */
static const double known = 20;                         /* an error is known if it is so many times what the truth leaves open */

static const char *const explicit_methods[] = {"rk32", "rk43", "dopri5", "verner65", "dopri853", "bdf", NULL};
static const char *const implicit_methods[] = {"sdirk4b", "radau2a", "rodas4", "bdf", "rodas3", "lobatto3c", NULL};
static const char *const algebraic_methods[] = {"sdirk4b", "radau2a", "rodas4", "bdf", NULL};
static const char *const index2_methods[] = {"radau2a", "bdf", NULL};
static const char *const back_methods[] = {"dopri5", "verner65", "dopri853", "radau2a", "bdf", NULL};
static const char *const event_methods[] = {"rk43", "dopri5", "dopri853", "sdirk4b", "radau2a", "rodas4", "bdf", NULL};
static const char *const stiff_event_methods[] = {"sdirk4b", "radau2a", "rodas4", "bdf", NULL};
static const char *const any_methods[] = {"rk43", "dopri5", "dopri853", "radau2a", "rodas4", "bdf", NULL};

/* Everyday models, by the discrete adjoint. */
static const bars_model ordinary[] = {
    {"problems/lotka_volterra", NULL, explicit_methods, "dopri853", 1, 0},
    {"problems/van_der_pol_control", "KNOTS=11", explicit_methods, "dopri853", 1, 0},
    {"problems/duffing", NULL, explicit_methods, "dopri853", 1, 0},
    {"problems/brusselator", NULL, explicit_methods, "dopri853", 1, 0},
    {"problems/kepler", NULL, explicit_methods, "dopri853", 1, 0},
    {"problems/logistic", NULL, explicit_methods, "dopri853", 1, 0},
    {"examples/models/epidemic", NULL, explicit_methods, "dopri853", 0, 0},
    {"examples/models/orbit", NULL, explicit_methods, "dopri853", 0, 0},
    {"examples/models/predator_prey", NULL, explicit_methods, "dopri853", 0, 0},
    {"problems/van_der_pol_mu", NULL, implicit_methods, "radau2a", 1, 0},
    {"problems/hires", NULL, implicit_methods, "radau2a", 1, 0},
    {"problems/pollu", NULL, implicit_methods, "radau2a", 0, 0},
    {"examples/models/enzyme", NULL, implicit_methods, "radau2a", 0, 0},
    {"examples/models/microbes", NULL, implicit_methods, "radau2a", 0, 0},
    {"problems/linear_index1", NULL, algebraic_methods, "radau2a", 0, 0},
    {"problems/robertson_dae", NULL, algebraic_methods, "radau2a", 0, 0},
    {"problems/pendulum", NULL, index2_methods, "radau2a", 0, 0},
};

/* By the continuous one. */
static const bars_model back[] = {
    {"problems/lotka_volterra", NULL, back_methods, "dopri853", 0, 0},
    {"problems/duffing", NULL, back_methods, "dopri853", 0, 0},
    {"problems/brusselator", NULL, back_methods, "dopri853", 0, 0},
    {"problems/kepler", NULL, back_methods, "dopri853", 0, 0},
    {"problems/logistic", NULL, back_methods, "dopri853", 0, 0},
    {"examples/models/predator_prey", NULL, back_methods, "dopri853", 0, 0},
    {"problems/van_der_pol_mu", NULL, algebraic_methods, "radau2a", 0, 0},
    {"problems/hires", NULL, algebraic_methods, "radau2a", 0, 0},
    {"examples/models/enzyme", NULL, algebraic_methods, "radau2a", 0, 0},
    {"problems/linear_index1", NULL, algebraic_methods, "radau2a", 0, 0},
    {"problems/robertson_dae", NULL, algebraic_methods, "radau2a", 0, 0},
    {"problems/pendulum", NULL, index2_methods, "radau2a", 0, 0},
    {"tests/harsh/lorenz", NULL, back_methods, "dopri853", 0, 2},
    {"tests/harsh/slaved", NULL, algebraic_methods, "radau2a", 0, 2},
};

static const bars_model happening[] = {
    {"examples/models/thermostat", NULL, event_methods, "dopri853", 0, 2},
    {"examples/models/dosing", NULL, event_methods, "dopri853", 0, 2},
    {"examples/models/neuron", NULL, event_methods, "dopri853", 0, 2},
    {"examples/models/lockdown", NULL, event_methods, "dopri853", 0, 0},
    {"tests/harsh/doses", NULL, event_methods, "dopri853", 0, 2},
    {"tests/harsh/relay", NULL, event_methods, "dopri853", 1, 2},
    {"tests/harsh/bounces", NULL, event_methods, "dopri853", 1, 2},
    {"tests/harsh/fires", NULL, event_methods, "dopri853", 0, 2},
    {"tests/harsh/friction", NULL, event_methods, "dopri853", 0, 0},
    {"tests/harsh/backwards", NULL, event_methods, "dopri853", 1, 2},
    {"tests/harsh/stiff_relay", NULL, stiff_event_methods, "radau2a", 0, 0},
    {"tests/harsh/layers", NULL, stiff_event_methods, "radau2a", 0, 2},
};

static const bars_model algebraic[] = {
    {"examples/models/rectifier", NULL, algebraic_methods, "radau2a", 0, 2},
    {"examples/models/clipper", NULL, algebraic_methods, "radau2a", 0, 0},
    {"examples/models/crane", NULL, algebraic_methods, "radau2a", 0, 2},
    {"problems/coupled_slopes", NULL, algebraic_methods, "radau2a", 0, 0},
    {"examples/models/bead", NULL, index2_methods, "radau2a", 0, 3},
    {"problems/linear_index2", NULL, index2_methods, "radau2a", 0, 0},
    {"problems/exponential_index2", NULL, index2_methods, "radau2a", 0, 0},
};

/* Made to break them. */
static const bars_model harsh[] = {
    {"tests/harsh/lorenz", NULL, any_methods, "dopri853", 1, 2},
    {"tests/harsh/offset", NULL, any_methods, "dopri853", 0, 3},
    {"tests/harsh/quiet", NULL, any_methods, "dopri853", 0, 3},
    {"tests/harsh/slaved", NULL, implicit_methods, "radau2a", 0, 2},
    {"tests/harsh/oregonator", NULL, implicit_methods, "radau2a", 0, 3},
    {"tests/harsh/kinks", NULL, any_methods, "dopri853", 0, 0},
    {"tests/harsh/pulse", NULL, any_methods, "dopri853", 0, 0},
    {"tests/harsh/zero", NULL, any_methods, "dopri853", 1, 3},
    {"tests/harsh/chain", NULL, any_methods, "dopri853", 0, 3},
    {"tests/harsh/late", NULL, any_methods, "dopri853", 0, 0},
    {"tests/harsh/sharp", NULL, any_methods, "dopri853", 0, 0},
    {"tests/harsh/traces", NULL, implicit_methods, "radau2a", 0, 2},
};

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
static const struct group {
    const char *title, *adjoint;
    const bars_model *model;
    int count;
} groups[] = {
    {"Everyday models", "discrete", ordinary, COUNT(ordinary)},
    {"Continuous adjoints", "continuous", back, COUNT(back)},
    {"Events and switches", "discrete", happening, COUNT(happening)},
    {"Algebraic equations", "discrete", algebraic, COUNT(algebraic)},
    {"Made to break them", "discrete", harsh, COUNT(harsh)},
};

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
    if (isinf(bar)) return t->unknown++, INFINITY; /* it says itself that nothing is known */
    if (!(error > fmax(known * open, 1e-13 * size))) return t->unknown++, -1;
    add(t, bar / error);
    return bar / error;
}

static void print_tally(const char *what, const tally *t)
{
    printf("| %s | %d | %.1f | %d | %.2g | %.3g | %d |\n", what, t->count, 100.0 * t->within / t->count, t->below, t->lo, t->hi,
           t->unknown);
}

typedef struct tallies {
    tally objectives, gradients, components, hessians;
    int failed;
} tallies;

/* Components: those that count, of at least a thousandth of the largest. */
static void judge_components(const subject *q, const answer *a, tally *t)
{
    const double size = bars_norm(q, q->truth.g, NULL);
    for (size_t i = 0; i < q->all; i++)
        if (q->unit[i] * fabs(q->truth.g[i]) > 1e-3 * size)
            judged(t, q->unit[i] * a->g_bar[i], q->unit[i] * fabs(a->g[i] - q->truth.g[i]), q->g_open, size);
}

static void cell(char text[32], double ratio)
{
    if (ratio < 0) snprintf(text, 32, "-");
    else if (isinf(ratio)) snprintf(text, 32, "?");
    else snprintf(text, 32, ratio < least || ratio > most ? "**%.2g**" : "%.2g", ratio);
}

static void print_cell(const subject *q, const answer *a, int second, tallies *t)
{
    char text[3][32] = {"", "", ""};
    cell(text[0], judged(&t->objectives, a->psi_bar, fabs(a->psi - q->truth.psi), q->psi_open, fabs(q->truth.psi)));
    cell(text[1], judged(&t->gradients, bars_norm(q, a->g_bar, NULL), bars_norm(q, a->g, q->truth.g), q->g_open,
                         bars_norm(q, q->truth.g, NULL)));
    judge_components(q, a, &t->components);
    if (second)
        cell(text[2], judged(&t->hessians, bars_norm(q, a->h_bar, NULL), bars_norm(q, a->h, q->truth.h), q->h_open,
                             bars_norm(q, q->truth.h, NULL)));
    printf(second ? " %s %s %s |" : " %s %s |", text[0], text[1], text[2]);
}

static void print_method(const subject *q, const char *method, const char *adjoint, int second, tallies *t)
{
    printf("| %s |", method);
    for (int d = LOOSEST; d <= TIGHTEST; d++) {
        costate_options o = bars_options(method, pow(10, -d));
        answer a = answer_make(q->all);
        o.adjoint = adjoint;
        answer_fill(q, &o, 1, second, &a);
        if (a.status) {
            fprintf(stderr, "%s, 1e-%d: %s\n", method, d, a.reason);
            printf(" fails |");
            t->failed++;
        } else print_cell(q, &a, second, t);
        answer_free(&a);
    }
    printf("\n");
}

static void print_model(const bars_model *m, const char *adjoint, tallies *t)
{
    subject q = {0};
    if (subject_load(&q, m->file, m->define)) return;
    for (int goal = 0; goal < (m->goals ? m->goals : 1); goal++) {
        if (subject_truth(&q, goal, m->best, m->second)) {
            fprintf(stderr, "%s: %s\n", m->file, q.truth.reason);
            continue;
        }
        printf(m->goals ? "\n#### %s, objective %d\n\n| rtol |" : "\n#### %s\n\n| rtol |", strrchr(m->file, '/') + 1, goal);
        for (int d = LOOSEST; d <= TIGHTEST; d++) printf(" 1e-%d |", d);
        printf("\n|---|");
        for (int d = LOOSEST; d <= TIGHTEST; d++) printf("---|");
        printf("\n");
        for (const char *const *method = m->methods; *method; method++) print_method(&q, *method, adjoint, m->second, t);
        fflush(stdout);
    }
    subject_close(&q);
}

static void print_group(const struct group *g, const char *wanted)
{
    tallies t = {0};
    printf("\n### %s\n", g->title);
    for (int i = 0; i < g->count; i++)
        if (!wanted || strstr(g->model[i].file, wanted) || strstr(g->title, wanted)) print_model(&g->model[i], g->adjoint, &t);
    printf("\n| %s, of | runs | percent in [0.5, 4] | below 0.3 | least | largest | not known |\n|---|---|---|---|---|---|---|\n",
           g->title);
    print_tally("objective", &t.objectives);
    print_tally("gradient, norm", &t.gradients);
    print_tally("gradient, components", &t.components);
    if (t.hessians.count) print_tally("Hessian products, norm", &t.hessians);
    if (t.failed) printf("\n%d runs failed or were refused.\n", t.failed);
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : NULL;
    if (!wanted)
        printf("# Error bars against true errors\n\nWritten by `make bars`; [the guide](guides/error_bars.md) says how "
               "to read it.\n\n## Bar over error\n");
    const int other = wanted && (!strcmp(wanted, "asked") || !strcmp(wanted, "cost"));
    for (int i = 0; i < COUNT(groups) && !other; i++) print_group(&groups[i], wanted);
    if (!wanted || !strcmp(wanted, "asked")) print_asked();
    static cost_table costs;
    for (int i = 0; i < COUNT(groups) && (!wanted || !strcmp(wanted, "cost")); i++)
        measure_cost(groups[i].model, groups[i].count, groups[i].adjoint, &costs);
    print_costs(&costs);
    return 0;
}
