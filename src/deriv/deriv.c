/* deriv.c - chooses the link of every product, and makes what is built look like the user's functions.
 *
 *                 user's, else
 *     jvp         jac (f_y; the rest by differences), for the functions vjp row by row, else differences
 *     vjp         jac (f_y), jvp column by column, else differences; f_y and f_p each by the first that can
 *     jvp2        differences of jvp
 *     vjp_dot     differences of vjp
 *
 * If anything is built there is one block of memory, d->work: the sources, which are the data pointers of built products, then
 * the scratch. The sources point to the deriv, so an open deriv stays where it is. */
#include "base/alloc.h"
#include "base/sparsity.h"
#include "deriv/source.h"

#include <stdio.h>
#include <string.h>

enum { RHS, INIT, TERMINAL, RUNNING, OBSERVE, EVENT, RESET, ON_EVENT, EVENT_TIMES, SOURCES };

typedef struct workspace { /* the head of d->work */
    deriv_source source[SOURCES];
    deriv_scratch scratch;
} workspace;

/* ---- built products in the dress of the user's ---- */

/* A function has one data pointer, so if one of its products is built the user's others are reached through the source too. What
 * a source does not have (y and t of init, p when np = 0) is kept away from it here. */

static deriv_dirs known(const deriv_source *s, const double *tdot, const double *ydot, const double *pdot)
{
    return (deriv_dirs){s->ny ? tdot : NULL, s->ny ? ydot : NULL, s->np ? pdot : NULL};
}

static int fn_eval(int k, double t, const double *y, const double *p, double *g, void *data)
{
    return source_eval(data, (deriv_place){k, t, y, p}, g);
}

static int fn_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                  const double *pdot, double *gdot, void *data)
{
    return source_jvp(data, (deriv_place){k, t, y, p}, w, known(data, tdot, ydot, pdot), 1, gdot);
}

static int fn_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    const deriv_source *s = data;
    return source_vjp(s, (deriv_place){k, t, y, p}, w, u, s->ny ? yb : NULL, s->np ? pb : NULL, 1);
}

static int fn_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                      double *pbdot, void *data)
{
    const deriv_source *s = data;
    if (!s->ny) yb = ybdot = NULL;
    if (!s->np) pb = pbdot = NULL;
    deriv_dirs v = known(s, tdot, ydot, pdot);
    if (s->vjp_dot == LINK_USER)
        return s->fn->vjp_dot(k, t, y, p, w, v.t, v.y, v.p, u, udot, yb, ybdot, pb, pbdot, s->d->prob.data);
    return source_vjp_dot(s, (deriv_place){k, t, y, p}, w, v, u, udot, yb, ybdot, pb, pbdot);
}

/* Those of the right-hand side are the same without k; they are only used for what is not the user's. */

static int rhs_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   double *fdot, void *data)
{
    return fn_jvp(0, t, y, p, w, tdot, ydot, pdot, fdot, data);
}

static int rhs_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    return fn_vjp(0, t, y, p, w, u, yb, pb, data);
}

static int rhs_jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1,
                    const double *pdot1, const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    deriv_dirs v1 = known(data, tdot1, ydot1, pdot1), v2 = known(data, tdot2, ydot2, pdot2);
    return source_jvp2(data, (deriv_place){0, t, y, p}, w, v1, v2, fdd);
}

static int rhs_vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                       const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                       double *pbdot, void *data)
{
    return fn_vjp_dot(0, t, y, p, w, tdot, ydot, pdot, u, udot, yb, ybdot, pb, pbdot, data);
}

/* ---- the choice ---- */

static deriv_source of_rhs(deriv *d)
{
    const costate_problem *q = &d->prob;
    deriv_source s = {.d = d, .rows = q->n, .ny = q->n, .np = q->np};
    s.jvp = q->jvp ? LINK_USER : q->jac ? LINK_JAC : LINK_DIFFER;
    s.vjp_y = q->vjp ? LINK_USER : q->jac ? LINK_JAC : q->jvp ? LINK_JVP : LINK_DIFFER;
    s.vjp_p = q->vjp ? LINK_USER : q->jvp ? LINK_JVP : LINK_DIFFER;
    s.jvp2 = q->jvp2 ? LINK_USER : LINK_DIFFER;
    s.vjp_dot = q->vjp_dot ? LINK_USER : LINK_DIFFER;
    return s;
}

static deriv_source of_function(deriv *d, const costate_function *fn)
{
    const costate_problem *q = &d->prob;
    const int of_p = fn == &q->init || fn == &q->event_times, state = fn == &q->init || fn == &q->reset;
    deriv_source s = {.d = d, .fn = fn, .rows = state ? q->n : q->objectives, .ny = of_p ? 0 : q->n, .np = q->np};
    if (fn == &q->event) s.rows = q->events;
    if (fn == &q->event_times) s.rows = q->timed_events;
    s.changes = fn == &q->reset;
    s.jvp = fn->jvp ? LINK_USER : fn->vjp ? LINK_VJP : LINK_DIFFER;
    s.vjp_y = s.vjp_p = fn->vjp ? LINK_USER : fn->jvp ? LINK_JVP : LINK_DIFFER;
    s.vjp_dot = fn->vjp_dot ? LINK_USER : LINK_DIFFER;
    return s;
}

