/* watch_look.c - a closer look: when a guard changes within a step, by dense output, and what the function does there. See
 * watch.h. */
#include "core/watch.h"

#include <float.h>
#include <math.h>

enum { HALVINGS = 60 };
enum { FREE_LOOKS = 4, FREE_POINTS = 2000, SHARE = 200 }; /* looks that each guard may take; points of dense output that all may
                                                            take beyond, and one more for so many evaluations of f */
static const double beside = 1e-5; /* of a step: where slopes on either side are taken */

/* Which of the vectors a look works with. */
enum { Y_A, Y_B, Y_C, Y_DIP, F_A, F_B, F_A2, F_B2, F_NOISE, F_OTHER, VECTORS };

static size_t vector_size(const costate_solver *s)
{
    return cst__pad((size_t)(s->prob.n > s->nobj ? s->prob.n : s->nobj));
}

static double *vector(costate_solver *s, int which)
{
    return s->watch->room + (size_t)which * vector_size(s);
}

/* 1: there is memory, and this look is not one too many. */
static int may_look(costate_solver *s, watched *x)
{
    watch *w = s->watch;
    if (!w->room) w->room = cst__alloc(&s->alloc, VECTORS * vector_size(s), sizeof *w->room);
    return w->room && (x->looks++ < FREE_LOOKS || w->spent < FREE_POINTS + s->stats.rhs / SHARE);
}

/* ---- guards and functions at a point ------------------------------------------------------------------------------------ */

/* 1: side and value of the guard at a point. */
static int guard_at(costate_solver *s, const watched *x, int k, double t, const double *y, const double *p, double *side,
                    double *value)
{
    watch *w = s->watch;
    const ptrdiff_t i = x - &w->at[w->first[x->function]];
    if (cst__guards(s, x->function)->eval(k, t, y, p, w->probe, s->prob.data)) return 0;
    *side = w->probe[2 * i];
    *value = w->probe[2 * i + 1];
    return 1;
}

static int rows_of(const costate_solver *s, int function)
{
    return function == WATCH_RHS || function == WATCH_INIT ? s->prob.n : s->nobj;
}

/* 1: the function's value. */
static int function_at(costate_solver *s, int function, int k, double t, const double *y, const double *p, double *f)
{
    if (function == WATCH_RHS) return !deriv_rhs(&s->d, t, y, p, f);
    const deriv_function *g = function == WATCH_RUNNING ? &s->d.running : function == WATCH_TERMINAL ? &s->d.terminal
                              : function == WATCH_OBSERVE ? &s->d.observe : &s->d.init;
    return g->fn.eval && !g->fn.eval(k, t, y, p, f, g->data);
}

static double time_at(const step *st, double theta)
{
    return theta == 1 ? st->tn : st->t + theta * st->h;
}

/* 1: y at t + theta h. */
static int state_at(costate_solver *s, const step *st, double theta, double *y)
{
    watch *w = s->watch;
    const double *end = theta == 0 ? st->y : st->ynew;
    if (theta == 0 || theta == 1) {
        memcpy(y, end, (size_t)s->prob.n * sizeof *y);
        return 1;
    }
    const int first = w->dense_step != st->n;
    w->dense_step = st->n;
    w->spent++;
    return !s->fam->dense(s, st, theta, y, NULL, NULL, first);
}

/* How far the guard's value moves when y moves by its tolerance; *probe: in which direction most. */
static double noise_of(costate_solver *s, const watched *x, double t, const double *y, double value, int *probe)
{
    double most = 0, side, moved;
    *probe = 0;
    for (int i = 0; i < WATCH_PROBES; i++) {
        cst__watch_shift(s, i, 1, y, vector(s, Y_C));
        if (!guard_at(s, x, 0, t, vector(s, Y_C), s->p, &side, &moved) || moved == COSTATE_UNMET) continue;
        if (fabs(moved - value) > most) most = fabs(moved - value), *probe = i;
    }
    return most;
}

/* ---- what the function does ------------------------------------------------------------------------------------------ */

