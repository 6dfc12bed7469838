/* lists.c - lists and numbers of the descriptor as C text, for programs that are linked with the emitted file. They are
 * constants, in place or in an array of the file; what the compiler alone can evaluate is left out. */
#include "base/diag.h"
#include "base/out.h"
#include "front/parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A constant, with as few digits as give the same number; NULL: it is none. */
static const char *constant(ac_unit *u, const ac_expr *e)
{
    ac_constant k;
    if (e->op == E_STRING) return e->text;
    if (!ac_evaluate(u->m, e, &k)) return NULL;
    if (!k.is_double) return ad_text(u->m, "%lld", (long long)k.whole);
    if (!isfinite(k.real)) return NULL;
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, k.real);
        if (strtod(text, NULL) == k.real) break;
    }
    return ad_text(u->m, "%s", text);
}

/* Parsed without a word: whoever compiles the file will hear what is wrong. */
static ac_init *initializer(ac_unit *u, const ac_field *f)
{
    jmp_buf recover;
    ac_parser p = {.u = u, .m = u->m, .d = ad_diag_open(u->m), .at = f->from, .recover = &recover};
    return setjmp(recover) ? NULL : ac_initializer(&p);
}

const char *ac_number_text(ac_unit *u, const ac_field *f)
{
    const ac_init *i = initializer(u, f);
    return i && i->expr ? constant(u, i->expr) : NULL;
}

const char *ac_list_text(ac_unit *u, const ac_field *f)
{
    const ac_init *list = initializer(u, f), *only = list && list->item && !list->item->next ? list->item : NULL;
    if (only && only->expr && only->expr->op == E_NAME && only->expr->entity->type->class == T_ARRAY)
        list = only->expr->entity->init; /* COSTATE_ARRAY */
    if (!list || !list->item) return NULL;
    ad_out text = {.m = u->m};
    for (const ac_init *i = list->item; i; i = i->next) {
        const char *value = i->expr && !i->index && !i->member ? constant(u, i->expr) : NULL;
        if (!value) return NULL;
        ad_put(&text, "%s%s", i == list->item ? "" : ", ", value);
    }
    return ad_out_text(&text);
}
