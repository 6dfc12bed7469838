/* parse_stmt.c - statements.
 *
 *   block     = "{" { declaration | statement } "}"
 *   statement = block | "if" "(" e ")" statement [ "else" statement ]
 *             | "for" "(" [ declaration | e ";" ] [ e ] ";" [ e ] ")" statement
 *             | "return" [ e ] ";" | "break" ";" | "continue" ";" | [ e ] ";"
 *
 * while, do, switch, goto and labels are recognised to be refused by name. */
#include "front/parse.h"

static ac_stmt *statement(ac_parser *p);

static ac_stmt *stmt_new(ac_parser *p, ac_sop op, const ac_token *t)
{
    ac_stmt *s = ad_take(p->m, sizeof *s);
    s->op = op;
    s->place = t->place;
    return s;
}

/* ---- declarations --------------------------------------------------------------------------------------------------------- */

ac_stmt *ac_variables(ac_parser *p)
{
    ac_storage storage = {0};
    ac_stmt *first = NULL, **last = &first;
    ac_type *base = ac_specifiers(p, &storage);
    if (ac_accept(p, ';')) return stmt_new(p, S_EMPTY, ac_peek(p, -1));
    do {
        ac_token *name = NULL;
        ac_type *type = ac_declarator(p, base, &name);
        if (!name) ac_fail(p, ac_peek(p, 0), NULL, "a name is expected here, not %s", ac_token_text(p, ac_peek(p, 0)));
        ac_skip_attributes(p);
        if (storage.is_typedef) {
            ac_declare(p, N_TYPEDEF, name->name, type, name->place);
            continue;
        }
        if (type->class == T_FUNCTION) {
            if (!(name->name->entity && name->name->entity->sort == N_FUNCTION))
                ac_declare(p, N_FUNCTION, name->name, type, name->place);
            continue;
        }
        ac_entity *v = ac_declare(p, N_VARIABLE, name->name, type, name->place);
        v->is_static = storage.is_static;
        v->is_extern = storage.is_extern;
        if (ac_accept(p, '=')) {
            v->init = ac_initializer(p);
            v->writes = 1;
            ac_complete_array(p, v);
        }
        ac_stmt *s = stmt_new(p, S_DECLARE, name);
        s->entity = v;
        *last = s;
        last = &s->next;
    } while (ac_accept(p, ','));
    ac_expect(p, ';', "after a declaration");
    return first ? first : stmt_new(p, S_EMPTY, ac_peek(p, -1));
}

/* FILE *out;  N_Vector y;  : a declaration with a type that nobody declared. */
static int unknown_type(ac_parser *p)
{
    const ac_token *t = ac_peek(p, 0), *a = ac_peek(p, 1), *b = ac_peek(p, 2), *c = ac_peek(p, 3);
    if (t->kind != AC_IDENT || t->name->entity || ac_system_type(t->name->text)) return 0;
    if (a->kind == AC_IDENT) return 1;
    return a->kind == AC_PUNCT && a->punct == '*' && b->kind == AC_IDENT && !b->name->entity && c->kind == AC_PUNCT &&
           (c->punct == '=' || c->punct == ';');
}

/* ---- blocks --------------------------------------------------------------------------------------------------------------- */

/* After an error: behind the ; or } that ends the statement that began at `from`. */
static void skip_statement(ac_parser *p, int from)
{
    p->at = from;
    const int is_do = ac_is_word(p, KW_DO);
    for (;;) {
        const ac_token *t = ac_peek(p, 0);
        if (t->kind == AC_END || (t->kind == AC_PUNCT && t->punct == '}')) return;
        p->at = t->match ? t->match + 1 : p->at + 1;
        const int ends = t->kind == AC_PUNCT && (t->punct == ';' || t->punct == '{');
        if (ends && !ac_is_word(p, KW_ELSE) && !(is_do && ac_is_word(p, KW_WHILE))) return;
    }
}

