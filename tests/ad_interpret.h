/* ad_interpret.h - runs a tree of costate diff: slowly, checking every index, so that tests can compare it with what a
 * compiler makes of the text it came from. A variable that was not set holds a NaN or a number that no program expects. */
#ifndef TESTS_AD_INTERPRET_H
#define TESTS_AD_INTERPRET_H

#include "base/arena.h"
#include "tree/rules.h"
#include "tree/tree.h"

#include <costate/runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cell {
    int64_t count;
    double *real;
    int64_t *whole;
} cell;

typedef struct machine {
    ad_arena *m;
    const ad_fn *fn;
    cell *of; /* by number of symbol */
    char fault[200];
} machine;

enum { UNSET = 987654321 };

static double run_real(machine *k, const ad_node *n);
static int64_t run_whole(machine *k, const ad_node *n);

static void run_fault(machine *k, const char *what, const ad_node *n)
{
    if (!k->fault[0]) snprintf(k->fault, sizeof k->fault, "%s: %s", what, n->sym ? n->sym->name : "?");
}

static int64_t run_index(machine *k, const ad_node *n)
{
    const int64_t i = n->op == AD_NAME ? 0 : run_whole(k, n->index);
    if (i >= 0 && i < k->of[n->sym->number].count) return i;
    run_fault(k, "index out of range or symbol not declared", n);
    return -1;
}

static int64_t run_narrow(const char *type, int64_t v)
{
    if (strcmp(type, "int") == 0) return (int)v;
    if (strcmp(type, "unsigned") == 0) return (unsigned)v;
    if (strcmp(type, "short") == 0) return (short)v;
    if (strcmp(type, "unsigned short") == 0) return (unsigned short)v;
    if (strcmp(type, "char") == 0 || strcmp(type, "signed char") == 0) return (signed char)v;
    if (strcmp(type, "unsigned char") == 0) return (unsigned char)v;
    return v;
}

