/* load.c - costate_model: a model file is read, differentiated, compiled and loaded.
 *
 * The user's file is compiled as it is, for its descriptor, while costate diff reads it. If both find fault with it the
 * compiler has the word: what is not C is not a matter of differentiation. */
#include "load/load.h"

#include "emit/emit.h"
#include "front/front.h"
#include "front/lint.h"
#include "platform/object.h"
#include "shape/passes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- messages --------------------------------------------------------------------------------------------------------- */

int ad_model_fail(costate_model *m, costate_model_status status, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    char *text = ad_take(m->arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    m->message.length = 0;
    ad_puts(&m->message, text);
    return (int)status;
}

static int build_failed(costate_model *m, ad_trouble trouble)
{
    static const costate_model_status status[] = {
        [AD_FINE] = COSTATE_MODEL_OK, [AD_REFUSED] = COSTATE_MODEL_REFUSED, [AD_NOT_C] = COSTATE_MODEL_COMPILE,
        [AD_NO_COMPILER] = COSTATE_MODEL_COMPILER, [AD_NO_ROOM] = COSTATE_MODEL_FOLDER, [AD_OWN_BUG] = COSTATE_MODEL_BUG,
        [AD_STOPPED] = COSTATE_MODEL_STOPPED, [AD_NO_MEMORY] = COSTATE_MODEL_MEMORY};
    return ad_model_fail(m, status[trouble], "%s", ad_out_text(&m->build.error));
}

const char *costate_model_message(const costate_model *m)
{
    return m && !m->no_memory ? ad_out_text(&m->message) : "error: out of memory\n";
}

const char *costate_model_warnings(const costate_model *m)
{
    return m ? ad_out_text(&m->warnings) : "";
}

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

static int readable(costate_model *m)
{
    struct stat about;
    int why = stat(m->file, &about) ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (!why && access(m->file, R_OK)) why = errno;
    return why ? ad_model_fail(m, COSTATE_MODEL_FILE, "error: %s cannot be read: %s\n", m->file, strerror(why)) : 0;
}

static int open_build(costate_model *m)
{
    m->building = 1;
    const costate_model_options *o = &m->options;
    const ad_wishes wishes = {.compiler = o->compiler, .flags = o->flags, .cache = o->cache, .stop = o->stop};
    const ad_trouble trouble = ad_build_open(&m->build, m->arena, &wishes);
    return trouble ? build_failed(m, trouble) : 0;
}

/* The user's file through the preprocessor. */
static int preprocess(costate_model *m)
{
    char *text;
    size_t length;
    const ad_trouble trouble = ad_preprocess(&m->build, m->file, m->options.defines, m->options.define, &text, &length);
    if (trouble) return build_failed(m, trouble);
    m->unit[0] = (ad_unit){.text = text, .length = length, .origin = m->file};
    return 0;
}

static int start_user(costate_model *m)
{
    const ad_trouble trouble = m->unit[0].path ? AD_FINE : ad_unit_start(&m->build, &m->unit[0]);
    return trouble ? build_failed(m, trouble) : 0;
}

static int read_tree(costate_model *m)
{
    const char *folder = m->build.folder.path;
    const ad_front_options front = {.include = folder, .scratch = folder, .compiler = ad_words_join(m->arena, &m->build.compiler),
                                    .defines = m->options.defines, .define = m->options.define};
    m->diag = ad_diag_open(m->arena);
    m->tree = ad_front(m->arena, m->diag, m->file, &front);
    if (m->tree) return 0;
    const int status = start_user(m);
    const ad_trouble trouble = status ? AD_FINE : ad_unit_finish(&m->build, &m->unit[0]);
    if (trouble) return build_failed(m, trouble);
    return status ? status : ad_model_fail(m, COSTATE_MODEL_REFUSED, "%s", ad_diag_text(m->diag));
}

/* What ad_generate writes. */
static int generate(costate_model *m, ad_generate_options how, ad_out *text)
{
    how.nan_check = m->options.nan_check;
    *text = (ad_out){.m = m->arena};
    if (!ad_generate(m->arena, m->tree, &how, text)) return 0;
    return ad_model_fail(m, COSTATE_MODEL_REFUSED,
                         "%s: error: a function reads back an output whose size is not known\n"
                         "  try: compute the value in a local variable, and assign the output from it\n", m->file);
}

/* ---- compiling and loading -------------------------------------------------------------------------------------------- */

/* The pieces that an order adds. */
static int pieces_of(int order)
{
    return order == 1 ? AD_FIRST : order == 2 ? AD_SECOND : AD_THIRD;
}

/* The pieces of an order that are compiled together with piece i: all of them, or, where compiling takes long, each by itself. 0: i is not the first. */
static int together(const costate_model *m, int pieces, int i)
{
    const int lowest = pieces & -pieces;
    if (ad_emit_is_long(m->tree->fn[AD_FN_rhs])) return pieces & 1 << i;
    return 1 << i == lowest ? pieces : 0;
}

static int start_pieces(costate_model *m, int pieces, ad_unit *u)
{
    ad_out text;
    const int status = generate(m, (ad_generate_options){.pieces = pieces}, &text);
    if (status) return status;
    platform_object_close(u->handle);
    *u = (ad_unit){.text = text.text, .length = text.length};
    const ad_trouble trouble = ad_unit_start(&m->build, u);
    return trouble ? build_failed(m, trouble) : 0;
}

/* What a function has in `from` and lacks in `to`. */
static void merge_function(costate_function *to, const costate_function *from)
{
    if (from->eval) to->eval = from->eval;
#define AD_SYSTEM_PRODUCT(...)
#define AD_PRODUCT(name, piece) \
    if (from->name) to->name = from->name;
#include "emit/products.def"
}

static void merge(costate_problem *to, const costate_problem *from)
{
#define AD_PRODUCT(name, piece) \
    if (from->name) to->name = from->name;
#include "emit/products.def"
#define COSTATE_SYSTEM(...)
#define COSTATE_FUNCTION(name, ...) merge_function(&to->name, &from->name);
#include <costate/model.def>
}

static int finish_pieces(costate_model *m, int pieces, ad_unit *u)
{
    const ad_trouble trouble = ad_unit_finish(&m->build, u);
    if (trouble) return build_failed(m, trouble);
    const char *symbol = ad_table_name(m->arena, m->tree->name, pieces);
    const costate_generated *g = platform_object_find(u->handle, symbol);
    if (!g || g->layout != COSTATE_GENERATED)
        return ad_model_fail(m, COSTATE_MODEL_BUG, "error: the generated code lacks %s\n", symbol);
    if (pieces & AD_FORWARD) m->functions = *g;
    else merge(&m->functions.problem, &g->problem);
    return 0;
}

/* Starts or finishes what the orders after `from` up to `to` add. */
static int each_unit(costate_model *m, int from, int to, int (*step)(costate_model *, int, ad_unit *))
{
    int status = 0;
    for (int k = from + 1; !status && k <= to; k++)
        for (int i = 0; !status && i < AD_PIECES; i++) {
            const int pieces = together(m, pieces_of(k), i);
            if (pieces) status = step(m, pieces, &m->unit[1 + i]);
        }
    return status;
}

static int finish_user(costate_model *m)
{
    const ad_trouble trouble = ad_unit_finish(&m->build, &m->unit[0]);
    if (trouble) return build_failed(m, trouble);
    m->descriptor = platform_object_find(m->unit[0].handle, "costate_model_descriptor");
    return m->descriptor ? 0 : ad_model_fail(m, COSTATE_MODEL_BUG, "error: the compiled model has no descriptor\n");
}

/* Orders that are not there up to `order`; all of them are on their way before the first is waited for. */
static int build_orders(costate_model *m, int order)
{
    int status = each_unit(m, m->order, order, start_pieces);
    if (!status && !m->descriptor) status = finish_user(m);
    if (!status) status = each_unit(m, m->order, order, finish_pieces);
    if (status) return status;
    if (order > m->order) m->order = order;
    return ad_model_fill(m);
}

static int whole_order(int order)
{
    return order < 1 ? 1 : order > AD_ORDERS ? AD_ORDERS : order;
}

/* Reads the file; `compile`: its compiler runs meanwhile. */
static int read_model(costate_model *m, int compile)
{
    int status = readable(m);
    if (!status) status = open_build(m);
    if (!status) status = preprocess(m);
    if (!status && compile) status = start_user(m);
    return status ? status : read_tree(m);
}

/* ---- the public functions --------------------------------------------------------------------------------------------- */

/* Ends the build; its warnings are the model's. */
static void close_build(costate_model *m)
{
    if (m->building) ad_build_close(&m->build);
    m->building = 0;
}

static void collect_warnings(costate_model *m)
{
    m->warnings.length = 0;
    if (m->tree) ad_puts(&m->warnings, ad_diag_text(m->diag));
    ad_puts(&m->warnings, ad_out_text(&m->build.warnings));
}

/* Runs one step of work on a model; memory that ends in it ends the step. */
static int guarded(costate_model *m, int (*work)(costate_model *, void *), void *context)
{
    int status;
    m->message = (ad_out){.m = m->arena};
    m->no_memory = 0;
    if (setjmp(m->escape)) {
        m->no_memory = 1;
        status = COSTATE_MODEL_MEMORY;
    } else {
        status = work(m, context);
        collect_warnings(m);
    }
    close_build(m);
    return status;
}

static char *copy(ad_arena *a, const char *text)
{
    return text ? ad_text(a, "%s", text) : NULL;
}

static void keep_options(costate_model *m, const char *file, const costate_model_options *o)
{
    m->file = ad_text(m->arena, "%s%s", *file == '-' ? "./" : "", file);
    if (!o) return;
    m->options = *o;
    m->options.compiler = copy(m->arena, o->compiler);
    m->options.flags = copy(m->arena, o->flags);
    m->options.cache = copy(m->arena, o->cache);
    const char **define = ad_take(m->arena, ((size_t)o->defines + 1) * sizeof *define);
    for (int i = 0; i < o->defines; i++) define[i] = copy(m->arena, o->define[i]);
    m->options.define = define;
}

typedef struct opening {
    const char *file;
    const costate_model_options *options;
    const char **text, **kinks; /* NULL: not wanted */
    const char *pass, *product; /* text: of the trees after a pass; NULL: of the C */
} opening;

static int write_text(costate_model *m, const opening *o)
{
    ad_out text;
    int status = read_model(m, 0);
    const ad_generate_options how = {.pieces = (1 << AD_PIECES) - 1, .complete = 1, .dump = o->pass, .product = o->product};
    if (!status) status = generate(m, how, &text);
    if (status) return status;
    *o->text = ad_out_text(&text);
    if (!o->kinks) return 0;
    ad_diag *found = ad_diag_open(m->arena);
    ad_lint(m->arena, found, m->tree);
    *o->kinks = ad_diag_text(found);
    return 0;
}

static int open_work(costate_model *m, void *context)
{
    const opening *o = context;
    keep_options(m, o->file, o->options);
    if (o->text) return write_text(m, o);
    const int status = read_model(m, 1);
    return status ? status : build_orders(m, whole_order(m->options.order));
}

static int open_any(costate_model **m, opening *o)
{
    costate_model *made = *m = calloc(1, sizeof **m);
    if (!made) return COSTATE_MODEL_MEMORY;
    made->arena = ad_arena_open(&made->escape, 0);
    if (!made->arena) {
        free(made);
        *m = NULL;
        return COSTATE_MODEL_MEMORY;
    }
    made->message.m = made->warnings.m = made->build.warnings.m = made->arena;
    return guarded(made, open_work, o);
}

int costate_model_open(costate_model **m, const char *file, const costate_model_options *options)
{
    return open_any(m, &(opening){.file = file, .options = options});
}

int costate_diff(costate_model **m, const char *file, const costate_model_options *options, const char **text, const char **kinks)
{
    *text = NULL;
    if (kinks) *kinks = NULL;
    return open_any(m, &(opening){.file = file, .options = options, .text = text, .kinks = kinks});
}

int costate_dump(costate_model **m, const char *file, const costate_model_options *options, const char *pass, const char *product,
                 const char **text)
{
    *text = NULL;
    return open_any(m, &(opening){.file = file, .options = options, .text = text, .pass = pass, .product = product});
}

const char *costate_pass(int number, const char **about)
{
    int count;
    const ad_pass *pass = ad_passes(&count);
    if (number < 0 || number >= count) return NULL;
    *about = pass[number].about;
    return pass[number].name;
}

static int need_work(costate_model *m, void *order)
{
    const int status = open_build(m);
    return status ? status : build_orders(m, *(int *)order);
}

int costate_model_need(costate_model *m, int order)
{
    order = whole_order(order);
    return order <= m->order ? COSTATE_MODEL_OK : guarded(m, need_work, &order);
}

static int pattern_work(costate_model *m, void *of_params)
{
    return ad_compress_pattern(m, *(int *)of_params);
}

int costate_model_pattern(costate_model *m, int of_params, const int **colptr, const int **rowind)
{
    of_params = !!of_params;
    const int status = guarded(m, pattern_work, &of_params);
    *colptr = m->pattern[of_params].colptr, *rowind = m->pattern[of_params].rowind;
    return status;
}

const costate_problem *costate_model_problem(const costate_model *m)
{
    return &m->problem;
}

costate_model_info costate_model_about(const costate_model *m)
{
    const costate_descriptor *d = m->descriptor;
    return (costate_model_info){.name = d->name, .t0 = d->t0, .t1 = d->t1, .y0 = m->y0, .p = m->p,
                                .objective_names = d->objective_names.item, .order = m->order};
}

void costate_model_close(costate_model *m)
{
    if (!m) return;
    close_build(m);
    for (int i = 0; i <= AD_PIECES; i++)
        platform_object_close(m->unit[i].handle);
    for (int i = 0; i < 2; i++) {
        free(m->pattern[i].colptr);
        free(m->pattern[i].rowind);
    }
    ad_arena_close(m->arena);
    free(m);
}