/* A statement or declaration; errors in it end here. */
static ac_stmt *guarded(ac_parser *p)
{
    jmp_buf recover, *outer = p->recover;
    const int from = p->at, depth = p->depth, loops = p->loops;
    ac_entity *scope = p->scope;
    ac_stmt *s;
    p->recover = &recover;
    if (setjmp(recover)) {
        p->recover = outer;
        p->depth = depth;
        p->loops = loops;
        ac_close_scope(p, scope);
        if (ad_diag_full(p->d)) longjmp(*outer, 1);
        skip_statement(p, from);
        return stmt_new(p, S_EMPTY, ac_peek(p, 0));
    }
    if (unknown_type(p)) {
        const ac_token *t = ac_peek(p, 0);
        ac_fail(p, t, "double, or an integer type", "'%s' is not a type that is known here", t->name->text);
    }
    s = ac_starts_type(p, ac_peek(p, 0)) && !(ac_peek(p, 1)->kind == AC_PUNCT && ac_peek(p, 1)->punct == ':') ? ac_variables(p)
                                                                                                              : statement(p);
    p->recover = outer;
    return s;
}

ac_stmt *ac_block(ac_parser *p)
{
    ac_deeper(p);
    ac_stmt *b = stmt_new(p, S_BLOCK, ac_peek(p, 0)), **last = &b->first;
    ac_expect(p, '{', "here");
    ac_entity *outer = ac_open_scope(p);
    while (!ac_accept(p, '}')) {
        if (ac_peek(p, 0)->kind == AC_END) ac_fail(p, ac_peek(p, 0), NULL, "'}' is expected before the end of the file");
        ac_stmt *s = guarded(p);
        *last = s;
        for (; s; s = s->next) {
            b->exits |= s->exits;
            b->always |= s->always;
            last = &s->next;
        }
    }
    ac_close_scope(p, outer);
    p->depth--;
    return b;
}

/* The statement that an if or a for governs: always a block. */
static ac_stmt *governed(ac_parser *p)
{
    if (ac_is(p, '{')) return ac_block(p);
    ac_deeper(p);
    ac_stmt *b = stmt_new(p, S_BLOCK, ac_peek(p, 0));
    b->first = statement(p);
    b->exits = b->first->exits;
    b->always = b->first->always;
    p->depth--;
    return b;
}

/* ---- for ------------------------------------------------------------------------------------------------------------------- */

enum { STEPS = 16 };

/* The assignments in the step of a for: i++, j -= 2. */
static int step_targets(ac_expr *e, ac_expr **found, int count)
{
    while (e && e->op == E_COMMA && count < STEPS) {
        count = step_targets(e->b, found, count);
        e = e->a;
    }
    if (e && count < STEPS && (e->op == E_INCREMENT || e->op == E_ASSIGN) && e->a->op == E_NAME) found[count++] = e;
    return count;
}

/* How often a variable is read in an expression. */
static int reads_in(const ac_expr *e, const ac_entity *v)
{
    if (!e) return 0;
    int n = e->op == E_NAME && e->entity == v;
    if (e->op == E_ASSIGN && e->arith == AD_SET && e->a->op == E_NAME) return reads_in(e->b, v);
    for (const ac_expr *k = e->arg; k; k = k->next) n += reads_in(k, v);
    while (e->op == E_BINARY && e->a->op == E_BINARY) {
        n += reads_in(e->b, v);
        e = e->a;
    }
    return n + reads_in(e->a, v) + reads_in(e->b, v) + reads_in(e->c, v);
}

/* 1: the part before the first ; gives v a value. */
static int starts(const ac_stmt *first, const ac_entity *v)
{
    for (const ac_stmt *s = first; s; s = s->next) {
        if (s->op == S_DECLARE && s->entity == v) return 1;
        for (const ac_expr *e = s->op == S_EXPR ? s->expr : NULL; e; e = e->op == E_COMMA ? e->a : NULL) {
            const ac_expr *k = e->op == E_COMMA ? e->b : e;
            if (k->op == E_ASSIGN && k->arith == AD_SET && k->a->op == E_NAME && k->a->entity == v) return 1;
        }
    }
    return 0;
}

