/* compare.c - costate compare MODEL.c: work against precision. Every method computes the gradient of the objectives at tolerances
 * from a thousand times to a thousandth of those given; its error is that against a reference, at a millionth if possible,
 *
 *     max over the objectives of |D (g - g_ref)| / |D g_ref|,     D = diag(|x_k|, or 1 where x_k = 0), x = (p, y0)
 *
 * and the work is the time of the run and the sweep back, the least of a few. A method stops at the tolerance that takes it too
 * long. The reference is trusted as far as it agrees with one at ten times its tolerances: its doubt. Of several methods the
 * first is taken whose doubt is small, or the one whose doubt is least; if none of them gets through, one of those compared. */
#include "cli.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 7, REPEATS = 5, STEPS = 20000, REFERENCE_STEPS = 200000 };
static const double enough = 0.05, too_long = 1; /* seconds: of all repeats; of one gradient */
static const double loose = 1e-2, tight = 5e-11; /* errors that people want */
static const double least = 2e-11;               /* rtol: a thousandth of it is what numbers can hold */
static const double small = 1e-3;                /* doubt in a reference, in rtol: the least tolerance that is tried */
static const struct {
    const char *method;
    double factor; /* of the tolerances */
} references[] = {{"dopri853", 1e-6}, {"radau2a", 1e-6}, {"rodas4", 1e-6}, {"radau2a", 1e-5}, {"radau2a", 1e-4}};
enum { REFERENCES = sizeof references / sizeof *references };

typedef struct trial {
    int status;            /* of the library; 1: not tried, since a looser tolerance took too long */
    double error, seconds; /* NaN unless the status is 0 */
    int64_t steps;
} trial;

typedef struct result {
    cli_choice of;
    int variables;       /* np, and n unless init computes the initial values */
    double rtol, atol;   /* as given */
    double *g, *truth, *spare; /* variables x of.count */
    const char *reference;        /* NULL: none */
    double reference_rtol, doubt; /* doubt: the error that it has itself, about; NaN: not known */
    char *failures;               /* of references, a line for each */
    int count;
    const costate_table **method;
    trial (*tried)[LEVELS];
} result;

/* Powers of ten as people write them: 1e-4, not 9.9999999999999991e-05. */
static double tolerance(const result *a, int level)
{
    char text[32];
    snprintf(text, sizeof text, "%.12g", a->rtol * pow(10, 3 - level));
    return strtod(text, NULL);
}

/* ---- one gradient ----------------------------------------------------------------------------------------------------- */

/* A solver with the options of the command line, but this method and tolerances times `factor`. */
static int prepare(cli_session *s, const result *a, const char *method, double factor, int steps, costate_solver **solver)
{
    char rtol[32], atol[32], most[32];
    const int limited = cli_library_given(s->request, "max_steps");
    const double given = limited ? strtod(cli_library_value(s->request, "max_steps"), NULL) : 0;
    snprintf(rtol, sizeof rtol, "%.17g", fmin(a->rtol * factor, 0.5));
    snprintf(atol, sizeof atol, "%.17g", a->atol * factor);
    snprintf(most, sizeof most, "%d", steps);
    for (int i = 0; s->atols && i < s->n; i++) s->atols[i] *= factor;
    int status = cli_solver(s, solver);
    for (int i = 0; s->atols && i < s->n; i++) s->atols[i] /= factor;
    if (!status) status = costate_set(*solver, "rtol", rtol);
    if (!status && !s->atols) status = costate_set(*solver, "atol", atol);
    if (!status && (!limited || (steps == REFERENCE_STEPS && given < steps))) status = costate_set(*solver, "max_steps", most);
    return status ? status : costate_set(*solver, "method", method);
}

