/* parse.c - a file: declarations at file scope, function bodies by their extent only, the descriptor.
 *
 *   file        = { declaration | function | descriptor | ";" }
 *   function    = specifiers declarator "{" ... "}"
 *   descriptor  = "__costate_model__" name "{" [ "." member "=" tokens { "," ... } ] "}"      (what COSTATE_MODEL expands to) */
#include "front/parse.h"

#include <stdio.h>
#include <string.h>

/* ---- tokens and errors -------------------------------------------------------------------------------------------------- */

ac_token *ac_peek(ac_parser *p, int ahead)
{
    const int i = p->at + ahead;
    return &p->u->tokens.at[i < p->u->tokens.count ? i : p->u->tokens.count - 1];
}

int ac_is(ac_parser *p, int punct)
{
    const ac_token *t = ac_peek(p, 0);
    return t->kind == AC_PUNCT && t->punct == punct;
}

int ac_is_word(ac_parser *p, ac_word word)
{
    const ac_token *t = ac_peek(p, 0);
    return t->kind == AC_KEYWORD && t->name->word == word;
}

int ac_accept(ac_parser *p, int punct)
{
    if (!ac_is(p, punct)) return 0;
    p->at++;
    return 1;
}

int ac_accept_word(ac_parser *p, ac_word word)
{
    if (!ac_is_word(p, word)) return 0;
    p->at++;
    return 1;
}

const char *ac_token_text(ac_parser *p, const ac_token *t)
{
    if (t->kind == AC_END) return "the end of the file";
    if (t->kind == AC_STRAY && ((unsigned char)t->text[0] < ' ' || (unsigned char)t->text[0] > 126))
        return "a character that is not C";
    return ad_text(p->m, "'%.*s'", t->length < 40 ? t->length : 40, t->text);
}

void ac_fail(ac_parser *p, const ac_token *t, const char *advice, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ad_error(p->d, t->place, advice, "%s", text);
    p->failures += !p->refuses;
    p->refuses = 0;
    longjmp(*p->recover, 1);
}

void ac_expect(ac_parser *p, int punct, const char *after)
{
    if (ac_accept(p, punct)) return;
    ac_fail(p, ac_peek(p, 0), NULL, "'%c' is expected %s, not %s", punct, after, ac_token_text(p, ac_peek(p, 0)));
}

void ac_deeper(ac_parser *p)
{
    if (++p->depth > AC_DEEP)
        ac_fail(p, ac_peek(p, 0), "splitting it into several statements or functions", "this is nested more than %d deep",
                AC_DEEP);
}

/* ---- scopes ------------------------------------------------------------------------------------------------------------- */

ac_entity *ac_declare(ac_parser *p, ac_sort sort, ac_name *name, ac_type *type, ad_place place)
{
    ac_entity **slot = sort == N_TAG ? &name->tag : &name->entity;
    ac_entity *e = ad_take(p->m, sizeof *e);
    *e = (ac_entity){.sort = sort, .name = name, .type = type, .place = place, .shadowed = *slot, .in_scope = p->scope};
    e->is_global = p->global;
    p->scope = e;
    *slot = e;
    return e;
}

ac_entity *ac_open_scope(ac_parser *p)
{
    return p->scope;
}

void ac_close_scope(ac_parser *p, ac_entity *outer)
{
    for (; p->scope && p->scope != outer; p->scope = p->scope->in_scope) {
        ac_entity **slot = p->scope->sort == N_TAG ? &p->scope->name->tag : &p->scope->name->entity;
        *slot = p->scope->shadowed;
    }
}

/* ---- brackets ----------------------------------------------------------------------------------------------------------- */

/* Finds the partner of every bracket. 0 after an error: nothing sensible can be parsed then. */
static int match_brackets(ac_unit *u)
{
    int *open = ad_take(u->m, ((size_t)u->tokens.count + 1) * sizeof *open), depth = 0;
    for (int i = 0; i < u->tokens.count; i++) {
        ac_token *t = &u->tokens.at[i];
        if (t->kind != AC_PUNCT) continue;
        if (t->punct == '(' || t->punct == '[' || t->punct == '{') open[depth++] = i;
        if (t->punct != ')' && t->punct != ']' && t->punct != '}') continue;
        const int wanted = t->punct == ')' ? '(' : t->punct == ']' ? '[' : '{';
        if (depth == 0) {
            ad_error(u->d, t->place, NULL, "'%c' closes nothing", t->punct);
            return 0;
        }
        ac_token *o = &u->tokens.at[open[--depth]];
        if (o->punct != wanted) {
            ad_error(u->d, t->place, NULL, "'%c' does not close the '%c' of line %d", t->punct, o->punct, o->place.line);
            return 0;
        }
        o->match = i;
    }
    if (depth > 0) {
        const ac_token *o = &u->tokens.at[open[depth - 1]];
        ad_error(u->d, o->place, NULL, "this '%c' is not closed", o->punct);
    }
    return depth == 0;
}

