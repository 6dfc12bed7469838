/* unused.c - what a model names and no function has a use for: parameters that are not read, states that neither are read nor are
 * objectives, objectives that are constants. These are warnings, as is a name that a parameter and a state share; one name twice
 * in a list is an error, and so is one that cannot be shown. */
#include "front/lower.h"
#include "front/unused.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 4 }; /* in one warning */

/* ---- names -------------------------------------------------------------------------------------------------------------- */

/* Token number i of a list of strings between braces, each a token of its own; NULL: there is none such. */
static const ac_token *item(const ac_unit *u, const ac_field *f, int i)
{
    int at = f ? f->from : 0;
    while (f && at < f->to && !(u->tokens.at[at].kind == AC_PUNCT && u->tokens.at[at].punct == '{')) at++;
    if (!f || at >= f->to) return NULL;
    at += 1 + 2 * i;
    for (int k = at - 2 * i; k < at; k += 2)
        if (k + 1 >= f->to || u->tokens.at[k].kind != AC_STRING || u->tokens.at[k + 1].punct != ',') return NULL;
    return at < f->to && u->tokens.at[at].kind == AC_STRING ? &u->tokens.at[at] : NULL;
}

/* 1: the first `most` of a list have one that is spelt like this. */
static int among(const ac_unit *u, const ac_field *f, int most, const ac_token *a)
{
    const ac_token *b;
    for (int k = 0; k < most && (b = item(u, f, k)) != NULL; k++)
        if (a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0) return 1;
    return 0;
}

/* 1: tables and terminals can show it: no control character, be it one by an escape (\n, \033, \x1b). */
static int can_be_shown(const ac_token *a)
{
    for (int i = 1; i < a->length - 1; i++) {
        unsigned long c = (unsigned char)a->text[i];
        if (c == '\\') {
            const char letter = a->text[++i];
            if (letter == 'x') c = strtoul(a->text + i + 1, NULL, 16);
            else if (letter >= '0' && letter <= '7') c = strtoul(a->text + i, NULL, 8);
            else if (!strchr("\"'?\\uU", letter)) return 0;
        }
        if (c < ' ' || c == 0x7F) return 0;
    }
    return 1;
}

void ac_names_check(ac_unit *u, const char *list, const ac_field *f)
{
    const ac_token *a;
    for (int i = 0; (a = item(u, f, i)) != NULL; i++)
        if (!can_be_shown(a)) ad_error(u->d, a->place, "another name", ".%s has a name with control characters", list);
        else if (among(u, f, i, a)) ad_error(u->d, a->place, "another name", ".%s has %.*s twice", list, a->length, a->text);
}

void ac_names_shared(ac_unit *u, ac_unused_names names)
{
    const ac_token *a;
    for (int i = 0; (a = item(u, names.states, i)) != NULL; i++)
        if (among(u, names.params, INT_MAX, a))
            ad_warn(u->d, a->place, "another name", "%.*s is the name of a parameter, too, which it is taken for", a->length,
                    a->text);
}

/* ---- uses --------------------------------------------------------------------------------------------------------------- */

typedef struct uses {
    const ad_sym *of;
    unsigned char *used, *slope; /* slope: that of a residual was read once */
    int count;
} uses;

/* Behind the states of a residual are their slopes. The equation that a slope comes from reads it; who reads it besides has a use
 * for the state. */
static void use(const uses *k, const ad_node *index)
{
    int64_t i;
    if (!ac_whole_of(index, &i)) memset(k->used, 1, (size_t)k->count);
    else if (i >= 0 && i < k->count) k->used[i] = 1;
    else if (k->slope && i < 2 * k->count && k->slope[i - k->count]++) k->used[i - k->count] = 1;
}

/* Elements that are read. */
static void reads(const uses *k, const ad_node *n)
{
    if (!n) return;
    if (n->op == AD_ELEM && n->sym == k->of) use(k, n->index);
    for (int i = 0; i < n->kids; i++) reads(k, n->kid[i]);
}

/* Elements of an output that get something else than 0, or than one number. */
static void writes(const uses *k, const ad_node *n, int depth)
{
    double number;
    if (!n) return;
    if ((n->op == AD_SET || n->op == AD_INC) && n->target->sym == k->of &&
        !(ad_literal(n->value, &number) && (number == 0 || depth == 1)))
        use(k, n->target->index);
    for (int i = ad_inner(n); i < n->kids; i++) writes(k, n->kid[i], depth + 1);
}

static void warn(ac_unit *u, const uses *k, const ac_field *names, ad_place place, const char *letter, const char *what)
{
    const char *list = "";
    int count = 0;
    for (int i = 0; i < k->count; i++) {
        if (k->used[i] || ++count > NAMED) continue;
        const ac_token *name = item(u, names, i);
        const char *text = name ? ad_text_n(u->m, name->text + 1, (size_t)name->length - 2) : ad_text(u->m, "%s[%d]", letter, i);
        if (name && count == 1) place = name->place;
        list = ad_text(u->m, "%s%s%s", list, count > 1 ? ", " : "", text);
    }
    if (count > NAMED) list = ad_text(u->m, "%s and %d more", list, count - NAMED);
    if (count) ad_warn(u->d, place, NULL, what, list);
}

void ac_unused(ac_unit *u, const ad_model *m, ac_unused_names names, int residual)
{
    static const char *const rows[] = {
#define COSTATE_FUNCTION(name, arguments, rows, ...) #rows,
#include <costate/model.def>
    };
    const size_t most = (size_t)m->states + (size_t)m->params + (size_t)m->objectives + 1;
    uses y = {.used = ad_take(u->m, most), .slope = ad_take(u->m, most), .count = m->states},
         p = {.used = ad_take(u->m, most), .count = m->params},
         g = {.used = ad_take(u->m, most), .count = m->objectives};
    for (int i = 0; i < AD_FUNCTIONS; i++) {
        const ad_fn *fn = m->fn[i];
        if (!fn) continue;
        const int first = (i == AD_FN_rhs && residual) || i == AD_FN_reset; /* y' = v; ynew = y */
        for (int k = first; (y.of = fn->y) && k < fn->body->kids; k++) reads(&y, fn->body->kid[k]);
        if ((p.of = fn->p)) reads(&p, fn->body);
        if ((g.of = fn->out) && strcmp(rows[i], "objectives") == 0) writes(&g, fn->body, 0);
    }
    if (m->next_mode && (y.of = m->next_mode->y)) reads(&y, m->next_mode->body);
    if (m->next_mode && (p.of = m->next_mode->p)) reads(&p, m->next_mode->body);
    warn(u, &p, names.params, u->model_place, "p", "no function reads the parameter %s");
    if (!m->objectives) return; /* the final states are the objectives */
    warn(u, &y, names.states, u->model_place, "y", "nothing depends on the state %s, and it is no objective");
    warn(u, &g, names.objectives, u->model_place, "g", "the objective %s is a constant");
}