static int gradient(cli_session *s, result *a, costate_solver *solver, trial *t)
{
    const size_t n = (size_t)s->n, w = (size_t)a->of.count;
    double *y = cli_take(n, sizeof *y), *dy0 = cli_take(n * w, sizeof *y);
    double *weights = cli_take((size_t)s->objectives * w, sizeof *y);
    costate_stats stats;
    for (size_t l = 0; l < w; l++) weights[(size_t)a->of.pick[l] * w + l] = 1;
    memcpy(y, s->y0, n * sizeof *y);
    int status = costate_solve(solver, s->t0, s->t1, s->p, y);
    if (!status) status = costate_gradient(solver, a->of.count, weights, dy0, a->g);
    const size_t initial = (size_t)(a->variables - s->np);
    if (!status && initial) memcpy(a->g + (size_t)s->np * w, dy0, initial * w * sizeof *y);
    costate_get_stats(solver, &stats);
    t->steps = stats.steps;
    t->seconds = fmin(t->seconds, stats.forward_s + stats.adjoint_s);
    free(y);
    free(dy0);
    free(weights);
    return status;
}

/* Objectives whose gradient is zero do not count. */
static double difference(const cli_session *s, const result *a)
{
    double worst = 0;
    for (int l = 0; l < a->of.count; l++) {
        double defect = 0, size = 0;
        for (int v = 0; v < a->variables; v++) {
            const size_t at = (size_t)v * (size_t)a->of.count + (size_t)l;
            const double x = cli_variable_value(s, v), d = x == 0 ? 1 : x;
            defect = hypot(defect, d * (a->g[at] - a->truth[at]));
            size = hypot(size, d * a->truth[at]);
        }
        if (size > 0) worst = fmax(worst, defect / size);
    }
    return worst;
}

static void try_one(cli_session *s, result *a, const char *method, double factor, int steps, trial *t)
{
    costate_solver *solver = NULL;
    *t = (trial){.seconds = HUGE_VAL, .error = NAN};
    t->status = prepare(s, a, method, factor, steps, &solver);
    double spent = 0;
    for (int k = 0; k < REPEATS && !t->status && spent < enough; k++, spent += t->seconds) t->status = gradient(s, a, solver, t);
    if (t->status) t->seconds = NAN;
    else t->error = difference(s, a);
    costate_free(solver);
}

/* ---- all of them ------------------------------------------------------------------------------------------------------ */

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/* A line for a reference that failed: not all that it said, for several say the same. */
static void note_failure(result *a, const char *method, double rtol, const costate_solver *solver)
{
    char *all = cli_text("%s  %s at %.0e: %s\n", a->failures ? a->failures : "", method, rtol, costate_reason(solver));
    free(a->failures);
    a->failures = all;
}

/* Whatever the method, this would not be computed. */
static int hopeless(const cli_session *s, int status)
{
    const int asked = status > COSTATE_ERR_MEMORY && status != COSTATE_ERR_LINSOL;
    return asked || status == COSTATE_ERR_MEMORY || *costate_model_message(s->model);
}

/* One more reference, which becomes `truth` if there is less doubt about it than about the one before. Exit codes. */
static int try_reference(cli_session *s, result *a, const char *method, double factor)
{
    costate_solver *solver = NULL;
    trial t = {.seconds = HUGE_VAL};
    int status = prepare(s, a, method, factor, REFERENCE_STEPS, &solver), code = EXIT_GOOD;
    if (!status) status = gradient(s, a, solver, &t);
    if (status) note_failure(a, method, a->rtol * factor, solver);
    if (status && hopeless(s, status)) code = cli_failed(s, solver, status);
    costate_free(solver);
    if (status) return code;
    swap(&a->truth, &a->g);
    swap(&a->g, &a->spare);
    try_one(s, a, method, 10 * factor, REFERENCE_STEPS, &t);
    if (a->reference && (isnan(t.error) || t.error >= a->doubt)) { /* no better */
        swap(&a->g, &a->spare);
        swap(&a->truth, &a->g);
        return code;
    }
    a->reference = method;
    a->reference_rtol = a->rtol * factor;
    a->doubt = t.error;
    return code;
}