static int all_user(const deriv_source *s)
{
    return s->jvp == LINK_USER && s->vjp_y == LINK_USER && s->jvp2 == LINK_USER && s->vjp_dot == LINK_USER;
}

/* Is the product free of differences along the states and parameters? */
static int exact(const deriv_source *s)
{
    int jvp = s->jvp == LINK_DIFFER ? s->ny + s->np : s->jvp == LINK_JAC ? s->np : 0;
    int vjp = (s->vjp_y == LINK_DIFFER ? s->ny : 0) + (s->vjp_p == LINK_DIFFER ? s->np : 0);
    return jvp == 0 && vjp == 0;
}

static int exact2(const deriv_source *s)
{
    return s->vjp_dot == LINK_USER || s->ny + s->np == 0;
}

/* ---- what it costs ---- */

/* An estimate: forward products as f itself, reverse ones and Jacobians twice that, differences two evaluations each. Built vjp
 * come column by column, for all lanes at once. */
static void estimate(deriv *d, const deriv_source *s)
{
    int differ = s->jvp == LINK_DIFFER || (s->jvp == LINK_JAC && s->np);
    d->jvp_cost.call = s->jvp == LINK_JAC ? 2 : 0;
    d->jvp_cost.lane = differ ? 2 : s->jvp == LINK_JAC ? 0 : 1;
    d->vjp_cost.call = d->vjp_cost.lane = 0;
    if (s->vjp_y == LINK_USER) d->vjp_cost.lane = 2;
    else
        d->vjp_cost.call = (s->vjp_y == LINK_JAC ? 2 : s->vjp_y == LINK_JVP ? s->ny : 2 * s->ny) +
                           (s->vjp_p == LINK_JVP ? s->np : 2 * s->np);
}

/* ---- the choice in words ---- */

static const char *word(deriv_link link, deriv_link rest)
{
    static const char *const words[] = {"user", "jac", "jvp", "vjp", "differences"};
    if (link != LINK_JAC) return words[link];
    return rest == LINK_DIFFER ? "jac+differences" : rest == LINK_JVP ? "jac+jvp" : "jac";
}

static size_t say(deriv *d, size_t at, const char *name, const deriv_source *s)
{
    char *to = d->text + at;
    size_t room = sizeof d->text - at;
    const char *jvp = word(s->jvp, s->np ? LINK_DIFFER : LINK_JAC);
    const char *vjp = word(s->vjp_y, s->np ? s->vjp_p : LINK_JAC);
    const char *dot = word(s->vjp_dot, LINK_USER);
    int n;
    if (!s->fn) n = snprintf(to, room, "jvp %s, vjp %s, jvp2 %s, vjp_dot %s", jvp, vjp, word(s->jvp2, LINK_USER), dot);
    else if (jvp == vjp && vjp == dot) n = snprintf(to, room, "; %s %s", name, jvp);
    else n = snprintf(to, room, "; %s jvp %s, vjp %s, vjp_dot %s", name, jvp, vjp, dot);
    return at + (size_t)n;
}

static void worst(deriv_link *a, deriv_link b)
{
    if (b > *a) *a = b;
}

/* The objectives' functions are told of as one: of each product the link furthest from the user's. */
static void describe(deriv *d, const deriv_source *source)
{
    deriv_source all = {.fn = NULL};
    size_t at = say(d, 0, "", &source[RHS]);
    for (int i = TERMINAL; i <= OBSERVE; i++) {
        if (!source[i].fn) continue;
        all.fn = source[i].fn;
        worst(&all.jvp, source[i].jvp);
        worst(&all.vjp_y, source[i].vjp_y);
        worst(&all.vjp_dot, source[i].vjp_dot);
    }
    if (all.fn) at = say(d, at, "objectives", &all);
    if (source[INIT].fn) at = say(d, at, "init", &source[INIT]);
    all = (deriv_source){.fn = NULL};
    for (int i = EVENT; i < SOURCES; i++) {
        if (!source[i].fn) continue;
        all.fn = source[i].fn;
        worst(&all.jvp, source[i].jvp);
        worst(&all.vjp_y, source[i].vjp_y);
        worst(&all.vjp_dot, source[i].vjp_dot);
    }
    if (all.fn) say(d, at, "events", &all);
}

/* ---- memory ---- */

