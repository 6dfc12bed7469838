/* generate.c - the order of things in an emitted file:
 *
 *   flags for the compiler, headers, what the user's file defines, const tables, macros,
 *   for each function of the model: itself and its products; pattern and Jacobian of the right-hand side,
 *   the table costate_generated. */
#include "emit/generate.h"

#include "base/arena.h"
#include "base/clean.h"
#include "emit/emit.h"
#include "emit/emit_instances.h"
#include "derive/sparse_jacobian.h"
#include "emit/emit_guards.h"
#include "tree/loops.h"
#include "emit/pattern.h"
#include "emit/emit_products.h"

#include <string.h>

static const struct {
    const char *name;
    int group;
    int system; /* 1: of costate_function it is no member */
} products[] = {
#define AD_PRODUCT(name, group) {#name, group, 0},
#define AD_SYSTEM_PRODUCT(name, group) {#name, group, 1},
#include "emit/products.def"
};
enum { PRODUCTS = sizeof products / sizeof *products };

typedef struct file {
    ad_arena *m;
    const ad_model *model;
    const ad_generate_options *options;
    ad_out *o;
    ad_subject subject[AD_FUNCTIONS]; /* fn NULL: not there */
    int groups;                       /* of products that are wanted */
    int made[AD_FUNCTIONS][PRODUCTS]; /* 1: it is in the file */
    int guards[AD_FUNCTIONS];         /* how many conditions it has */
    int most; /* statements of the largest body */
    int modal; /* 1: the model has events: data points to a costate_modal */
    ad_entries entries;
    ad_watch watch;   /* for options->dump */
    ad_out trees;     /* what it has seen */
    const char *last; /* the last one of them */
} file;

static int product_number(const char *name)
{
    int i = 0;
    while (strcmp(products[i].name, name) != 0) i++;
    return i;
}

/* Conditions that are held have numbers behind the guards, which the user's functions do not know. on_event has its two in
 * one. */
static void number_of(const file *g, ad_subject *s, int two, int one)
{
    const ad_model *model = g->model;
    const char *k = two ? ad_text(g->m, "k %% %d", model->all_events) : "k";
    if (two) s->nth = ad_text(g->m, "k / %d", model->all_events);
    if (two) s->number = k;
    if ((one || two) && model->held)
        s->number = ad_text(g->m, "costate_number(%s, %d, %d)", k, model->events - model->held, model->held);
}

static ad_subject subject(file *g, ad_function which)
{
    const ad_model *model = g->model;
    const ad_function_info *info = &ad_functions[which];
    const int outputs = ad_output_rows(model, which);
    ad_subject s = {.model = model, .objective = !info->system, .modal = g->modal, .most = &g->most,
                    .frequent = info->each == AD_EACH_stage,
                    .piece = g->options->piece, .watch = g->options->dump ? &g->watch : NULL,
                    .nan_check = g->options->nan_check, .rows = {model->states, model->params, outputs, 1}};
    s.name = info->system ? model->name : ad_text(g->m, "%s_%s", model->name, info->name);
    number_of(g, &s, which == AD_FN_on_event, which == AD_FN_reset);
    if (!model->fn[which]) return s;
    ad_fn *fn = ad_fn_copy(g->m, model->fn[which], NULL);
    if (fn->y) fn->y->extent = ad_whole(g->m, model->states);
    if (fn->p) fn->p->extent = ad_whole(g->m, model->params);
    if (fn->out) fn->out->extent = ad_whole(g->m, outputs);
    fn->cut = g->options->cut;
    s.fn = fn;
    return s;
}

/* 1: the product is made of the function. Second derivatives of functions that see the time of an event are for models with
 * events. */
static int has_product(const file *g, ad_function which, const char *product)
{
    const int sees = strcmp(product, "jvp2") == 0 && (which == AD_FN_terminal || which == AD_FN_running);
    return ad_has_product(which, product) || (sees && g->modal);
}

/* 1: this piece is wanted. */
static int is_piece(const file *g, const char *name)
{
    return g->options->piece && strcmp(g->options->piece, name) == 0;
}

/* ---- the head --------------------------------------------------------------------------------------------------------- */

/* 1: the piece is not worth a compiler's time: a pattern is found once or twice, and a product's piece may hold nothing but
 * choices, and the code of functions that are called a few times in a run. */
