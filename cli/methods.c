/* methods.c - costate methods: the integration methods and their properties. */
#include "cli.h"
#include "stability.h"

#include <math.h>

static const char *family(const costate_table *t)
{
    switch (t->family) {
    case COSTATE_ERK: return "explicit";
    case COSTATE_SDIRK: return "SDIRK";
    case COSTATE_FIRK: return "implicit";
    case COSTATE_ROS: return "Rosenbrock";
    case COSTATE_BDF: return "BDF";
    }
    return "";
}

static const char *stable(const stability *s)
{
    return s->l ? "L" : s->a ? "A" : "";
}

static void print_table(cli_out *o)
{
    cli_table t;
    const costate_table *m;
    table_open(&t, 6, 1);
    const char *const head[] = {"method", "family", "order", "embedded", "stages", "stability"};
    for (int i = 0; i < 6; i++) table_text(&t, "%s", head[i]);
    for (int i = 0; (m = costate_method(i)); i++) {
        const stability s = stability_of(m);
        table_text(&t, "%s", m->name);
        table_text(&t, "%s", family(m));
        table_text(&t, "%d", m->order);
        if (m->e) table_text(&t, "%d", m->embedded_order);
        else table_text(&t, "none");
        table_text(&t, "%d", m->stages);
        if (*stable(&s)) table_text(&t, "%s-stable", stable(&s));
        else if (isinf(s.real)) table_text(&t, "A(alpha)-stable");
        else table_text(&t, "to %.2f on the real axis", -s.real);
    }
    table_print(&t, o);
    fputs("\nEach has all modes: run, tangent, gradient (adjoint), hessian (second order).\n"
          "auto, the default: dopri5 while that is sound and cheap, rodas4 or radau2a\n"
          "where a model is stiff.\n\n", o->to);
    for (int i = 0; (m = costate_method(i)); i++) {
        cli_bold(o, 1);
        fprintf(o->to, "%s", m->name);
        cli_bold(o, 0);
        fprintf(o->to, "\n    ");
        help_paragraph(o->to, m->source, 4, o->width);
    }
}

static void print_csv(cli_out *o)
{
    const costate_table *m;
    fputs("method,family,order,embedded_order,stages,a_stable,l_stable,real_axis,source\n", o->to);
    for (int i = 0; (m = costate_method(i)); i++) {
        const stability s = stability_of(m);
        fprintf(o->to, "%s,%s,%d,%d,%d,%d,%d,%.6g,", m->name, family(m), m->order, m->e ? m->embedded_order : 0, m->stages, s.a,
                s.l, s.real);
        csv_text(o->to, m->source, 1);
    }
}

static void print_json(cli_out *o)
{
    static const char *const modes[] = {"run", "tangent", "gradient", "hessian"};
    const costate_table *m;
    cli_json j = {.out = o, .fresh = 1};
    json_open(&j, NULL, '{');
    json_open(&j, "methods", '[');
    for (int i = 0; (m = costate_method(i)); i++) {
        const stability s = stability_of(m);
        json_open(&j, NULL, '{');
        json_text(&j, "name", m->name);
        json_text(&j, "family", family(m));
        json_whole(&j, "order", m->order);
        if (m->e) json_whole(&j, "embedded_order", m->embedded_order);
        json_whole(&j, "stages", m->stages);
        json_truth(&j, "a_stable", s.a);
        json_truth(&j, "l_stable", s.l);
        if (isfinite(s.real)) json_number(&j, "real_axis", s.real);
        json_line(&j, "modes", '[');
        for (int k = 0; k < 4; k++) json_text(&j, NULL, modes[k]);
        json_close(&j, ']');
        json_text(&j, "source", m->source);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

int cli_methods(cli_request *r)
{
    cli_out o;
    int code = cli_out_open(&o, r);
    if (!code) (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&o);
    return cli_out_close(&o, code);
}
