/* check.c - costate check MODEL.c: the certificate. */
#include "cli.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct result {
    cli_choice wrt; /* what is judged; none: everything */
    costate_certificate c;
} result;

static int work(cli_session *s, costate_solver *solver, void *context)
{
    result *r = context;
    if (!r->wrt.count) return costate_check(solver, s->t0, s->t1, s->p, s->y0, &r->c);
    int *variable = cli_library_variables(s, &r->wrt);
    const int status = costate_check_some(solver, s->t0, s->t1, s->p, s->y0, r->wrt.count, variable, &r->c);
    free(variable);
    return status;
}

/* ---- table ------------------------------------------------------------------------------------------------------------ */

/* To round-off; by the adjoint equations with what the tolerance leaves. */
static void limited(cli_table *t, const costate_certificate *c, double found, double most)
{
    table_text(t, "%.1e", found);
    if (c->continuous) table_text(t, "falls with rtol");
    else table_text(t, "at most %.0e", most);
}

static void slope(cli_table *t, const char *what, double found, int should, int continuous)
{
    table_text(t, "Taylor slope, %s", what);
    if (isnan(found)) table_text(t, continuous ? "at tolerance" : "not measured");
    else table_text(t, "%.2f", found);
    table_text(t, "%d", should);
}

/* Where differences are behind it, how well they know is part of what was found; and wherever that is why it passes. */
static void measure(cli_table *t, const char *what, const costate_measure *m, int differences)
{
    const int noisy = m->defect > m->most && !m->wrong;
    table_text(t, "%s", what);
    if (isnan(m->defect)) table_text(t, "not measured");
    else if (differences || noisy) table_text(t, "%.1e, known to %.0e", m->defect, fmax(m->noise, 1e-16));
    else table_text(t, "%.1e", m->defect);
    table_text(t, "at most %.0e", m->most);
}

static void tighter(cli_table *t, const costate_certificate *c)
{
    measure(t, "all of that at rtol / 100", &c->tighter, 0);
    table_text(t, "distance from there");
    if (isnan(c->bars.defect)) table_text(t, "not measured");
    else table_text(t, "%.1f error bars", c->bars.defect);
    table_text(t, "at most 3");
}

static void print_table(cli_session *s, const costate_certificate *c)
{
    report_head(s);
    if (s->out.colours) fputs(c->holds ? "\033[32m" : "\033[31m", s->out.to);
    fprintf(s->out.to, "the certificate %s\n\n", c->holds ? "holds" : "DOES NOT HOLD");
    cli_bold(&s->out, 0);
    cli_table t;
    table_open(&t, 3, 1);
    t.group = 2;
    table_text(&t, "what");
    table_text(&t, "found");
    table_text(&t, "should be");
    measure(&t, "products", &c->products, 0);
    measure(&t, "all lanes", &c->lanes, 0);
    table_text(&t, c->continuous ? "adjoint against tangents" : "tangent/adjoint identity");
    limited(&t, c, c->identity, c->tolerance);
    table_text(&t, "worst of %d components, %s", c->components, c->worst_name);
    limited(&t, c, c->worst, 100 * c->tolerance);
    if (c->continuous) tighter(&t, c);
    measure(&t, "differences, same steps", &c->steps, 1);
    measure(&t, "differences, free steps", &c->free_steps, 1);
    slope(&t, "gradient", c->slope_gradient, 2, c->continuous);
    if (!isnan(c->symmetry)) {
        slope(&t, "Hessian", c->slope_hessian, 3, c->continuous);
        table_text(&t, "Hessian symmetry");
        table_text(&t, "%.1e", c->symmetry);
        table_text(&t, c->continuous ? "falls with rtol" : "round-off");
        if (!c->continuous) measure(&t, "Hessian, differences", &c->second, 1);
        else table_text(&t, "Hessian against tangents"), limited(&t, c, c->second.defect, 0);
    }
    table_print(&t, &s->out);
    if (c->remark[0]) fprintf(s->out.to, "\n%s\n", c->remark);
}

/* ---- CSV and JSON ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t at;
} measures[] = {
    {"steps", offsetof(costate_certificate, steps)},       {"free_steps", offsetof(costate_certificate, free_steps)},
    {"second", offsetof(costate_certificate, second)},     {"products", offsetof(costate_certificate, products)},
    {"lanes", offsetof(costate_certificate, lanes)},       {"tighter", offsetof(costate_certificate, tighter)},
    {"bars", offsetof(costate_certificate, bars)},
};
enum { MEASURES = sizeof measures / sizeof *measures, EXACT = MEASURES - 2 }; /* the last are of the adjoint equations */

static const costate_measure *measure_of(const costate_certificate *c, int i)
{
    return (const costate_measure *)(const void *)((const char *)c + measures[i].at);
}

