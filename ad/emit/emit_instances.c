/* emit_instances.c - see emit_instances.h */
#include "emit/emit_instances.h"

#include "base/arena.h"
#include "emit/emit.h"

#include <string.h>

static const struct width {
    const char *name, *first, *arg, *sizes; /* first, arg: what comes before the other parameters, and arguments */
} widths[AD_WIDTHS] = {
    {"1", "", "", ""}, {"4", "", "", "1, 4"}, {"8", "", "", "2, 8"}, {"any", "const ptrdiff_t ld, ", "ld, ", "1, ld"}};

int ad_rows_of(const ad_subject *s, const char *slot)
{
    return slot[0] == 't' ? 1 : slot[0] == 'y' ? s->rows[0] : slot[0] == 'p' ? s->rows[1] : s->rows[2];
}

int ad_instances_of(ad_arena *m, const ad_subject *s, const ad_plan *plan, ad_instances *x)
{
    *x = (ad_instances){.name = plan->name, .plan = *plan, .fn = ad_derive(m, s->fn, plan)};
    if (!x->fn) return 0;
    x->wide = ad_fn_copy(m, x->fn, NULL);
    ad_shape(m, x->wide, plan);
    const int whole = !ad_emit_is_long(x->wide);
    x->has[AD_ONE] = 1;
    x->has[AD_FOUR] = whole;
    x->has[AD_EIGHT] = whole && ad_size(s->fn->body) <= AD_LARGE;
    x->has[AD_ANY] = !whole || !x->fn->points;
    return 1;
}

const char *ad_instance_name(ad_arena *m, const ad_instances *x, int width)
{
    return ad_text(m, "%s_%s", x->name, widths[width].name);
}

/* Arguments of a call: those with lanes get an ending. */
static void put_args(ad_out *o, const ad_fn *fn, const char *ending)
{
    for (int i = 0; i < fn->params; i++) {
        const ad_sym *s = fn->param[i];
        ad_put(o, "%s%s%s", i ? ", " : "", s->name, s->points ? "_at" : s->lane ? ending : "");
    }
}

static void put_plain_args(ad_out *o, const ad_subject *s, const ad_fn *fn)
{
    (void)s;
    put_args(o, fn, "");
}

/* ---- stubs -------------------------------------------------------------------------------------------------------------- */

/* A pointer that first leads to a function which has the code loaded: a call costs one jump more than a call of the code. */
void ad_put_stub(ad_out *o, const char *linkage, const char *name, const char *params, const char *args, const char *piece)
{
    ad_put(o, "static int %s_load(%s);\nstatic int (*%s_code)(%s) = %s_load;\n", name, params, name, params, name);
    ad_put(o, "%sint %s(%s)\n{\n", linkage, name, params);
    ad_put(o, "    return __atomic_load_n(&%s_code, __ATOMIC_ACQUIRE)(%s);\n}\n", name, args);
    ad_put(o, "static int %s_load(%s)\n{\n", name, params);
    ad_put(o, "    void **code = (void **)&%s_code;\n", name);
    ad_put(o, "    return costate_load(&costate_pieces, code, \"%s\", \"%s\") ? %s(%s) : -1;\n}\n\n", piece, name, name, args);
}

static void put_instance_stub(ad_out *o, const ad_instances *x, int width)
{
    ad_out params = {.m = o->m}, args = {.m = o->m};
    const char *name = ad_instance_name(o->m, x, width);
    ad_puts(&params, widths[width].first);
    ad_emit_params(&params, x->fn, 1);
    ad_puts(&args, widths[width].arg);
    put_args(&args, x->fn, "");
    ad_put_stub(o, "static ", name, ad_out_text(&params), ad_out_text(&args), name);
}

/* ---- code --------------------------------------------------------------------------------------------------------------- */

/* The body that instances for several lanes share. */
static void put_lanes(ad_out *o, const ad_subject *s, const ad_instances *x, const char *linkage)
{
    const int statements = ad_emit_statements(x->wide);
    if (statements > *s->most) *s->most = statements;
    if (x->has[AD_FOUR]) ad_emit_fn(o, x->wide, &(ad_emit){.name = ad_text(o->m, "%s_lanes", x->name), .lanes = 1});
    else ad_emit_fn(o, x->wide, &(ad_emit){.name = ad_instance_name(o->m, x, AD_ANY), .lanes = 1, .linkage = linkage});
}

static int put_one(ad_out *o, const ad_subject *s, const ad_instances *x, const char *linkage)
{
    ad_plan plan = x->plan;
    plan.lanes = 0;
    ad_fn *one = ad_derive(o->m, s->fn, &plan);
    if (!one) return -1;
    ad_shape(o->m, one, &plan);
    ad_emit_fn(o, one, &(ad_emit){.name = ad_instance_name(o->m, x, AD_ONE), .check = s->nan_check, .linkage = linkage});
    return 0;
}

static void put_instance(ad_out *o, const ad_instances *x, int width, const char *linkage)
{
    ad_put(o, "%s int %s(%s", linkage, ad_instance_name(o->m, x, width), widths[width].first);
    ad_emit_params(o, x->fn, 1);
    ad_put(o, ")\n{\n    return %s_lanes(%s, ", x->name, widths[width].sizes);
    put_args(o, x->fn, "");
    ad_puts(o, ");\n}\n\n");
}