/* ---- file scope --------------------------------------------------------------------------------------------------------- */

static void descriptor(ac_parser *p)
{
    ac_unit *u = p->u;
    const ac_token *word = ac_peek(p, 0);
    p->at++;
    const ac_token *name = ac_peek(p, 0);
    if (name->kind != AC_IDENT) ac_fail(p, name, "COSTATE_MODEL(name, .states = ..., .rhs = rhs)", "the model has no name");
    if (u->model)
        ac_fail(p, name, "one file for each model", "a second model in the same file; '%s' is the first", u->model->text);
    u->model = name->name;
    u->model_place = word->place;
    p->at++;
    if (!ac_is(p, '{')) ac_fail(p, ac_peek(p, 0), NULL, "the members of the model are missing");
    const int close = ac_peek(p, 0)->match;
    ac_field **last = &u->field;
    p->at++;
    while (p->at < close) {
        const ac_token *dot = ac_peek(p, 0), *member = ac_peek(p, 1);
        if (!ac_is(p, '.') || (member->kind != AC_IDENT && member->kind != AC_KEYWORD))
            ac_fail(p, dot, ".states = 2, .params = 4, .rhs = rhs", "members of a model are written with their names");
        ac_field *f = ad_take(p->m, sizeof *f);
        *f = (ac_field){.name = member->name, .place = member->place};
        p->at += 2;
        ac_expect(p, '=', "after the name of a member");
        f->from = p->at;
        while (p->at < close && !ac_is(p, ',')) {
            const int match = ac_peek(p, 0)->match;
            p->at = match ? match + 1 : p->at + 1;
        }
        f->to = p->at;
        *last = f;
        last = &f->next;
        if (p->at < close) p->at++;
    }
    p->at = close + 1;
    ac_accept(p, ';');
}

static void keep_piece(ac_unit *u, ad_arena *m, int from, int to)
{
    ac_piece *k = ad_take(m, sizeof *k);
    *k = (ac_piece){.from = from, .to = to};
    *u->last_piece = k;
    u->last_piece = &k->next;
}

/* A function: its body is kept as an extent. A prototype does not replace a definition. */
static void function(ac_parser *p, const ac_token *name, ac_type *type, int has_body)
{
    ac_entity *old = name->name->entity;
    if (!has_body && old && old->sort == N_FUNCTION) return;
    if (has_body && old && old->sort == N_FUNCTION && old->body_from)
        ac_fail(p, name, NULL, "'%s' is defined twice", name->name->text);
    ac_entity *e = ac_declare(p, N_FUNCTION, name->name, type, name->place);
    if (!has_body) return;
    e->body_from = p->at;
    e->body_to = ac_peek(p, 0)->match;
    p->at = e->body_to + 1;
    p->u->functions++;
}

/* One declaration at file scope. */
static void declaration(ac_parser *p)
{
    ac_storage storage = {0};
    const int from = p->at;
    if (ac_is_word(p, KW_STATIC_ASSERT) || ac_is_word(p, KW_ASM)) {
        ac_skip_assertion(p);
        return;
    }
    ac_type *base = ac_specifiers(p, &storage);
    int defines_type = storage.is_typedef, braces = 0;
    for (int i = from; i < p->at; i++) braces |= p->u->tokens.at[i].kind == AC_PUNCT && p->u->tokens.at[i].punct == '{';
    if (ac_accept(p, ';')) {
        keep_piece(p->u, p->m, from, p->at);
        return;
    }
    for (int first = 1;; first = 0) {
        ac_token *name = NULL;
        ac_type *type = ac_declarator(p, base, &name);
        if (!name) ac_fail(p, ac_peek(p, 0), NULL, "a name is expected here, not %s", ac_token_text(p, ac_peek(p, 0)));
        ac_skip_attributes(p);
        if (type->class == T_FUNCTION && !storage.is_typedef) {
            const int has_body = ac_is(p, '{');
            if (has_body && !first) ac_fail(p, ac_peek(p, 0), NULL, "a function is defined in a declaration of its own");
            function(p, name, type, has_body);
            if (has_body) return;
        } else if (storage.is_typedef) {
            if (type->class == T_STRUCT && !type->text) type->text = name->name->text;
            ac_declare(p, N_TYPEDEF, name->name, type, name->place);
        } else {
            ac_entity *v = ac_declare(p, N_VARIABLE, name->name, type, name->place);
            v->is_static = storage.is_static;
            v->is_extern = storage.is_extern;
            if (ac_accept(p, '=')) {
                v->init = ac_initializer(p);
                ac_complete_array(p, v);
            }
        }
        if (!ac_accept(p, ',')) break;
    }
    ac_expect(p, ';', "after a declaration");
    if (defines_type || (braces && base->class != T_STRUCT)) keep_piece(p->u, p->m, from, p->at);
}