/* What would not move y_i by its tolerance over the whole run is not there. */
static int counts(const costate_solver *s, int function, int i, const double *y, double change)
{
    return function != WATCH_RHS || change * fabs(s->t1 - s->t0) > s->atol[i] + s->opt.rtol * fabs(y[i]);
}

/* F_B - F_A against what changes anyway: `smooth` times the slopes beside, and round-off. */
static int find_jump(costate_solver *s, const watched *x, double smooth, finding *found)
{
    const double *y = vector(s, Y_A), *a = vector(s, F_A), *b = vector(s, F_B), *a2 = vector(s, F_A2), *b2 = vector(s, F_B2);
    const double *noise = vector(s, F_NOISE);
    double largest = 0;
    for (int i = 0; i < rows_of(s, x->function); i++) {
        const double jump = fabs(b[i] - a[i]), size = fmax(fabs(a[i]), fabs(b[i]));
        const double beside_it = smooth > 0 ? smooth * (fabs(a[i] - a2[i]) + fabs(b2[i] - b[i])) : 0;
        const double anyway = beside_it + fabs(noise[i] - a[i]);
        if (!(jump > 10 * anyway + (10 * s->opt.rtol + 1e-10) * size) || !counts(s, x->function, i, y, jump)) continue;
        if (!(jump > largest * size)) continue;
        largest = jump / size;
        found->component = i;
        found->from = a[i];
        found->to = b[i];
    }
    return largest > 0;
}

/* The changes of F on either side, over a time h. */
static int find_kink(costate_solver *s, const watched *x, double h, finding *found)
{
    const double *y = vector(s, Y_A), *a = vector(s, F_A), *b = vector(s, F_B), *a2 = vector(s, F_A2), *b2 = vector(s, F_B2);
    const double *noise = vector(s, F_NOISE), span = fabs(s->t1 - s->t0);
    double largest = 0;
    for (int i = 0; i < rows_of(s, x->function); i++) {
        const double left = (a[i] - a2[i]), right = (b2[i] - b[i]), size = fmax(fabs(left), fabs(right));
        const double round_off = 16 * fabs(noise[i] - a[i]) + 64 * DBL_EPSILON * fmax(fabs(a[i]), fabs(b[i]));
        const double change = fabs(right - left);
        if (!(change > 1e-2 * size + round_off) || !counts(s, x->function, i, y, change / fabs(h) * span)) continue;
        if (!(change > largest * size)) continue;
        largest = change / size;
        found->component = i;
        found->from = left / h;
        found->to = right / h;
    }
    return largest > 0;
}

/* F_NOISE: F_A with y moved by round-off, up or down, to where the guard has the same side; of the two what is nearer, for other
 * guards may be as close. */
static int find_noise(costate_solver *s, const watched *x, double t)
{
    const double *y = vector(s, Y_A), *a = vector(s, F_A);
    double *c = vector(s, Y_C), *f = vector(s, F_NOISE), *g = vector(s, F_OTHER), side, side0, value;
    int found = 0;
    if (!guard_at(s, x, 0, t, y, s->p, &side0, &value)) return 0;
    for (int way = 1; way >= -1; way -= 2) {
        for (int i = 0; i < s->prob.n; i++) c[i] = y[i] * (1 + (i % 3 ? 4 : -4) * way * DBL_EPSILON);
        if (!guard_at(s, x, 0, t, c, s->p, &side, &value)) return 0;
        if (side != side0) continue;
        if (!function_at(s, x->function, 0, t, c, s->p, g)) return 0;
        for (int i = 0; i < rows_of(s, x->function); i++)
            if (!found || fabs(g[i] - a[i]) < fabs(f[i] - a[i])) f[i] = g[i];
        found = 1;
    }
    if (!found) memcpy(f, a, (size_t)rows_of(s, x->function) * sizeof *f);
    return 1;
}

/* ---- who moves it ---------------------------------------------------------------------------------------------------- */