static double run_rule(machine *k, const ad_node *n)
{
    const char *name = ad_rule_name(n->rule);
    const double a = run_real(k, n->a), b = n->kids > 1 ? run_real(k, n->b) : 0;
#define RUN1(f)                                                                                                                  \
    if (strcmp(name, #f) == 0) return f(a);
#define RUN2(f)                                                                                                                  \
    if (strcmp(name, #f) == 0) return f(a, b);
#define AD_RULE1(f, da) RUN1(f)
#define AD_RULE2(f, da, db) RUN2(f)
#define AD_KINK1(f, da, where, taken) RUN1(f)
#define AD_KINK2(f, da, db, where, taken) RUN2(f)
#include "tree/rules.def"
#undef AD_RULE1
#undef AD_RULE2
#undef AD_KINK1
#undef AD_KINK2
    run_fault(k, "no such rule", n);
    return NAN;
}

static double run_call(machine *k, const ad_node *n)
{
    return n->text ? (double)(float)run_rule(k, n) : run_rule(k, n); /* of floats: right for those that round exactly */
}

static double run_real(machine *k, const ad_node *n)
{
    int64_t i;
    switch (n->op) {
    case AD_NUM: return n->real;
    case AD_NAME:
    case AD_ELEM: return (i = run_index(k, n)) < 0 ? NAN : k->of[n->sym->number].real[i];
    case AD_NEG: return -run_real(k, n->a);
    case AD_ADD: return run_real(k, n->a) + run_real(k, n->b);
    case AD_SUB: return run_real(k, n->a) - run_real(k, n->b);
    case AD_MUL: return run_real(k, n->a) * run_real(k, n->b);
    case AD_DIV: return run_real(k, n->a) / run_real(k, n->b);
    case AD_COND: return run_whole(k, n->condition) ? run_real(k, n->yes) : run_real(k, n->no);
    case AD_CALL: return run_call(k, n);
    case AD_TO_DOUBLE: return n->text ? (double)(float)run_whole(k, n->a) : (double)run_whole(k, n->a);
    default: run_fault(k, "not an expression of doubles", n); return NAN;
    }
}

static int64_t run_compare(machine *k, const ad_node *n)
{
    if (n->a->type != n->b->type) run_fault(k, "operands of two types", n);
    const int real = n->a->type == AD_DOUBLE;
    const double a = real ? run_real(k, n->a) : 0, b = real ? run_real(k, n->b) : 0;
    const int64_t i = real ? 0 : run_whole(k, n->a), j = real ? 0 : run_whole(k, n->b);
    switch (n->op) {
    case AD_LT: return real ? a < b : i < j;
    case AD_LE: return real ? a <= b : i <= j;
    case AD_GT: return real ? a > b : i > j;
    case AD_GE: return real ? a >= b : i >= j;
    case AD_EQ: return real ? a == b : i == j;
    default: return real ? a != b : i != j;
    }
}

static int64_t run_whole(machine *k, const ad_node *n)
{
    int64_t i;
    switch (n->op) {
    case AD_WHOLE: return n->whole;
    case AD_NAME:
    case AD_ELEM: return (i = run_index(k, n)) < 0 ? 0 : k->of[n->sym->number].whole[i];
    case AD_NEG: return -run_whole(k, n->a);
    case AD_NOT: return !run_whole(k, n->a);
    case AD_BITNOT: return ~run_whole(k, n->a);
    case AD_ADD: return run_whole(k, n->a) + run_whole(k, n->b);
    case AD_SUB: return run_whole(k, n->a) - run_whole(k, n->b);
    case AD_MUL: return run_whole(k, n->a) * run_whole(k, n->b);
    case AD_DIV:
    case AD_MOD: {
        const int64_t a = run_whole(k, n->a), b = run_whole(k, n->b);
        if (b == 0) run_fault(k, "division by 0", n);
        return b == 0 ? 0 : n->op == AD_DIV ? a / b : a % b;
    }
    case AD_SHL: return run_whole(k, n->a) << run_whole(k, n->b);
    case AD_SHR: return run_whole(k, n->a) >> run_whole(k, n->b);
    case AD_BITAND: return run_whole(k, n->a) & run_whole(k, n->b);
    case AD_BITOR: return run_whole(k, n->a) | run_whole(k, n->b);
    case AD_XOR: return run_whole(k, n->a) ^ run_whole(k, n->b);
    case AD_LT: case AD_LE: case AD_GT: case AD_GE: case AD_EQ: case AD_NE: return run_compare(k, n);
    case AD_AND: return run_whole(k, n->a) && run_whole(k, n->b);
    case AD_OR: return run_whole(k, n->a) || run_whole(k, n->b);
    case AD_COND: return run_whole(k, n->condition) ? run_whole(k, n->yes) : run_whole(k, n->no);
    case AD_TO_INT:
        return run_narrow(n->text, n->a->type == AD_DOUBLE ? (int64_t)run_real(k, n->a) : run_whole(k, n->a));
    default: run_fault(k, "not an expression of integers", n); return 0;
    }
}

static void run_declare(machine *k, const ad_sym *s)
{
    cell *c = &k->of[s->number];
    c->count = s->array ? run_whole(k, s->extent) : 1;
    if (c->count < 0 || c->count > 1000000) c->count = 0;
    c->real = ad_take(k->m, (size_t)(c->count + 1) * sizeof *c->real);
    c->whole = ad_take(k->m, (size_t)(c->count + 1) * sizeof *c->whole);
    for (int64_t i = 0; i < c->count; i++) c->real[i] = NAN, c->whole[i] = UNSET;
}

/* The values in "static const double k[2] = {1, 2};". */
static void run_constant(machine *k, const ad_sym *s)
{
    const char *at = strchr(s->text, '=') + 1;
    run_declare(k, s);
    for (int64_t i = 0; i < k->of[s->number].count; i++) {
        char *end;
        while (*at == ' ' || *at == '{' || *at == ',' || *at == '\n') at++;
        k->of[s->number].real[i] = strtod(at, &end);
        k->of[s->number].whole[i] = strtoll(at, NULL, 10);
        at = end;
    }
}

static void run(machine *k, const ad_node *n)
{
    int64_t i;
    if (!n || k->fault[0]) return;
    switch (n->op) {
    case AD_BLOCK:
        for (int j = 0; j < n->kids; j++) run(k, n->kid[j]);
        return;
    case AD_DECL: run_declare(k, n->sym); return;
    case AD_IF: run(k, run_whole(k, n->condition) ? n->yes : n->no); return;
    case AD_FOR: {
        const int64_t from = run_whole(k, n->first), to = run_whole(k, n->end);
        run_declare(k, n->sym);
        for (i = from; n->step > 0 ? i < to : i > to; i += n->step) {
            k->of[n->sym->number].whole[0] = i;
            run(k, n->body);
            if (k->of[n->sym->number].whole[0] != i) run_fault(k, "the counter changed", n);
            k->of[n->sym->number].whole[0] = i;
        }
        k->of[n->sym->number].count = 0; /* not to be read behind the loop */
        return;
    }
    case AD_SET:
    case AD_INC: {
        const ad_node *to = n->target;
        if (to->type != n->value->type || (n->op == AD_INC && to->type != AD_DOUBLE))
            run_fault(k, "an assignment of another type", to);
        if ((i = run_index(k, to)) < 0) return;
        cell *c = &k->of[to->sym->number];
        if (to->type == AD_INT) c->whole[i] = run_narrow(to->sym->ctype, run_whole(k, n->value));
        else if (n->op == AD_SET) c->real[i] = run_real(k, n->value);
        else c->real[i] += run_real(k, n->value);
        return;
    }
    default: run_fault(k, "not a statement", n); return;
    }
}

/* Runs fn; of: its parameters, in their order. "" or what went wrong. */
static const char *interpret_with(ad_arena *m, const ad_fn *fn, const cell *of, int *status)
{
    machine *k = ad_take(m, sizeof *k);
    *k = (machine){.m = m, .fn = fn, .of = ad_take(m, ((size_t)fn->syms + 1) * sizeof *k->of)};
    for (int i = 0; i < fn->params; i++) k->of[fn->param[i]->number] = of[i];
    for (int i = 0; i < fn->syms; i++) {
        if (fn->sym[i]->number != i) return "a symbol has a wrong number";
        if (fn->sym[i]->role == AD_CONST) run_constant(k, fn->sym[i]);
    }
    run(k, fn->body);
    *status = fn->returns ? (int)k->of[fn->status->number].whole[0] : 0;
    return k->fault;
}

/* The same for fn(t, y, p, f); ny, np, nf: sizes. */
static inline const char *interpret(ad_arena *m, const ad_fn *fn, double t, double *y, int ny, double *p, int np, double *f,
                                    int nf, int *status)
{
    cell of[AD_PARAMS] = {{0}};
    for (int i = 0; i < fn->params; i++) {
        const ad_sym *s = fn->param[i];
        if (s == fn->t) of[i] = (cell){1, &t, NULL};
        if (s == fn->y) of[i] = (cell){ny, y, NULL};
        if (s == fn->p) of[i] = (cell){np, p, NULL};
        if (s == fn->out) of[i] = (cell){nf, f, NULL};
    }
    return interpret_with(m, fn, of, status);
}

#endif