static ac_stmt *loop(ac_parser *p)
{
    const ac_token *t = ac_peek(p, 0);
    ac_stmt *s = stmt_new(p, S_FOR, t);
    p->at++;
    ac_expect(p, '(', "after 'for'");
    ac_entity *outer = ac_open_scope(p);
    if (ac_starts_type(p, ac_peek(p, 0))) {
        s->first = ac_variables(p);
    } else {
        s->first = stmt_new(p, S_EMPTY, ac_peek(p, 0));
        if (!ac_is(p, ';')) {
            s->first->op = S_EXPR;
            s->first->expr = ac_expression(p);
        }
        ac_expect(p, ';', "in 'for'");
    }
    if (!ac_is(p, ';')) s->expr = ac_expression(p);
    ac_expect(p, ';', "in 'for'");
    if (!ac_is(p, ')')) s->step = ac_expression(p);
    ac_expect(p, ')', "in 'for'");

    ac_expr *target[STEPS];
    int reads[STEPS];
    const int targets = step_targets(s->step, target, 0);
    for (int i = 0; i < targets; i++) {
        reads[i] = target[i]->a->entity->reads;
        target[i]->body_writes = -target[i]->a->entity->writes;
    }
    p->loops++;
    s->body = governed(p);
    p->loops--;
    for (int i = 0; i < targets; i++) {
        ac_entity *v = target[i]->a->entity;
        target[i]->body_writes += v->writes;
        if (!starts(s->first, v)) v->counted_reads--; /* the loop goes on from a value that is there */
        v->counted_reads += v->reads - reads[i] + reads_in(s->expr, v) + reads_in(s->step, v);
    }
    ac_close_scope(p, outer);
    s->exits = s->body->exits & EXIT_RETURN;
    return s;
}

/* ---- statements ------------------------------------------------------------------------------------------------------------ */

static ac_stmt *choice(ac_parser *p)
{
    ac_stmt *s = stmt_new(p, S_IF, ac_peek(p, 0));
    p->at++;
    ac_expect(p, '(', "after 'if'");
    s->expr = ac_expression(p);
    ac_expect(p, ')', "after the condition");
    s->body = governed(p);
    s->exits = s->body->exits;
    if (ac_accept_word(p, KW_ELSE)) {
        s->otherwise = governed(p);
        s->exits |= s->otherwise->exits;
        s->always = s->body->always && s->otherwise->always;
    }
    return s;
}

static ac_stmt *leave(ac_parser *p, ac_sop op, int exits)
{
    const ac_token *t = ac_peek(p, 0);
    ac_stmt *s = stmt_new(p, op, t);
    p->at++;
    s->exits = exits;
    s->always = 1;
    if (op == S_RETURN) {
        if (!ac_is(p, ';')) s->expr = ac_expression(p);
    } else if (p->loops == 0) {
        ac_fail(p, t, NULL, "%s outside a loop", ac_token_text(p, t));
    }
    ac_expect(p, ';', "here");
    return s;
}

static void refuse_word(ac_parser *p, const ac_token *t)
{
    p->refuses = 1;
    switch (t->name->word) {
    case KW_WHILE:
    case KW_DO:
        ac_fail(p, t, "a for loop with an integer counter and a bound, and break where it is done",
                "'%s' is not differentiated: how often it runs is not known beforehand", t->name->text);
    case KW_GOTO: ac_fail(p, t, "if/else, or break and continue in a for loop", "'goto' is not differentiated");
    case KW_SWITCH:
    case KW_CASE:
    case KW_DEFAULT: ac_fail(p, t, "if/else", "'%s' is not differentiated", t->name->text);
    case KW_ASM: ac_fail(p, t, "the same in C", "assembler is not differentiated");
    case KW_ELSE: ac_fail(p, t, NULL, "this 'else' has no 'if'");
    default: p->refuses = 0;
    }
}

static ac_stmt *statement(ac_parser *p)
{
    const ac_token *t = ac_peek(p, 0);
    if (ac_is(p, '{')) return ac_block(p);
    if (ac_accept(p, ';')) return stmt_new(p, S_EMPTY, t);
    if (t->kind == AC_KEYWORD) {
        switch (t->name->word) {
        case KW_IF: return choice(p);
        case KW_FOR: return loop(p);
        case KW_RETURN: return leave(p, S_RETURN, EXIT_RETURN);
        case KW_BREAK: return leave(p, S_BREAK, EXIT_BREAK);
        case KW_CONTINUE: return leave(p, S_CONTINUE, EXIT_CONTINUE);
        case KW_STATIC_ASSERT:
            ac_skip_assertion(p);
            return stmt_new(p, S_EMPTY, t);
        default: refuse_word(p, t);
        }
    }
    if (t->kind == AC_IDENT && ac_peek(p, 1)->kind == AC_PUNCT && ac_peek(p, 1)->punct == ':')
        ac_fail(p, t, "if/else, or break and continue in a for loop", "labels are not differentiated");
    ac_stmt *s = stmt_new(p, S_EXPR, t);
    s->expr = ac_expression(p);
    ac_expect(p, ';', "after a statement");
    return s;
}
