/* load.c - costate_model: a model file is read, differentiated, compiled and loaded, what is called when it is called. */
#include "load/load.h"

#include "base/clean.h"
#include "derive/held.h"
#include "front/lint.h"
#include "platform/object.h"
#include "shape/passes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    ad_puts(&m->message, ad_clean(m->arena, text));
    return (int)status;
}

int ad_model_trouble(costate_model *m, ad_trouble trouble)
{
    static const costate_model_status status[] = {
        [AD_FINE] = COSTATE_MODEL_OK, [AD_REFUSED] = COSTATE_MODEL_REFUSED, [AD_NOT_C] = COSTATE_MODEL_COMPILE,
        [AD_NO_COMPILER] = COSTATE_MODEL_COMPILER, [AD_NO_ROOM] = COSTATE_MODEL_FOLDER, [AD_OWN_BUG] = COSTATE_MODEL_BUG,
        [AD_STOPPED] = COSTATE_MODEL_STOPPED, [AD_NO_MEMORY] = COSTATE_MODEL_MEMORY};
    return trouble ? ad_model_fail(m, status[trouble], "%s", ad_out_text(&m->build.error)) : COSTATE_MODEL_OK;
}

const char *costate_model_message(const costate_model *m)
{
    return m && !m->no_memory ? ad_out_text(&m->message) : "error: out of memory\n";
}

const char *costate_model_warnings(const costate_model *m)
{
    return m ? ad_out_text(&m->warnings) : "";
}

const char *costate_model_reason(const costate_model *m, int *placed)
{
    static const char unplaced[] = "error: ";
    const char *message = costate_model_message(m);
    *placed = strncmp(message, unplaced, sizeof unplaced - 1) != 0;
    return *placed ? message : message + sizeof unplaced - 1;
}

/* Below a warning are lines of source and advice; its own has the word, behind the place if there is one. */
const char *costate_model_warning(const costate_model *m, int i, int *length)
{
    static const char word[] = "warning: ";
    for (const char *line = costate_model_warnings(m); *line; line += *length + (line[*length] != 0)) {
        *length = (int)strcspn(line, "\n");
        const char *found = strstr(line, word);
        if (found && found < line + *length && i-- == 0) return line;
    }
    return NULL;
}

/* ---- one call at a time ------------------------------------------------------------------------------------------------- */

static void collect_warnings(costate_model *m)
{
    m->warnings.length = 0;
    if (m->manifest.warnings) ad_puts(&m->warnings, ad_clean(m->arena, m->manifest.warnings));
    ad_puts(&m->warnings, ad_clean(m->arena, ad_out_text(&m->build.warnings)));
}

/* Runs one step of work on a model; memory that ends in it ends the step. */
static int guarded(costate_model *m, int (*work)(costate_model *, void *), void *context)
{
    int status;
    pthread_mutex_lock(&m->lock);
    m->message = (ad_out){.m = m->arena};
    m->no_memory = 0;
    if (setjmp(m->escape)) {
        m->no_memory = 1;
        status = COSTATE_MODEL_MEMORY;
    } else {
        status = work(m, context);
        collect_warnings(m);
    }
    ad_build_rest(&m->build);
    pthread_mutex_unlock(&m->lock);
    return status;
}

/* ---- opening ------------------------------------------------------------------------------------------------------------ */

static char *copy(ad_arena *a, const char *text)
{
    return text ? ad_text(a, "%s", text) : NULL;
}