static int is_light(const file *g)
{
    if (is_piece(g, "pattern")) return 1;
    for (int i = 0; i < PRODUCTS; i++) {
        if (!is_piece(g, products[i].name) || strcmp(products[i].name, "jac") == 0) continue;
        for (int k = 0; k < AD_FUNCTIONS; k++) {
            const ad_subject *s = &g->subject[k];
            if (s->fn && s->frequent && !ad_is_apart(s) && has_product(g, (ad_function)k, products[i].name)) return 0;
        }
        return 1;
    }
    return 0;
}

/* Long straight code is compiled with -Og: what -O1 does beyond takes a third of the time and gains nothing there. */
static void put_head(file *g)
{
    ad_out *o = g->o;
    if (is_light(g)) ad_puts(o, "/* costate-flags: -Og */\n");
    else if (g->most > AD_MANY) ad_put(o, "/* costate-flags: %s-fno-tree-slp-vectorize */\n", g->most > AD_LONG ? "-Og " : "");
    ad_put(o, "/* Derivatives of %s, written by costate diff. Changes belong into that file. */\n",
           ad_clean_name(o->m, g->model->file ? g->model->file : g->model->name));
    ad_puts(o, "#include <math.h>\n");
    if (g->options->nan_check) ad_puts(o, "#include <stdio.h>\n");
    ad_puts(o, "#include <costate/runtime.h>\n\n");
    if (g->model->prelude && *g->model->prelude) ad_put(o, "%s\n\n", g->model->prelude);
    ad_puts(o, "/* Block l_ of row i of x: four lanes. */\n"
               "#define LANES(x, i) (*(costate_v4 *)((x) + (ptrdiff_t)(i) * ld + 4 * l_))\n\n");
    if (g->options->piece) ad_puts(o, "COSTATE_API costate_hook costate_pieces;\n\n");
    if (g->options->nan_check)
        ad_puts(o, "static int not_a_number(const char *file, int line, const char *what)\n{\n"
                   "    static _Thread_local int told;\n"
                   "    if (!told++) fprintf(stderr, \"%s:%d: %s is not a number\\n\", file, line, what);\n"
                   "    return -1;\n}\n\n");
}

/* 1: a function before `last` has this very table, or, with the same name, another one. */
static int told(const file *g, int last, const ad_sym *table, int *other)
{
    *other = 0;
    for (int i = 0; i <= last; i++) {
        const ad_fn *fn = g->subject[i].fn;
        for (int k = 0; fn && k < fn->syms; k++) {
            const ad_sym *s = fn->sym[k];
            if (s == table) return 0;
            if (s->role != AD_CONST || !s->text || strcmp(s->name, table->name) != 0) continue;
            if (strcmp(s->text, table->text) == 0) return 1;
            *other = 1;
        }
    }
    return 0;
}

/* `text` with its first word `from` replaced. */
static const char *renamed(ad_arena *m, const char *text, const char *from, const char *to)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (const char *at = text; (at = strstr(at, from)) != NULL; at++) {
        const char *end = at + strlen(from);
        if ((at == text || !strchr(letters, at[-1])) && (!*end || !strchr(letters, *end)))
            return ad_text(m, "%.*s%s%s", (int)(at - text), text, to, end);
    }
    return text;
}

/* The const tables of all functions. At the level of the file they are called model_table, so that no local hides them. */
static void put_tables(file *g)
{
    for (int i = 0; i < AD_FUNCTIONS; i++) {
        const ad_fn *fn = g->subject[i].fn;
        for (int k = 0; fn && k < fn->syms; k++) {
            ad_sym *s = fn->sym[k];
            if (s->role != AD_CONST || !s->text) continue;
            const char *old = s->name, *plain = s->text;
            int other = 1;
            for (int number = 1; other; number++) {
                s->name = ad_text(g->m, number == 1 ? "%s_%s" : "%s_%s_%d", g->model->name, old, number);
                s->text = renamed(g->m, plain, old, s->name);
                if (told(g, i, s, &other)) break;
                if (!other) ad_put(g->o, "__attribute__((unused)) %s\n", s->text);
            }
        }
    }
    ad_puts(g->o, "\n");
}

/* ---- the Jacobian ----------------------------------------------------------------------------------------------------- */

static void put_ints(ad_out *o, const char *name, const int *value, int count)
{
    ad_put(o, "static const int %s[] = {", name);
    for (int i = 0; i < count; i++) ad_put(o, "%s%d", i == 0 ? "" : i % 24 ? ", " : ",\n    ", value[i]);
    ad_puts(o, "};\n");
}