/* Parameters that the guard depends on at a point, where the state does not matter to it. */
static void find_movers(costate_solver *s, const watched *x, double t, const double *y, finding *found)
{
    double side, value, moved;
    double *p = s->watch->p;
    found->params = -1;
    if (x->guard->on & COSTATE_ON_STATE || !guard_at(s, x, 0, t, y, s->p, &side, &value) || value == COSTATE_UNMET) return;
    int count = 0;
    memcpy(p, s->p, (size_t)s->prob.np * sizeof *p);
    for (int i = 0; i < s->prob.np; i++) {
        p[i] += fmax(1e-6 * fabs(p[i]), 1e-9);
        if (!guard_at(s, x, 0, t, y, p, &side, &moved) || moved == COSTATE_UNMET) return;
        p[i] = s->p[i];
        if (moved == value) continue;
        if (count == COSTATE_SWITCH_PARAMS) return;
        found->param[count++] = i;
    }
    found->params = count;
}

void cst__watch_keep(watched *x, const finding *found)
{
    static const int grave[] = {[COSTATE_SWITCH_NONE] = 0, [COSTATE_SWITCH_KINK] = 1, [COSTATE_SWITCH_TOUCH] = 2,
                                [COSTATE_SWITCH_EDGE] = 3, [COSTATE_SWITCH_JUMP] = 4};
    if (grave[found->effect] > grave[x->found.effect]) x->found = *found;
}

/* ---- a crossing ------------------------------------------------------------------------------------------------------ */

/* From [a, b], sides of which differ, to the place where they do; 1: found. */
static int bracket(costate_solver *s, const watched *x, const step *st, double *a, double *b, double side_a)
{
    double side, value, *y = vector(s, Y_C);
    for (int i = 0; i < HALVINGS; i++) {
        const double mid = *a + (*b - *a) / 2, t = time_at(st, mid);
        if (mid == *a || mid == *b || fabs((*b - *a) * st->h) <= 2 * DBL_EPSILON * fabs(t)) break;
        if (!state_at(s, st, mid, y) || !guard_at(s, x, 0, t, y, s->p, &side, &value)) return 0;
        *(side == side_a ? a : b) = mid;
    }
    return 1;
}

/* The function at theta of the step. */
static int at_theta(costate_solver *s, const watched *x, const step *st, double theta, double *y, double *f)
{
    return state_at(s, st, theta, y) && function_at(s, x->function, 0, time_at(st, theta), y, s->p, f);
}

/* F_A, F_B on either side of a change between a and b, and F_A2, F_B2 a little further off, as if it were `apart`; not outside of
 * the step. *kinks: slopes of both sides are known. 1: good. */
static int both_sides(costate_solver *s, const watched *x, const step *st, double a, double b, double apart, int *kinks)
{
    const double a2 = fmax(a - apart, 0), b2 = fmin(b + apart, 1);
    const double left = a - a2 > 0.01 * apart ? apart / (a - a2) : 0, right = b2 - b > 0.01 * apart ? apart / (b2 - b) : 0;
    double *fa = vector(s, F_A), *fb = vector(s, F_B), *fa2 = vector(s, F_A2), *fb2 = vector(s, F_B2);
    if (!at_theta(s, x, st, a2, vector(s, Y_C), fa2) || !at_theta(s, x, st, b2, vector(s, Y_C), fb2) ||
        !at_theta(s, x, st, a, vector(s, Y_A), fa) || !at_theta(s, x, st, b, vector(s, Y_B), fb))
        return 0;
    for (int i = 0; i < rows_of(s, x->function); i++) {
        fa2[i] = fa[i] - left * (fa[i] - fa2[i]);
        fb2[i] = fb[i] + right * (fb2[i] - fb[i]);
    }
    *kinks = left > 0 && right > 0;
    return 1;
}

/* Kinks that are crossed back and forth within the noise, as by a state that has died out, are nobody's. */
static void keep_kink(costate_solver *s, watched *x, double t, double side, const finding *found)
{
    int probe;
    double now, value;
    const double *y = vector(s, Y_B);
    if (!guard_at(s, x, 0, t, y, s->p, &now, &value) || value == COSTATE_UNMET) {
        cst__watch_keep(x, found);
        return;
    }
    if (!(x->noise > 0)) x->settled = side;
    x->waiting = *found;
    x->noise = fmax(noise_of(s, x, t, y, value, &probe), DBL_MIN);
}