static void print_csv(cli_session *s, const costate_certificate *c)
{
    FILE *to = s->out.to;
    fputs("holds,identity,worst,worst_name,components,slope_gradient,slope_hessian,symmetry,tolerance,missing", to);
    const int count = c->continuous ? MEASURES : EXACT;
    for (int i = 0; i < count; i++) {
        const char *name = measures[i].name;
        fprintf(to, ",%s,%s_noise,%s_most,%s_measured,%s_all,%s_wrong,%s_name", name, name, name, name, name, name, name);
    }
    fprintf(to, ",runs,failed,remark,continuous\n%d,", c->holds);
    csv_number(&s->out, "identity", c->identity, 0);
    csv_number(&s->out, "worst", c->worst, 0);
    csv_text(to, c->worst_name, 0);
    fprintf(to, "%d,", c->components);
    csv_number(&s->out, "slope_gradient", c->slope_gradient, 0);
    csv_number(&s->out, "slope_hessian", c->slope_hessian, 0);
    csv_number(&s->out, "symmetry", c->symmetry, 0);
    csv_number(&s->out, "tolerance", c->tolerance, 0);
    csv_text(to, c->missing, 0);
    for (int i = 0; i < count; i++) {
        const costate_measure *m = measure_of(c, i);
        csv_number(&s->out, "defect", m->defect, 0);
        csv_number(&s->out, "noise", m->noise, 0);
        csv_number(&s->out, "most", m->most, 0);
        fprintf(to, "%d,%d,%d,", m->measured, m->all, m->wrong);
        csv_text(to, m->name, 0);
    }
    fprintf(to, "%d,%d,", c->runs, c->failed);
    csv_text(to, c->remark, 0);
    fprintf(to, "%d\n", c->continuous);
}

static void json_measure(cli_json *j, const char *name, const costate_measure *m)
{
    json_line(j, name, '{');
    json_number(j, "defect", m->defect);
    json_number(j, "noise", m->noise);
    json_number(j, "most", m->most);
    json_whole(j, "measured", m->measured);
    json_whole(j, "all", m->all);
    json_whole(j, "wrong", m->wrong);
    json_text(j, "name", m->name);
    json_close(j, '}');
}

static void print_json(cli_session *s, const costate_certificate *c)
{
    cli_json j;
    report_open(s, &j);
    json_open(&j, "certificate", '{');
    json_truth(&j, "holds", c->holds);
    json_number(&j, "identity", c->identity);
    json_number(&j, "symmetry", c->symmetry);
    json_number(&j, "slope_gradient", c->slope_gradient);
    json_number(&j, "slope_hessian", c->slope_hessian);
    json_number(&j, "worst", c->worst);
    json_text(&j, "worst_name", c->worst_name);
    json_whole(&j, "components", c->components);
    json_text(&j, "missing", c->missing);
    json_number(&j, "tolerance", c->tolerance);
    for (int i = 0; i < MEASURES; i++)
        if (c->continuous || i < EXACT) json_measure(&j, measures[i].name, measure_of(c, i));
    json_whole(&j, "runs", c->runs);
    json_whole(&j, "failed", c->failed);
    json_text(&j, "remark", c->remark);
    json_truth(&j, "continuous", c->continuous);
    json_close(&j, '}');
    report_close(s, &j);
}

static char *slope_label(const char *what, double slope)
{
    return isnan(slope) ? cli_text("%s: slope not measured", what) : cli_text("%s: slope %.2f", what, slope);
}

/* The remainders of Taylor's formula against the size of the perturbation: lines of slope 2 and 3, down to round-off. */
static int draw(cli_session *s, const costate_certificate *c)
{
    char *gradient = slope_label("gradient", c->slope_gradient), *hessian = slope_label("Hessian", c->slope_hessian);
    const figure_curve curve[] = {{gradient, NULL, c->levels, c->eps, c->rest_gradient},
                                  {hessian, NULL, c->levels, c->eps, c->rest_hessian}};
    const int code = figure_curves(s, "relative size of the perturbation", "remainder of Taylor's formula",
                                   isnan(c->symmetry) ? 1 : 2, curve);
    free(gradient);
    free(hessian);
    return code;
}

int cli_check(cli_request *r)
{
    cli_session s;
    result a = {0};
    int code = cli_session_open(&s, r);
    if (!code && cli_value(r, OPT_WRT)) code = cli_choose_variables(&s, 1, &a.wrt);
    if (!code) {
        code = cli_compute(&s, work, &a);
        if (!code || code == EXIT_CHECK)
            (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&s, &a.c);
        if (!code || code == EXIT_CHECK) {
            const int drawn = draw(&s, &a.c);
            if (drawn) code = drawn;
        }
        report_note(&s);
    }
    free(a.wrt.pick);
    return cli_session_close(&s, code);
}