static void put_jacobian(file *g)
{
    const ad_subject *s = &g->subject[AD_FN_rhs];
    ad_fn *jac = ad_sparse_jacobian(g->m, s->fn, g->model->states, &g->entries);
    if (!jac) return;
    g->made[AD_FN_rhs][product_number("jac")] = 1;
    if (g->entries.colptr && !is_piece(g, "jac")) {
        put_ints(g->o, ad_text(g->m, "%s_colptr", s->name), g->entries.colptr, g->entries.n + 1);
        put_ints(g->o, ad_text(g->m, "%s_rowind", s->name), g->entries.rowind, g->entries.count);
        ad_puts(g->o, "\n");
    }
    ad_subject of = *s;
    of.fn = jac;
    if (is_piece(g, AD_BASE)) ad_put_named_stub(g->o, &of, "jac");
    else ad_put_named(g->o, &of, "jac");
}

/* ---- the table -------------------------------------------------------------------------------------------------------- */

/* The members that a function and its products are in a table; the function itself is called `own`. */
static void put_members(file *g, ad_function which, const char *own)
{
    const char *name = g->subject[which].name;
    if (g->groups & AD_FORWARD) ad_put(g->o, " .%s = %s_%s,", own, name, own);
    for (int i = 0; i < PRODUCTS; i++)
        if (g->made[which][i] && (ad_functions[which].system || !products[i].system))
            ad_put(g->o, " .%s = %s_%s,", products[i].name, name, products[i].name);
}

static int has_members(const file *g, ad_function which)
{
    int count = g->groups & AD_FORWARD;
    for (int i = 0; i < PRODUCTS; i++) count += g->made[which][i];
    return g->subject[which].fn && count;
}

/* A list of the descriptor as a member: values or names. Those of events are longer than the model's where conditions are
 * held. */
static void put_list(file *g, const char *indent, const char *name, const char *kind, int size, const char *text)
{
    const char *type = strcmp(kind, "names") == 0 ? "const char *const" : "const double";
    const int of_events = strncmp(name, "event", 5) == 0 || strcmp(name, "direction") == 0;
    const int longer = of_events && g->model->held + g->model->timed_held > 0;
    if ((g->options->complete || longer) && text) ad_put(g->o, "%s    .%s = (%s[%d]){%s},\n", indent, name, type, size, text);
}

static int goes_with_events(const char *size)
{
    return strstr(size, "events") || strcmp(size, "first_mode") == 0;
}