static int satisfied(const result *a)
{
    return a->reference && a->doubt <= small * a->rtol;
}

/* The tightest of those that are compared. */
static int last_resort(cli_session *s, result *a)
{
    int code = EXIT_GOOD;
    for (int level = LEVELS - 1; !code && level >= 0 && !a->reference; level--)
        for (int i = 0; !code && i < a->count && !a->reference; i++)
            code = try_reference(s, a, a->method[i]->name, tolerance(a, level) / a->rtol);
    return code;
}

static int reference(cli_session *s, result *a)
{
    int code = EXIT_GOOD;
    for (int i = 0; i < REFERENCES && !code && !satisfied(a); i++)
        code = try_reference(s, a, references[i].method, fmax(references[i].factor, 2e-13 / a->rtol));
    char *first = a->failures && !a->reference ? cli_text("%s", a->failures) : NULL;
    if (!code && !a->reference) code = last_resort(s, a);
    if (!code && !a->reference) {
        fprintf(stderr,
                "costate compare: there is nothing to measure errors by: these references failed, and so did every method\n%s"
                "  try: a run that one of them can make, with an earlier --t1, say, or a larger --rtol\n",
                first);
        code = EXIT_SOLVE;
    } else if (!code && first) {
        cli_warn(&s->out, "errors are measured by %s at %.0e, for the references failed:\n%.*s", a->reference, a->reference_rtol,
                 (int)strlen(first) - 1, first);
    }
    if (!code && isnan(a->doubt))
        cli_warn(&s->out, "how good the reference is, %s at %.0e, is not known: it failed at ten times that", a->reference,
                 a->reference_rtol);
    else if (!code && a->doubt > a->rtol)
        cli_warn(&s->out, "the reference, %s at %.0e, is itself in doubt by %.0e: errors below that mean nothing", a->reference,
                 a->reference_rtol, a->doubt);
    free(first);
    return code;
}

/* --among, or all. */
static int choose(const cli_session *s, result *a)
{
    const char *text, *item, *command = s->request->command->name;
    const costate_table *m;
    const int all = !cli_value(s->request, OPT_AMONG), count = costate_method_count();
    int length;
    char *chosen = cli_take((size_t)count, 1), pattern[64];
    memset(chosen, all, (size_t)count);
    for (int at = 0; (text = cli_next(s->request, OPT_AMONG, &at));)
        while ((length = cli_item(&text, &item)) >= 0) {
            int found = 0;
            snprintf(pattern, sizeof pattern, "%.*s", length, item);
            for (int i = 0; (m = costate_method(i)); i++)
                if (!fnmatch(pattern, m->name, 0)) chosen[i] = 1, found = 1;
            if (found) continue;
            free(chosen);
            if (!strpbrk(pattern, "*?[")) return suggest_method(command, pattern);
            return cli_usage(command, "there is no method '%s'; `costate methods` lists them", pattern);
        }
    a->method = cli_take((size_t)count, sizeof *a->method);
    a->tried = cli_take((size_t)count, sizeof *a->tried);
    for (int i = 0; (m = costate_method(i)); i++)
        if (chosen[i] && m->e) a->method[a->count++] = m;
    free(chosen);
    return EXIT_GOOD;
}

/* What took too many steps or too long takes more at a tighter tolerance; what failed otherwise may succeed there. */
static int futile_after(const trial *looser)
{
    return looser->status == 1 || looser->status == COSTATE_ERR_MAX_STEPS || looser->seconds > too_long;
}

static int none_through(const result *a)
{
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < LEVELS; k++)
            if (!a->tried[i][k].status) return 0;
    return 1;
}