/* The next `count` doubles of the block at base; with base NULL only their number is counted. */
static double *carve(double *base, size_t *used, size_t count)
{
    double *at = base ? base + *used : NULL;
    *used += cst__pad(count);
    return at;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Lays the scratch out behind the head and returns the doubles of the whole block. */
static size_t lay_out(deriv_scratch *ws, double *base, const deriv_source *source, int lanes)
{
    size_t n = (size_t)source[RHS].ny, np = (size_t)source[RHS].np, rows = n, width = (size_t)lanes;
    size_t used = cst__pad((sizeof(workspace) + sizeof(double) - 1) / sizeof(double));
    int jac = 0, blocks = 0;
    for (int i = 0; i < SOURCES; i++) {
        const deriv_source *s = &source[i];
        rows = most(rows, (size_t)s->rows);
        jac |= s->jvp == LINK_JAC || s->vjp_y == LINK_JAC;
        blocks |= s->jvp == LINK_VJP || s->vjp_y == LINK_JVP || s->vjp_p == LINK_JVP;
    }
    ws->lanes = lanes;
    for (int level = 0; level < 2; level++) {
        ws->y[level] = carve(base, &used, n);
        ws->p[level] = carve(base, &used, np);
    }
    ws->hi = carve(base, &used, rows);
    ws->lo = carve(base, &used, rows);
    ws->u = carve(base, &used, rows);
    ws->yb = carve(base, &used, n);
    ws->pb = carve(base, &used, np);
    if (jac) ws->jac = carve(base, &used, pattern_values(&source[RHS].d->prob.pattern, (int)n));
    if (blocks) ws->cols = carve(base, &used, most(rows, n + np) * width);
    if (blocks) ws->unit = carve(base, &used, most(rows, most(n, np)) * width);
    return used;
}

/* The block, with the sources in it; NULL: no memory. */
static workspace *make_workspace(deriv *d, const deriv_source *source, int lanes)
{
    deriv_scratch measure;
    size_t size = lay_out(&measure, NULL, source, lanes);
    d->work = cst__alloc(&d->alloc, size, sizeof(double));
    if (!d->work) return NULL;
    memset(d->work, 0, sizeof(workspace)); /* the rest takes pages of memory where it is used, and only there */
    workspace *ws = (workspace *)d->work;
    lay_out(&ws->scratch, d->work, source, lanes);
    memcpy(ws->source, source, sizeof ws->source);
    for (int i = 0; i < SOURCES; i++) ws->source[i].ws = &ws->scratch;
    return ws;
}

/* ---- opening ---- */

static void bind_rhs(deriv *d, deriv_source *s)
{
    const costate_problem *q = &d->prob;
    d->jvp = q->jvp ? q->jvp : rhs_jvp;
    d->vjp = q->vjp ? q->vjp : rhs_vjp;
    d->jvp2 = q->jvp2 ? q->jvp2 : rhs_jvp2;
    d->vjp_dot = q->vjp_dot ? q->vjp_dot : rhs_vjp_dot;
    d->jvp_data = q->jvp ? q->data : s;
    d->vjp_data = q->vjp ? q->data : s;
    d->jvp2_data = q->jvp2 ? q->data : s;
    d->vjp_dot_data = q->vjp_dot ? q->data : s;
}

static void bind_function(deriv *d, deriv_function *to, const deriv_source *from, deriv_source *built)
{
    *to = (deriv_function){.rows = from->rows};
    if (!from->fn) return;
    if (all_user(from)) {
        to->fn = *from->fn;
        to->data = d->prob.data;
        return;
    }
    to->fn = (costate_function){.eval = fn_eval, .jvp = fn_jvp, .vjp = fn_vjp, .vjp_dot = fn_vjp_dot};
    to->data = built;
}

int deriv_open(deriv *d, const costate_problem *prob, int lanes, const costate_allocator *alloc, costate_stats *count)
{
    *d = (deriv){.prob = *prob, .alloc = *alloc, .count = count, .exact = 1, .exact2 = 1};
    const costate_problem *q = &d->prob;
    const costate_function *fn[SOURCES] = {NULL,      &q->init,  &q->terminal, &q->running,    &q->observe,
                                           &q->event, &q->reset, &q->on_event, &q->event_times};
    deriv_function *to[SOURCES] = {NULL,      &d->init,  &d->terminal, &d->running,    &d->observe,
                                   &d->event, &d->reset, &d->on_event, &d->event_times};
    deriv_source source[SOURCES] = {of_rhs(d)};
    int built = 0;
    for (int i = INIT; i < SOURCES; i++)
        if (fn[i]->eval) source[i] = of_function(d, fn[i]);
    for (int i = 0; i < SOURCES; i++) {
        built |= !all_user(&source[i]);
        d->exact &= exact(&source[i]);
        d->exact2 &= exact2(&source[i]);
    }
    describe(d, source);
    estimate(d, &source[RHS]);
    workspace *ws = built ? make_workspace(d, source, lanes) : NULL;
    if (built && !ws) {
        *d = (deriv){0};
        return COSTATE_ERR_MEMORY;
    }
    bind_rhs(d, ws ? &ws->source[RHS] : NULL);
    for (int i = INIT; i < SOURCES; i++) bind_function(d, to[i], &source[i], ws ? &ws->source[i] : NULL);
    return COSTATE_OK;
}

void deriv_close(deriv *d)
{
    cst__release(&d->alloc, d->work);
    *d = (deriv){0};
}