int ad_is_apart(const ad_subject *s)
{
    return s->piece && ad_size(s->fn->body) > AD_LARGE;
}

int ad_put_widths(ad_out *o, const ad_subject *s, const ad_instances *x)
{
    const int stubs = ad_is_apart(s);
    if (!stubs && put_one(o, s, x, "static")) return -1;
    if (!stubs) put_lanes(o, s, x, "static");
    for (int i = stubs ? AD_ONE : AD_FOUR; i < AD_WIDTHS; i++)
        if (x->has[i] && stubs) put_instance_stub(o, x, i);
        else if (x->has[i] && x->has[AD_FOUR]) put_instance(o, x, i, "static");
    return 0;
}

int ad_put_alone(ad_out *o, const ad_subject *s, const ad_instances *x)
{
    int width = 0;
    while (width < AD_WIDTHS && (!x->has[width] || strcmp(ad_instance_name(o->m, x, width), s->piece) != 0)) width++;
    if (width == AD_WIDTHS) return 0;
    if (width == AD_ONE) {
        const int statements = ad_emit_statements(x->wide);
        if (statements > *s->most) *s->most = statements;
        return put_one(o, s, x, "COSTATE_API");
    }
    put_lanes(o, s, x, "COSTATE_API");
    if (x->has[AD_FOUR]) put_instance(o, x, width, "COSTATE_API");
    return 0;
}

int ad_wants_alone(const ad_subject *s, const char *name)
{
    const size_t length = strlen(name);
    return s->piece && strncmp(s->piece, name, length) == 0 && s->piece[length] == '_';
}

/* ---- any number of lanes ------------------------------------------------------------------------------------------------ */

/* The last one to three lanes, copied into a block of four. */
static void put_rest(ad_out *o, const ad_subject *s, const ad_fn *fn, const char *name, int cut)
{
    ad_puts(o, "    if (done == lanes) return 0;\n"
               "    const int rest = lanes - done, width = rest == 1 ? 1 : 4;\n"
               "    costate_work *work = costate_work_open();\n"
               "    if (!work) return -1;\n"
               "    const costate_mark mark = costate_scratch_mark(work);\n");
    for (int i = 0; i < fn->params; i++) {
        const ad_sym *x = fn->param[i];
        if (!x->lane) continue;
        const int rows = ad_rows_of(s, ad_slot(fn, x));
        if (x->role == AD_INPUT)
            ad_put(o, "    double *%s_rest = costate_lanes_in(work, %s + done, %d, lanes, rest, width);\n", x->name, x->name,
                   rows);
        else ad_put(o, "    double *%s_rest = costate_scratch_zero(work, (size_t)width * %d);\n", x->name, rows);
        ad_put(o, "    if (!%s_rest) return costate_scratch_back(work, mark, -1);\n", x->name);
    }
    ad_put(o, "    const int status = width == 1 ? %s_1(", name);
    put_args(o, fn, "_rest");
    ad_put(o, ") : %s%s", name, cut ? "_any(4, " : "_4(");
    put_args(o, fn, "_rest");
    ad_puts(o, ");\n");
    for (int i = 0; i < fn->params; i++) {
        const ad_sym *x = fn->param[i];
        if (!x->lane || x->role == AD_INPUT) continue;
        ad_put(o, "    costate_lanes_out(%s + done, %s_rest, %d, lanes, rest, width, %d);\n", x->name, x->name,
               ad_rows_of(s, ad_slot(fn, x)), x->role == AD_SUM);
    }
    ad_puts(o, "    return costate_scratch_back(work, mark, status);\n");
}

void ad_put_by_width(ad_out *o, const ad_subject *s, const ad_instances *x, const char *lanes,
                     void (*args)(ad_out *, const ad_subject *, const ad_fn *))
{
    for (int i = 0; i < AD_ANY; i++) {
        if (!x->has[i]) continue;
        ad_put(o, "    if (%s == %s) return %s(", lanes, widths[i].name, ad_instance_name(o->m, x, i));
        args(o, s, x->fn);
        ad_puts(o, ");\n");
    }
}

int ad_put_variant(ad_out *o, const ad_subject *s, const ad_instances *x)
{
    if (ad_put_widths(o, s, x)) return -1;
    ad_put(o, "static int %s(int lanes, ", x->name);
    ad_emit_params(o, x->fn, 1);
    ad_puts(o, ")\n{\n");
    ad_put_by_width(o, s, x, "lanes", put_plain_args);
    ad_puts(o, "    int done = 0;\n    for (; done + 4 <= lanes; done += 4) {\n");
    ad_put(o, "        const int status = %s_any(lanes, ", x->name);
    put_args(o, x->fn, " + done");
    ad_puts(o, ");\n        if (status) return status;\n    }\n");
    put_rest(o, s, x->fn, x->name, !x->has[AD_FOUR]);
    ad_puts(o, "}\n\n");
    return 0;
}