static int compare(cli_session *s, result *a)
{
    progress_start(s->request, "comparing");
    const int code = reference(s, a);
    for (int i = 0; !code && i < a->count; i++)
        for (int k = 0; k < LEVELS; k++) {
            if (k == 0) try_one(s, a, a->method[i]->name, tolerance(a, k) / a->rtol, STEPS, &a->tried[i][k]); /* it compiles */
            if (k && futile_after(&a->tried[i][k - 1])) a->tried[i][k] = (trial){.status = 1, .error = NAN, .seconds = NAN};
            else try_one(s, a, a->method[i]->name, tolerance(a, k) / a->rtol, STEPS, &a->tried[i][k]);
        }
    progress_stop();
    if (!code && none_through(a)) cli_warn(&s->out, "none of the methods got through at any of the tolerances");
    return code;
}

/* ---- output ----------------------------------------------------------------------------------------------------------- */

/* The fastest trial with an error of at most this; -1: none. */
static int fastest(const result *a, double error, int *level)
{
    int best = -1;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < LEVELS; k++) {
            const trial *t = &a->tried[i][k];
            if (t->error <= error && (best < 0 || t->seconds < a->tried[best][*level].seconds)) best = i, *level = k;
        }
    return best;
}

static void print_fastest(cli_session *s, const result *a)
{
    cli_table t;
    table_open(&t, 4, 1);
    const char *const head[] = {"error at most", "fastest", "rtol", "ms"};
    for (int k = 0; k < 4; k++) table_text(&t, "%s", head[k]);
    for (double error = loose; error > tight; error /= 100) {
        int level = 0;
        const int i = fastest(a, error, &level);
        if (i < 0) continue;
        table_text(&t, "%.0e", error);
        table_text(&t, "%s", a->method[i]->name);
        table_text(&t, "%.0e", tolerance(a, level));
        table_text(&t, "%.3g", 1e3 * a->tried[i][level].seconds);
    }
    table_print(&t, &s->out);
}

/* A row for each method, a column for each tolerance. */
static void print_grid(cli_session *s, const result *a, int of_errors)
{
    cli_table t;
    fprintf(s->out.to, "\n%s at rtol =\n", of_errors ? "error" : "milliseconds");
    table_open(&t, 1 + LEVELS, 1);
    table_text(&t, "method");
    for (int k = 0; k < LEVELS; k++) table_text(&t, "%.0e", tolerance(a, k));
    for (int i = 0; i < a->count; i++) {
        table_text(&t, "%s", a->method[i]->name);
        for (int k = 0; k < LEVELS; k++) {
            const trial *now = &a->tried[i][k];
            if (now->status) table_text(&t, "%s", "");
            else if (of_errors) table_text(&t, "%.1e", now->error);
            else table_text(&t, "%.3g", 1e3 * now->seconds);
        }
    }
    table_print(&t, &s->out);
}

static void print_table(cli_session *s, const result *a)
{
    cli_bold(&s->out, 1);
    fprintf(s->out.to, "%s", s->about.name);
    cli_bold(&s->out, 0);
    fprintf(s->out.to, ", t = %g .. %g\n\n", s->t0, s->t1);
    print_fastest(s, a);
    print_grid(s, a, 1);
    print_grid(s, a, 0);
    fprintf(s->out.to, "\nerror: relative, of the gradient, against %s at %.0e", a->reference, a->reference_rtol);
    if (!isnan(a->doubt)) fprintf(s->out.to, " (good to %.0e)", a->doubt);
    putc('\n', s->out.to);
    fputs("blank: it failed, or took too many steps, or a looser tolerance took too long\n", s->out.to);
}

static void print_csv(cli_session *s, const result *a)
{
    fputs("method,rtol,status,steps,error,seconds\n", s->out.to);
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < LEVELS; k++) {
            const trial *t = &a->tried[i][k];
            if (t->status == 1) continue;
            fprintf(s->out.to, "%s,%.17g,%d,%lld,", a->method[i]->name, tolerance(a, k), t->status, (long long)t->steps);
            fprintf(s->out.to, t->status ? ",\n" : "%.17g,%.17g\n", t->error, t->seconds);
        }
}