static void put_problem(file *g)
{
    const ad_model *model = g->model;
    const ad_fn *rhs = model->fn[AD_FN_rhs];
    ad_puts(g->o, "    .problem = {\n       ");
#define COSTATE_SIZE(name, member, meaning) \
    if (g->modal || !goes_with_events(#name)) ad_put(g->o, " ." #member " = %d,", model->name);
#include <costate/model.def>
    ad_put(g->o, " .derived = 1, .autonomous = %d,%s\n", !(rhs->t && ad_uses(rhs->body, rhs->t)),
           model->slopes ? ad_text(g->m, " .slopes = %d,", model->slopes) : "");
    for (int i = 0; i < AD_FUNCTIONS; i++) {
        if (!has_members(g, (ad_function)i)) continue;
        const ad_function_info *info = &ad_functions[i];
        if (info->system) ad_puts(g->o, "       ");
        else ad_put(g->o, "        .%s = {", info->name);
        put_members(g, (ad_function)i, info->system ? info->name : "eval");
        ad_puts(g->o, info->system ? "\n" : "},\n");
        if (!info->system && g->made[i][product_number("jvp2")])
            ad_put(g->o, "        .jvp2_of.%s = %s_jvp2,\n", info->name, g->subject[i].name);
    }
    if (model->next_mode && g->groups & AD_FORWARD) ad_put(g->o, "        .next_mode = %s_next_mode,\n", model->name);
    if (model->held || model->timed_held)
        ad_put(g->o, "        .held = %d, .timed_held = %d,\n", model->held, model->timed_held);
    if (g->made[AD_FN_rhs][product_number("jac")] && g->entries.colptr)
        ad_put(g->o, "        .pattern = {.format = COSTATE_CSC, .colptr = %s_colptr, .rowind = %s_rowind},\n", model->name,
               model->name);
    for (int i = 0; i < AD_FUNCTIONS; i++)
        if (g->guards[i]) ad_put_guards_member(g->o, &g->subject[i], ad_functions[i].name, g->guards[i]);
#define COSTATE_NOMINAL(...)
#define COSTATE_LIST(name, kind, size, ...) put_list(g, "    ", #name, #kind, model->size, model->name);
#include <costate/model.def>
    ad_puts(g->o, "    },\n");
}

/* The whole run that the descriptor describes. */
static void put_nominal(file *g)
{
    const ad_model *model = g->model;
#define COSTATE_LIST(...)
#define COSTATE_NUMBER(name, ...) \
    if (g->options->complete && model->name) ad_put(g->o, "    ." #name " = %s,\n", model->name);
#define COSTATE_WORD(name, ...) \
    if (g->options->complete && model->name) ad_put(g->o, "    ." #name " = %s,\n", model->name);
#define COSTATE_NOMINAL(name, kind, size, ...) put_list(g, "", #name, #kind, model->size, model->name);
#include <costate/model.def>
}

/* What a program calls. */
static void put_offers(file *g)
{
    const char *name = g->model->name;
    ad_put(g->o, "\nCOSTATE_API costate_problem %s_problem(void);\n", name);
    ad_put(g->o, "COSTATE_API costate_options %s_defaults(void);\n", name);
    ad_put(g->o, "COSTATE_API int %s_nominal(double *y0, double *p);\n\n", name);
    ad_put(g->o, "static costate_columns %s_columns;\n\n", name);
    ad_put(g->o, "__attribute__((destructor)) static void %s_forget(void)\n{\n", name);
    ad_put(g->o, "    free(%s_columns.colptr);\n    free(%s_columns.rowind);\n    free(%s_columns.mass);\n}\n\n", name,
           name, name);
    ad_put(g->o, "costate_problem %s_problem(void)\n{\n"
                 "    return costate_generated_problem(&%s_generated, &%s_columns);\n}\n\n", name, name, name);
    ad_put(g->o, "costate_options %s_defaults(void)\n{\n    return costate_generated_defaults(&%s_generated);\n}\n\n", name,
           name);
    ad_put(g->o, "int %s_nominal(double *y0, double *p)\n{\n    return costate_generated_nominal(&%s_generated, y0, p);\n}\n",
           name, name);
}

static void put_table(file *g)
{
    const char *name = g->model->name, *table = ad_text(g->m, "%s_generated", name);
    ad_put(g->o, "COSTATE_API extern const costate_generated %s;\n", table);
    ad_put(g->o, "COSTATE_API const costate_generated %s = {\n", table);
    ad_put(g->o, "    .layout = COSTATE_GENERATED, .model = \"%s\",\n", name);
    if (g->groups & AD_FORWARD && !g->options->piece) ad_put(g->o, "    .pattern = %s_pattern,\n", name); /* else by its name */
    put_problem(g);
    put_nominal(g);
    ad_puts(g->o, "};\n");
    if (g->options->complete) put_offers(g);
}

/* ---- the trees ------------------------------------------------------------------------------------------------------------ */

static void dump(void *context, const ad_plan *plan, const ad_pass *pass, const ad_fn *fn)
{
    file *g = context;
    const char *product = g->options->product;
    if (strcmp(pass->name, g->options->dump) != 0 || (product && strcmp(plan->product, product) != 0)) return;
    const char *text = ad_print_fn(g->m, fn);
    const int same = g->last && strcmp(text, g->last) == 0;
    ad_put(&g->trees, "/* %s, %s, after %s%s */\n", plan->name, plan->lanes ? "several lanes" : "one lane", pass->name,
           same ? ": the same" : "");
    if (!same) ad_put(&g->trees, "%s\n", text);
    g->last = text;
}

/* ---- all of it -------------------------------------------------------------------------------------------------------- */

/* 1: it was made, or a stub for it; 0: there is none; -1: the function cannot be reversed. */
static int put_product(file *g, const ad_subject *s, const char *product)
{
    const int base = is_piece(g, AD_BASE);
    if (strcmp(product, "jac") == 0) return 0; /* behind all functions */
    if (strcmp(product, "vjp_points") == 0) return (base ? ad_put_points_stub : ad_put_points)(g->o, s);
    if (!base) return ad_put_product(g->o, s, product) ? -1 : 1;
    ad_put_product_stub(g->o, s, product);
    return 1;
}

/* 1: it is called at events, where derivatives are those of what happens. */
static int of_events(ad_function which)
{
    static const unsigned char list[AD_FUNCTIONS] = {
#define COSTATE_SYSTEM(...)
#define COSTATE_FUNCTION(...)
#define COSTATE_AT_EVENT(name, ...) [AD_FN_##name] = 1,
#include <costate/model.def>
    };
    return list[which];
}

/* What follows an event: no derivatives, but it may read the user's data. */
static void put_next_mode(file *g)
{
    ad_subject s = {.model = g->model, .fn = g->model->next_mode, .modal = 1};
    number_of(g, &s, 0, 1);
    if (s.fn) ad_put_choice(g->o, &s, ad_text(g->m, "%s_next_mode", g->model->name));
}

static int put_function(file *g, ad_function which)
{
    const ad_subject *s = &g->subject[which];
    if (!s->fn) return 0;
    if (g->groups & AD_FORWARD && (!g->options->piece || is_piece(g, AD_BASE))) {
        ad_put_eval(g->o, s);
        if (!of_events(which)) g->guards[which] = ad_put_guards(g->o, s);
    }
    for (int i = 0; i < PRODUCTS; i++) {
        if (!(g->groups & products[i].group) || !has_product(g, which, products[i].name)) continue;
        g->made[which][i] = put_product(g, s, products[i].name);
        if (g->made[which][i] < 0) return -1;
    }
    return 0;
}

static void open_file(file *g)
{
    g->groups = g->options->piece ? AD_ALL : g->options->products;
    g->modal = g->model->all_events > 0;
    for (int i = 0; i < AD_FUNCTIONS; i++) g->subject[i] = subject(g, (ad_function)i);
    put_tables(g);
    for (int i = 0; i < AD_FUNCTIONS; i++)
        if (g->subject[i].fn) ad_count_statements(g->m, &g->subject[i]);
}

int ad_generate(ad_arena *m, const ad_model *model, const ad_generate_options *options, ad_out *out)
{
    ad_out rest = {.m = m};
    file g = {.m = m, .model = model, .options = options, .o = &rest, .trees = {.m = m}};
    g.watch = (ad_watch){dump, &g};
    const int whole = !options->piece, base = is_piece(&g, AD_BASE), pattern = is_piece(&g, "pattern");
    open_file(&g);
    for (int i = 0; i < AD_FUNCTIONS; i++)
        if (put_function(&g, (ad_function)i)) return -1;
    if (g.groups & AD_FORWARD && (whole || base)) put_next_mode(&g);
    if (g.groups & AD_FORWARD) {
        if (whole || base || is_piece(&g, "jac")) put_jacobian(&g);
        if (pattern) ad_put(&rest, "COSTATE_API costate_pattern_fn %s_pattern;\n", model->name);
        if (whole || pattern)
            ad_put_pattern(&rest, g.subject[AD_FN_rhs].fn, ad_text(m, "%s_pattern", model->name), model->states, model->params,
                           g.modal);
    }
    if (options->dump) {
        ad_puts(out, ad_out_text(&g.trees));
        return 0;
    }
    if (whole || base) put_table(&g);
    g.o = out; /* the head last: the flags depend on what is in the file */
    put_head(&g);
    ad_puts(out, ad_out_text(&rest));
    return 0;
}

/* ---- names of pieces -------------------------------------------------------------------------------------------------- */

typedef struct names {
    ad_arena *m;
    const char **name;
    int count, room;
} names;

static void add_name(void *list, const char *name)
{
    names *x = list;
    if (x->count == x->room) {
        const size_t room = 2 * (size_t)x->room + 32;
        x->name = ad_grow(x->m, x->name, (size_t)x->room * sizeof *x->name, room * sizeof *x->name);
        x->room = (int)room;
    }
    x->name[x->count++] = name;
}

/* Those of one product. */
static int add_product(const file *g, const char *product, names *x)
{
    if (strcmp(product, "jac") == 0) {
        ad_entries entries;
        if (ad_sparse_jacobian(g->m, g->subject[AD_FN_rhs].fn, g->model->states, &entries)) add_name(x, product);
        return 0;
    }
    if (strcmp(product, "vjp_points") == 0) { /* itself it is with vjp */
        ad_list_points(g->m, &g->subject[AD_FN_rhs], add_name, x);
        return 0;
    }
    add_name(x, product);
    for (int i = 0; i < AD_FUNCTIONS; i++)
        if (g->subject[i].fn && has_product(g, (ad_function)i, product) &&
            ad_list_instances(g->m, &g->subject[i], product, add_name, x))
            return -1;
    return 0;
}

int ad_piece_names(ad_arena *m, const ad_model *model, int order, const char ***name)
{
    ad_out none = {.m = m};
    const ad_generate_options options = {.piece = ""};
    file g = {.m = m, .model = model, .options = &options, .o = &none};
    names x = {.m = m};
    const int wanted = AD_FIRST | (order > 1 ? AD_SECOND : 0) | (order > 2 ? AD_THIRD : 0);
    open_file(&g);
    for (int i = 0; i < PRODUCTS; i++)
        if (products[i].group & wanted && add_product(&g, products[i].name, &x)) return -1;
    *name = x.name;
    return x.count;
}