void cst__watch_crossing(costate_solver *s, watched *x, const step *st, double theta0, double theta1, double side)
{
    double a = theta0, b = theta1;
    finding found = x->found;
    if (x->found.effect == COSTATE_SWITCH_JUMP || !may_look(s, x) || !bracket(s, x, st, &a, &b, side)) return;
    int kinks;
    const double t = time_at(st, b), apart = fmax(beside, 4 * (b - a));
    if (!both_sides(s, x, st, a, b, apart, &kinks) || !find_noise(s, x, time_at(st, a))) return;
    found.t = t;
    const int jump = find_jump(s, x, (b - a) / apart, &found);
    if (jump && x->guard->is & COSTATE_GUARD_CONTINUOUS) return; /* another guard's doing */
    if (!jump && (!kinks || !find_kink(s, x, apart * st->h, &found))) return;
    found.effect = jump ? COSTATE_SWITCH_JUMP : COSTATE_SWITCH_KINK;
    find_movers(s, x, t, vector(s, Y_B), &found);
    if (found.params == 0) return; /* time alone moves it after all */
    if (jump) cst__watch_keep(x, &found);
    else keep_kink(s, x, t, side, &found);
}

/* ---- near ones ------------------------------------------------------------------------------------------------------- */

/* Points Y_A and Y_B on either side of the guard, next to each other on the line from y through its probe; 1: there are. */
static int straddle(costate_solver *s, const watched *x, double t, const double *y, int probe, double side0)
{
    double a = 0, b = 0, side, value;
    for (double far = 1; far >= -1 && b == 0; far -= 2) {
        cst__watch_shift(s, probe, 2 * far, y, vector(s, Y_C));
        if (guard_at(s, x, 0, t, vector(s, Y_C), s->p, &side, &value) && side != side0 && side != COSTATE_UNMET) b = 2 * far;
    }
    if (b == 0) return 0;
    for (int i = 0; i < HALVINGS; i++) {
        const double mid = a + (b - a) / 2;
        cst__watch_shift(s, probe, mid, y, vector(s, Y_C));
        if (mid == a || mid == b || !guard_at(s, x, 0, t, vector(s, Y_C), s->p, &side, &value)) break;
        *(side == side0 ? &a : &b) = mid;
    }
    cst__watch_shift(s, probe, a, y, vector(s, Y_A));
    cst__watch_shift(s, probe, b, y, vector(s, Y_B));
    return 1;
}

/* The same for a guard that the state does not move: a little earlier and later. */
static int straddle_time(costate_solver *s, const watched *x, double *ta, double *tb, const double *y)
{
    double early, late, value, a = cst__watch_moment(s, *ta, -1), b = cst__watch_moment(s, *ta, 1);
    if (!guard_at(s, x, 0, a, y, s->p, &early, &value) || !guard_at(s, x, 0, b, y, s->p, &late, &value)) return 0;
    memcpy(vector(s, Y_A), y, (size_t)s->prob.n * sizeof *y);
    memcpy(vector(s, Y_B), y, (size_t)s->prob.n * sizeof *y);
    *ta = a;
    *tb = b;
    return early != late && early != COSTATE_UNMET && late != COSTATE_UNMET;
}

/* For one that parameters alone decide: with these, and with w->p, which are others by round-off. */
static int straddle_params(costate_solver *s, const watched *x, double t, const double *y, double side0)
{
    double side, value;
    for (double far = 1; far >= -1; far -= 2) {
        cst__watch_shift(s, 0, far, y, vector(s, Y_C));
        if (guard_at(s, x, 0, t, y, s->watch->p, &side, &value) && side != side0 && side != COSTATE_UNMET) return 1;
    }
    return 0;
}

