/* check.c - costate check MODEL.c: the certificate. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

static int work(cli_session *s, costate_solver *solver, void *context)
{
    return costate_check(solver, s->t0, s->t1, s->p, s->y0, context);
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
    table_text(&t, "tangent/adjoint identity");
    table_text(&t, "%.1e", c->identity);
    table_text(&t, "at most %.0e", c->tolerance);
    table_text(&t, "worst of %d components, %s", c->components, c->worst_name);
    table_text(&t, "%.1e", c->worst);
    table_text(&t, "at most %.0e", 100 * c->tolerance);
    table_text(&t, "Taylor slope, gradient");
    table_text(&t, "%.2f", c->slope_gradient);
    table_text(&t, "2");
    if (!isnan(c->symmetry)) {
        table_text(&t, "Taylor slope, Hessian");
        table_text(&t, "%.2f", c->slope_hessian);
        table_text(&t, "3");
        table_text(&t, "Hessian symmetry");
        table_text(&t, "%.1e", c->symmetry);
        table_text(&t, "round-off");
    }
    table_print(&t, &s->out);
    if (c->missing[0]) fprintf(s->out.to, "\nthe Jacobian's pattern lacks %s\n", c->missing);
}

static void print_csv(cli_session *s, const costate_certificate *c)
{
    fputs("holds,identity,worst,worst_name,components,slope_gradient,slope_hessian,symmetry,tolerance,missing\n", s->out.to);
    fprintf(s->out.to, "%d,", c->holds);
    csv_number(&s->out, "identity", c->identity, 0);
    csv_number(&s->out, "worst", c->worst, 0);
    csv_text(s->out.to, c->worst_name, 0);
    fprintf(s->out.to, "%d,", c->components);
    csv_number(&s->out, "slope_gradient", c->slope_gradient, 0);
    csv_number(&s->out, "slope_hessian", c->slope_hessian, 0);
    csv_number(&s->out, "symmetry", c->symmetry, 0);
    csv_number(&s->out, "tolerance", c->tolerance, 0);
    csv_text(s->out.to, c->missing, 1);
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
    json_close(&j, '}');
    report_close(s, &j);
}

/* The remainders of Taylor's formula against the size of the perturbation: lines of slope 2 and 3, down to round-off. */
static int draw(cli_session *s, const costate_certificate *c)
{
    char *gradient = cli_text("gradient: slope %.2f", c->slope_gradient);
    char *hessian = cli_text("Hessian: slope %.2f", c->slope_hessian);
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
    costate_certificate c;
    int code = cli_session_open(&s, r);
    if (!code) {
        code = cli_compute(&s, work, &c);
        if (!code || code == EXIT_CHECK)
            (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&s, &c);
        if (!code || code == EXIT_CHECK) {
            const int drawn = draw(&s, &c);
            if (drawn) code = drawn;
        }
        report_note(&s);
    }
    return cli_session_close(&s, code);
}