static void print_json(cli_session *s, const result *a)
{
    cli_json j;
    report_begin(s, &j);
    json_line(&j, "reference", '{');
    json_text(&j, "method", a->reference);
    json_number(&j, "rtol", a->reference_rtol);
    json_number(&j, "error", a->doubt);
    json_close(&j, '}');
    json_open(&j, "trials", '[');
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < LEVELS; k++) {
            const trial *t = &a->tried[i][k];
            if (t->status == 1) continue;
            json_line(&j, NULL, '{');
            json_text(&j, "method", a->method[i]->name);
            json_number(&j, "rtol", tolerance(a, k));
            json_whole(&j, "status", t->status);
            json_whole(&j, "steps", t->steps);
            if (!t->status) json_number(&j, "error", t->error);
            if (!t->status) json_number(&j, "seconds", t->seconds);
            json_close(&j, '}');
        }
    json_close(&j, ']');
    report_end(s, &j);
}

/* Curves are sorted by these. */
static const char *family(const costate_table *m)
{
    static const char *const names[] = {[COSTATE_ERK] = "explicit", [COSTATE_ROS] = "Rosenbrock", [COSTATE_SDIRK] = "SDIRK",
                                        [COSTATE_FIRK] = "fully implicit", [COSTATE_BDF] = "BDF"};
    return names[m->family];
}

static int draw(cli_session *s, const result *a)
{
    if (!cli_value(s->request, OPT_PLOT)) return EXIT_GOOD;
    figure_curve *curve = cli_take((size_t)a->count, sizeof *curve);
    double *numbers = cli_take((size_t)a->count * 2 * LEVELS, sizeof *numbers);
    int count = 0;
    for (int i = 0; i < a->count; i++) {
        figure_curve *c = &curve[count];
        double *error = numbers + (size_t)(2 * count++) * LEVELS, *seconds = error + LEVELS;
        *c = (figure_curve){.name = a->method[i]->name, .group = family(a->method[i]), .x = error, .y = seconds};
        for (int k = 0; k < LEVELS; k++) {
            if (a->tried[i][k].status) continue;
            error[c->count] = a->tried[i][k].error;
            seconds[c->count++] = a->tried[i][k].seconds;
        }
    }
    const int code = figure_curves(s, "relative error of the gradient", "seconds", count, curve);
    free(curve);
    free(numbers);
    return code;
}

int cli_compare(cli_request *r)
{
    cli_session s;
    result a = {0};
    int code = cli_session_open(&s, r);
    if (!code && strtod(cli_library_value(r, "step"), NULL) > 0)
        code = cli_usage(r->command->name, "--step leaves no tolerances to compare");
    if (!code && strtod(cli_library_value(r, "rtol"), NULL) < least)
        code = cli_usage(r->command->name, "it goes to a thousandth of --rtol, which is at least %.0e for that", least);
    if (!code) code = cli_choose_objectives(&s, &a.of);
    if (!code) code = choose(&s, &a);
    if (!code) {
        a.variables = cli_variables(&s);
        char text[32];
        a.rtol = strtod(cli_suited(&s, "rtol", text), NULL);
        a.atol = strtod(cli_suited(&s, "atol", text), NULL);
        a.g = cli_take((size_t)a.variables * (size_t)a.of.count, sizeof *a.g);
        a.truth = cli_take((size_t)a.variables * (size_t)a.of.count, sizeof *a.g);
        a.spare = cli_take((size_t)a.variables * (size_t)a.of.count, sizeof *a.g);
        code = compare(&s, &a);
        if (!code) (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&s, &a);
        if (!code) code = draw(&s, &a);
    }
    free(a.of.pick);
    free(a.method);
    free(a.tried);
    free(a.g);
    free(a.truth);
    free(a.spare);
    free(a.failures);
    return cli_session_close(&s, code);
}