void cst__watch_near(costate_solver *s, watched *x, double t, const double *y)
{
    int probe = 0;
    const double *p = s->p;
    double side, value, ta = t, tb = t;
    if (x->found.effect == COSTATE_SWITCH_JUMP || x->guard->is & COSTATE_GUARD_CONTINUOUS || !may_look(s, x)) return;
    if (!guard_at(s, x, 0, t, y, s->p, &side, &value) || value == COSTATE_UNMET || side == COSTATE_UNMET) return;
    if (x->guard->on & COSTATE_ON_STATE) {
        if (fabs(value) > noise_of(s, x, t, y, value, &probe) || !straddle(s, x, t, y, probe, side)) return;
    } else if (!straddle_time(s, x, &ta, &tb, y)) {
        if (!straddle_params(s, x, t, y, side)) return;
        ta = tb = t;
        p = s->watch->p;
    }
    finding found = x->found;
    if (!function_at(s, x->function, 0, ta, vector(s, Y_A), s->p, vector(s, F_A)) ||
        !function_at(s, x->function, 0, tb, vector(s, Y_B), p, vector(s, F_B)) || !find_noise(s, x, ta) ||
        !find_jump(s, x, 0, &found))
        return;
    found.effect = COSTATE_SWITCH_TOUCH;
    found.t = t;
    find_movers(s, x, t, y, &found);
    if (found.params != 0) cst__watch_keep(x, &found);
}

/* The least of the guard's value within the step, by golden section. */
void cst__watch_dip(costate_solver *s, watched *x, const step *st)
{
    static const double golden = 0.6180339887498949;
    const double side0 = x->side, sign = copysign(1, x->value);
    double a = 0, b = 1, at[2] = {1 - golden, golden}, v[2], side, *y;
    if (x->found.effect == COSTATE_SWITCH_JUMP || !may_look(s, x)) return;
    y = vector(s, Y_C);
    for (int i = 0; i < 2 + HALVINGS / 2; i++) {
        const int k = i < 2 ? i : !(v[0] < v[1]);
        if (i >= 2) { /* drop the part behind the larger value */
            *(k ? &a : &b) = at[!k];
            at[!k] = at[k], v[!k] = v[k];
            at[k] = k ? a + golden * (b - a) : b - golden * (b - a);
        }
        const double t = time_at(st, at[k]);
        if (!state_at(s, st, at[k], y) || !guard_at(s, x, 0, t, y, s->p, &side, &v[k]) || v[k] == COSTATE_UNMET) return;
        v[k] *= sign;
        if (side != side0) { /* there and back */
            x->changes += 2;
            cst__watch_crossing(s, x, st, 0, at[k], side0);
            cst__watch_crossing(s, x, st, at[k], 1, side);
            return;
        }
    }
    if (state_at(s, st, at[0], vector(s, Y_DIP))) cst__watch_near(s, x, time_at(st, at[0]), vector(s, Y_DIP));
}

/* ---- objectives and init --------------------------------------------------------------------------------------------- */

/* 1: along the probe the function bends at the point as no smooth one does: a second difference that does not grow with the
 * square of the distance. */
static int bends(costate_solver *s, const watched *x, int probe, int k, double t, const double *y)
{
    static const double far[] = {0, 1, -1, 2, -2};
    double *f[] = {vector(s, F_A), vector(s, F_B), vector(s, F_A2), vector(s, F_B2), vector(s, F_NOISE)};
    for (int i = 0; i < 5; i++) {
        cst__watch_shift(s, probe, far[i], y, vector(s, Y_C));
        if (!function_at(s, x->function, k, t, y ? vector(s, Y_C) : NULL, s->watch->p, f[i])) return 0;
    }
    for (int i = 0; i < rows_of(s, x->function); i++) {
        const double up = f[1][i] - f[0][i], down = f[0][i] - f[2][i], near = fabs(up - down);
        const double wide = fabs(f[3][i] - 2 * f[0][i] + f[4][i]), round_off = 64 * DBL_EPSILON * fabs(f[0][i]);
        if (near > 1e-2 * fmax(fabs(up), fabs(down)) + round_off && wide < 3 * near) return 1;
    }
    return 0;
}

void cst__watch_edge(costate_solver *s, watched *x, int probe, int k, double t, const double *y)
{
    if (x->found.effect || !may_look(s, x) || !bends(s, x, probe, k, t, y)) return;
    x->found = (finding){.effect = COSTATE_SWITCH_EDGE, .t = t, .component = -1, .params = -1};
}
