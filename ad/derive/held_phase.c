/* held_phase.c - conditions on the phase of a cycle, which jumps: fmod(x, P) > c, x - P floor(x/P) > c. Their guard does not:
 *
 *     g = sin(pi x/P) sin(pi (x - c)/P)          for 0 < c < P and x >= 0: positive where the phase is more than c
 *
 * with zeros where the phase begins anew and where it passes c. fmod has the sign of x, floor's phase that of P: elsewhere the
 * condition is what it is, or its mirror image -g. */
#include "derive/held_in.h"

#include "tree/flow.h"
#include "tree/rules.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static int is_call(const ad_node *n, int rule)
{
    return n->op == AD_CALL && n->rule == rule && !n->text;
}

/* The quotient whose whole part n is: floor(q), or (double)(int)q with *cut = 1; NULL. */
static ad_node *whole_of(const ad_node *n, int *cut)
{
    *cut = 1;
    if (is_call(n, AD_RULE_trunc)) return n->a;
    if (n->op == AD_TO_DOUBLE && n->a->op == AD_TO_INT && n->a->a->type == AD_DOUBLE) return n->a->a;
    *cut = 0;
    return is_call(n, AD_RULE_floor) ? n->a : NULL;
}

/* x - P floor(x/P), or x - floor(x). */
static int is_remainder(ad_arena *m, const ad_node *n, held_phase *f)
{
    if (n->op != AD_SUB) return 0;
    ad_node *x = n->a, *q = whole_of(n->b, &f->cut);
    if (q && ad_same(q, x)) {
        f->x = x, f->period = ad_num(m, 1);
        return 1;
    }
    for (int i = 0; n->b->op == AD_MUL && i < 2; i++) {
        ad_node *period = n->b->kid[i];
        q = whole_of(n->b->kid[!i], &f->cut);
        if (!q || q->op != AD_DIV || !ad_same(q->a, x) || !ad_same(q->b, period)) continue;
        f->x = x, f->period = period;
        return 1;
    }
    return 0;
}

static int is_phase(ad_arena *m, const ad_node *n, held_phase *f)
{
    if (!is_call(n, AD_RULE_fmod)) return is_remainder(m, n, f);
    f->x = n->a, f->period = n->b, f->cut = 1;
    return 1;
}

int held_phase_of(ad_arena *m, const ad_node *n, held_phase *f)
{
    const int greater = n->op == AD_GT || n->op == AD_GE;
    for (int i = 0; i < 2; i++) {
        if (!is_phase(m, n->kid[i], f)) continue;
        f->bound = n->kid[!i];
        f->above = greater == (i == 0);
        return 1;
    }
    return 0;
}

/* n = rate t + ... of constants and parameters. */
static int has_rate(const ad_fn *fn, const ad_node *n, double *rate)
{
    double a, b = 0, factor;
    *rate = n->op == AD_NAME && n->sym == fn->t;
    if (*rate == 1 || (!ad_uses(n, fn->t) && !ad_uses(n, fn->y))) return 1;
    switch (n->op) {
    case AD_NEG:
    case AD_ADD:
    case AD_SUB:
        if (!has_rate(fn, n->a, &a) || (n->op != AD_NEG && !has_rate(fn, n->b, &b))) return 0;
        *rate = n->op == AD_ADD ? a + b : n->op == AD_SUB ? a - b : -a;
        return 1;
    case AD_MUL:
        for (int i = 0; i < 2; i++)
            if (held_number(n->kid[i], &factor) && has_rate(fn, n->kid[!i], &a)) return *rate = factor * a, 1;
        return 0;
    case AD_DIV:
        if (!held_number(n->b, &factor) || !has_rate(fn, n->a, &a)) return 0;
        *rate = a / factor;
        return 1;
    default: return 0;
    }
}

double held_phase_time(const ad_fn *fn, const held_phase *f)
{
    double period, rate;
    const int known = held_number(f->period, &period) && has_rate(fn, f->x, &rate) && rate != 0;
    return known ? fabs(period / rate) : 0;
}

static ad_node *same(ad_arena *m, const ad_node *n)
{
    return ad_copy(m, n, NULL);
}

static ad_node *less(ad_arena *m, ad_node *a, ad_node *b)
{
    return ad_new(m, AD_LT, AD_INT, 2, a, b);
}

static ad_node *wave(ad_arena *m, ad_node *x, const ad_node *period)
{
    return ad_call(m, AD_RULE_sin, ad_div(m, ad_mul(m, ad_num(m, pi), x), same(m, period)), NULL);
}

/* Where the phase is positive; mirrored: where it is negative, which is that of -x, -P and -c, below -c. */
static ad_node *of_sign(ad_arena *m, const held_phase *f, const ad_node *size, int mirrored)
{
    ad_node *g = ad_mul(m, wave(m, same(m, f->x), f->period), wave(m, ad_sub(m, same(m, f->x), same(m, f->bound)), f->period));
    ad_node *c = same(m, f->bound), *from = ad_num(m, 0), *to = same(m, size);
    if (mirrored) g = ad_neg(m, g), to = ad_neg(m, to);
    ad_node *below = mirrored ? less(m, same(m, c), to) : less(m, to, same(m, c)); /* beyond all phases, on their side */
    ad_node *beside = mirrored ? less(m, from, same(m, c)) : less(m, same(m, c), from);
    ad_node *far = ad_num(m, mirrored ? 1 : -1), *near = ad_num(m, mirrored ? -1 : 1);
    return ad_new(m, AD_COND, AD_DOUBLE, 3, below, far, ad_new(m, AD_COND, AD_DOUBLE, 3, beside, near, g));
}

ad_node *held_phase_guard(ad_arena *m, const held_phase *f)
{
    const ad_node *sign = f->cut ? f->x : f->period;
    const ad_node *size = f->cut ? ad_call(m, AD_RULE_fabs, same(m, f->period), NULL) : f->period;
    const ad_node *mirror = f->cut ? size : ad_neg(m, same(m, f->period));
    ad_node *guard = ad_new(m, AD_COND, AD_DOUBLE, 3, less(m, same(m, sign), ad_num(m, 0)), of_sign(m, f, mirror, 1),
                            of_sign(m, f, size, 0));
    return f->above ? guard : ad_neg(m, guard);
}