/* Goes on after the next ; or }. */
static void skip_declaration(ac_parser *p)
{
    p->at = p->start;
    for (;;) {
        const ac_token *t = ac_peek(p, 0);
        if (t->kind == AC_END) return;
        p->at = t->match ? t->match + 1 : p->at + 1;
        if (t->kind == AC_PUNCT && (t->punct == ';' || t->punct == '{')) {
            if (t->punct == '{') ac_accept(p, ';');
            return;
        }
    }
}

/* Not inlined: no variable of it may live in the function that setjmp returns to twice. */
static __attribute__((noinline)) void one_declaration(ac_parser *p)
{
    if (ac_accept(p, ';')) return;
    if (ac_is_word(p, KW_MODEL)) descriptor(p);
    else declaration(p);
}

static void file_scope(ac_parser *p)
{
    jmp_buf recover;
    ac_entity *scope = p->scope;
    p->recover = &recover;
    p->start = p->at;
    p->depth = 0;
    if (setjmp(recover)) {
        ac_close_scope(p, scope);
        p->global = 1;
        skip_declaration(p);
        return;
    }
    one_declaration(p);
}

ac_unit *ac_parse(ad_arena *m, ad_diag *d, ac_names *names, const char *file, ac_tokens tokens)
{
    ac_unit *u = ad_take(m, sizeof *u);
    *u = (ac_unit){.m = m, .d = d, .names = names, .tokens = tokens, .file = file};
    u->last_piece = &u->piece;
    if (tokens.count <= 1) {
        if (ad_diag_count(d) == 0) ad_error(d, (ad_place){.file = file}, NULL, "there is nothing in this file");
        return u;
    }
    if (!match_brackets(u)) return u;
    ac_parser p = {.u = u, .m = m, .d = d, .global = 1};
    while (ac_peek(&p, 0)->kind != AC_END && !ad_diag_full(d)) file_scope(&p);
    return u;
}

/* ---- on demand ------------------------------------------------------------------------------------------------------------ */

ac_entity *ac_function(ac_unit *u, const char *name)
{
    ac_entity *e = ac_intern(u->names, name, strlen(name))->entity;
    return e && e->sort == N_FUNCTION && e->body_from ? e : NULL;
}

int ac_body(ac_unit *u, ac_entity *f)
{
    if (f->parsed) return f->body != NULL;
    f->parsed = 1;
    ac_parser p = {.u = u, .m = u->m, .d = u->d, .at = f->body_from};
    jmp_buf recover;
    p.recover = &recover;
    ac_entity *outer = ac_open_scope(&p);
    if (setjmp(recover)) {
        ac_close_scope(&p, NULL);
        return 0;
    }
    for (ac_entity *k = f->type->param; k; k = k->next) {
        if (!k->name) continue;
        k->in_scope = p.scope;
        k->shadowed = k->name->entity;
        k->name->entity = k;
        p.scope = k;
    }
    ac_stmt *body = ac_block(&p);
    ac_close_scope(&p, outer);
    if (p.failures == 0) f->body = body;
    return f->body != NULL;
}

int ac_field_value(ac_unit *u, const ac_field *f, int64_t *value)
{
    ac_parser p = {.u = u, .m = u->m, .d = u->d, .at = f->from};
    jmp_buf recover;
    p.recover = &recover;
    if (setjmp(recover)) return 0;
    const ac_token *t = ac_peek(&p, 0);
    const int64_t v = ac_constant_value(&p, ad_text(u->m, ".%s", f->name->text));
    if (p.at != f->to) ac_fail(&p, ac_peek(&p, 0), NULL, "%s is not expected here", ac_token_text(&p, ac_peek(&p, 0)));
    if (v < 0 || v > 1000000000) ac_fail(&p, t, NULL, ".%s = %lld is out of range", f->name->text, (long long)v);
    *value = v;
    return 1;
}