static void keep_options(costate_model *m, const char *file, const costate_model_options *o)
{
    m->file = ad_text(m->arena, "%s%s", *file == '-' || *file == '@' ? "./" : "", file); /* else options to a compiler */
    if (!o) return;
    m->options = *o;
    m->options.compiler = copy(m->arena, o->compiler);
    m->options.flags = copy(m->arena, o->flags);
    m->options.cache = copy(m->arena, o->cache);
    m->options.ahead = copy(m->arena, o->ahead);
    m->options.switches = copy(m->arena, o->switches);
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

/* The text of all derivatives, or of their trees. */
static int write_text(costate_model *m, const opening *o)
{
    const ad_generate_options how = {.products = AD_ALL, .complete = 1, .nan_check = m->options.nan_check, .dump = o->pass,
                                     .product = o->product};
    ad_out text;
    int status = ad_source_open(m, 0);
    if (!status) status = ad_pieces_text(m, &how, &text);
    if (status) return status;
    *o->text = ad_out_text(&text);
    if (!o->kinks) return 0;
    ad_diag *found = ad_diag_open(m->arena);
    ad_lint(m->arena, found, m->tree);
    ad_tell_held(m->arena, found, m->tree, ad_holds_switches(m) ? NULL : "switches are off");
    *o->kinks = ad_clean(m->arena, ad_diag_text(found));
    return 0;
}

/* The table of the model's functions, from the first piece. What will be called is compiled beside it and the user's file, those
 * pieces first that take longest; unless all is in the cache, where it is found when it is called. */
static int load_base(costate_model *m)
{
    const char *name[AD_AHEAD + 1];
    int count = m->start ? ad_ahead(m, name) : 0;
    name[count++] = AD_BASE;
    ad_piece *x;
    int status = ad_pieces_start(m, count, name, &x);
    const int source = ad_source_finish(m);
    if (!status) status = source;
    status = ad_pieces_finish(m, count, x, status);
    if (status) return status;
    const char *symbol = ad_text(m->arena, "%s_generated", m->descriptor->name);
    const costate_generated *g = ad_pieces_find(m, AD_BASE, symbol);
    if (!g || g->layout != COSTATE_GENERATED)
        return ad_model_fail(m, COSTATE_MODEL_BUG, "error: the generated code lacks %s\n", symbol);
    m->functions = *g;
    return ad_model_fill(m);
}

static int need_work(costate_model *m, void *order)
{
    const int wanted = *(const int *)order;
    const char **name;
    int status = wanted > 0 ? ad_source_tree(m) : 0;
    m->lost = 0;
    if (status || wanted <= 0) return status;
    const int count = ad_piece_names(m->arena, m->tree, wanted, &name);
    return ad_pieces_need(m, count > 0 ? count : 0, name);
}

static int open_work(costate_model *m, void *context)
{
    const opening *o = context;
    keep_options(m, o->file, o->options);
    if (o->text) return write_text(m, o);
    int status = ad_source_open(m, 1);
    if (!status) status = load_base(m);
    return status ? status : need_work(m, &m->options.order);
}

static int open_any(costate_model **m, opening *o)
{
    costate_model *made = *m = calloc(1, sizeof **m);
    if (!made) return COSTATE_MODEL_MEMORY;
    made->arena = ad_arena_open(&made->escape, 0);
    if (!made->arena || pthread_mutex_init(&made->lock, NULL)) {
        ad_arena_close(made->arena);
        free(made);
        *m = NULL;
        return COSTATE_MODEL_MEMORY;
    }
    made->build.folder.lock = -1;
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

void costate_model_close(costate_model *m)
{
    if (!m) return;
    for (ad_piece *x = m->pieces; x; x = x->next) platform_object_close(x->unit.handle);
    platform_object_close(m->user.handle);
    for (int i = 0; i < 2; i++) {
        free(m->pattern[i].mass);
        free(m->pattern[i].colptr);
        free(m->pattern[i].rowind);
    }
    pthread_mutex_destroy(&m->lock);
    ad_arena_close(m->arena);
    free(m);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------------- */

typedef struct call {
    const char *piece, *symbol;
    void *code;
} call;

static int call_work(costate_model *m, void *context)
{
    call *x = context;
    const int status = ad_pieces_need(m, 1, &x->piece);
    if (status) return status;
    x->code = ad_pieces_find(m, x->piece, x->symbol);
    return x->code ? 0 : ad_model_fail(m, COSTATE_MODEL_BUG, "error: the generated code lacks %s\n", x->symbol);
}

void *ad_model_call(void *model, const char *piece, const char *symbol)
{
    costate_model *m = model;
    call x = {.piece = piece, .symbol = symbol};
    if (__atomic_load_n(&m->lost, __ATOMIC_RELAXED)) return NULL;
    if (guarded(m, call_work, &x)) __atomic_store_n(&m->lost, 1, __ATOMIC_RELAXED);
    return x.code;
}

int costate_model_need(costate_model *m, int order)
{
    return guarded(m, need_work, &order);
}

/* ---- what is known ------------------------------------------------------------------------------------------------------ */

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
                                .objective_names = d->objective_names.item, .order = AD_ORDERS, .method = d->method,
                                .rtol = d->rtol, .atol = d->atol};
}
