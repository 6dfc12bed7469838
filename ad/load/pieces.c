/* pieces.c - the code of a model in pieces, which are compiled when they are first needed, or taken from the cache. */
#include "load/load.h"

#include "load/cache.h"
#include "platform/object.h"

#include <string.h>

int ad_pieces_text(costate_model *m, const ad_generate_options *how, ad_out *text)
{
    const int status = ad_source_tree(m);
    if (status) return status;
    *text = (ad_out){.m = m->arena};
    if (!ad_generate(m->arena, m->tree, how, text)) return 0;
    return ad_model_fail(m, COSTATE_MODEL_REFUSED,
                         "%s: error: a function reads back an output whose size is not known\n"
                         "  try: compute the value in a local variable, and assign the output from it\n", m->file);
}

static ad_piece *loaded(const costate_model *m, const char *name)
{
    ad_piece *x = m->pieces;
    while (x && strcmp(x->name, name)) x = x->next;
    return x;
}

static char *entry(const costate_model *m, const char *name)
{
    ad_hash h;
    ad_hash_start(&h);
    ad_hash_field(&h, name);
    ad_hash_bytes(&h, &m->key, sizeof m->key);
    return m->build.cache ? ad_cache_entry(m->arena, m->build.cache, ad_hash_end(&h), PLATFORM_OBJECT) : NULL;
}

/* 1: the text has what the piece is for; those that are asked for on a guess need not exist. */
static int is_there(const costate_model *m, const char *name, const ad_out *text)
{
    const char *symbol = strcmp(name, "jac") == 0 ? ad_text(m->arena, "%s_jac(", m->tree->name) : ad_text(m->arena, "%s(", name);
    const int of_all = strcmp(name, "jac") != 0 && strncmp(name, m->tree->name, strlen(m->tree->name)) != 0;
    return of_all || strstr(ad_out_text(text), symbol) != NULL;
}

static int start(costate_model *m, ad_piece *x)
{
    x->unit.entry = entry(m, x->name);
    if (ad_unit_recall(&m->build, &x->unit)) return 0;
    const ad_generate_options how = {.piece = x->name, .nan_check = m->options.nan_check};
    ad_out text;
    const int status = ad_pieces_text(m, &how, &text);
    if (status) return status;
    if (!is_there(m, x->name, &text)) {
        x->name = NULL;
        return 0;
    }
    x->unit.text = text.text;
    x->unit.length = text.length;
    return ad_model_trouble(m, ad_unit_start(&m->build, &x->unit));
}

static int finish(costate_model *m, ad_piece *x)
{
    const ad_trouble trouble = ad_unit_finish(&m->build, &x->unit);
    if (trouble) return ad_model_trouble(m, trouble);
    costate_hook *hook = platform_object_find(x->unit.handle, "costate_pieces");
    if (hook) *hook = (costate_hook){.load = ad_model_call, .context = m};
    x->next = m->pieces;
    m->pieces = x;
    return 0;
}

int ad_pieces_start(costate_model *m, int count, const char *const *name, ad_piece **pieces)
{
    ad_piece *x = *pieces = ad_take(m->arena, (size_t)count * sizeof *x);
    int status = 0;
    for (int i = 0; !status && i < count; i++) {
        if (loaded(m, name[i])) continue;
        x[i].name = ad_text(m->arena, "%s", name[i]);
        status = start(m, &x[i]);
    }
    return status;
}

int ad_pieces_finish(costate_model *m, int count, ad_piece *x, int status)
{
    for (int i = 0; !status && i < count; i++)
        if (x[i].name) status = finish(m, &x[i]);
    for (int i = 0; i < count; i++) /* those that were loaded before another one failed */
        if (x[i].unit.handle && !loaded(m, x[i].name)) platform_object_close(x[i].unit.handle);
    return status;
}

int ad_pieces_need(costate_model *m, int count, const char *const *name)
{
    ad_piece *x;
    const int status = ad_pieces_start(m, count, name, &x);
    return ad_pieces_finish(m, count, x, status);
}

void *ad_pieces_find(costate_model *m, const char *piece, const char *symbol)
{
    const ad_piece *x = loaded(m, piece);
    return x ? platform_object_find(x->unit.handle, symbol) : NULL;
}
