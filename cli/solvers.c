/* solvers.c - costate solvers: the linear solvers of implicit methods. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { FORMATS = 3 };
static const char *const formats[FORMATS] = {[COSTATE_DENSE] = "dense", [COSTATE_BANDED] = "banded", [COSTATE_CSC] = "sparse"};

static int takes(const costate_linsol_info *a, int format)
{
    return a->formats >> format & 1;
}

/* Of not being installed (malloc). */
static char *why(const costate_linsol_info *a)
{
    return cli_text("linear solver \"%s\" is not installed: it needs the Debian package %s when Costate is built", a->name,
                    a->package);
}

static void patterns(const costate_linsol_info *a, char *text, size_t size)
{
    *text = 0;
    for (int f = 0; f < FORMATS; f++) {
        const size_t used = strlen(text);
        if (takes(a, f)) snprintf(text + used, size - used, "%s%s", used ? " " : "", formats[f]);
    }
}

static void print_table(cli_out *o)
{
    cli_table t;
    costate_linsol_info a;
    char text[64];
    table_open(&t, 4, 1);
    table_text(&t, "solver");
    table_text(&t, "installed");
    table_text(&t, "patterns");
    table_text(&t, "what it is");
    for (int i = 0; !costate_linsol(i, &a); i++) {
        patterns(&a, text, sizeof text);
        table_text(&t, "%s", a.name);
        table_text(&t, "%s", a.formats ? "yes" : "no");
        table_text(&t, "%s", text);
        table_text(&t, "%s", a.what);
    }
    table_print(&t, o);
    for (int i = 0; !costate_linsol(i, &a); i++) {
        if (a.formats) continue;
        char *reason = why(&a);
        fprintf(o->to, "\n");
        help_paragraph(o->to, reason, 0, o->width);
        free(reason);
    }
}

static void print_csv(cli_out *o)
{
    costate_linsol_info a;
    char text[64];
    fputs("solver,text,patterns,installed\n", o->to);
    for (int i = 0; !costate_linsol(i, &a); i++) {
        patterns(&a, text, sizeof text);
        csv_text(o->to, a.name, 0);
        csv_text(o->to, a.what, 0);
        csv_text(o->to, text, 0);
        csv_text(o->to, a.formats ? "1" : "0", 1);
    }
}

static void print_json(cli_out *o)
{
    costate_linsol_info a;
    cli_json j = {.out = o, .fresh = 1};
    json_open(&j, NULL, '{');
    json_open(&j, "solvers", '[');
    for (int i = 0; !costate_linsol(i, &a); i++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", a.name);
        json_text(&j, "text", a.what);
        json_truth(&j, "installed", a.formats != 0);
        json_line(&j, "patterns", '[');
        for (int f = 0; f < FORMATS; f++)
            if (takes(&a, f)) json_text(&j, NULL, formats[f]);
        json_close(&j, ']');
        if (!a.formats) {
            char *reason = why(&a);
            json_text(&j, "why", reason);
            free(reason);
        }
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

int cli_solvers(cli_request *r)
{
    cli_out o;
    int code = cli_out_open(&o, r);
    if (!code) (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&o);
    return cli_out_close(&o, code);
}
