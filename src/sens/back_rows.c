/* back_rows.c - lambda(t) itself, at the times of costate_adjoint_output: rows of the adjoint equations' dense output. */
#include "sens/back.h"

#include "base/kernels.h"

/* Rows that an interval back from `from` to `to` meets. At a time where lambda jumps the first row in the order of the run is
 * what it is before, with which an interval begins, and other rows of that time are what it is behind. */
typedef struct span {
    int first, count; /* in the order of the run */
} span;

static double end_of(const costate_solver *s)
{
    return s->ev ? s->ev->t_end : s->t1;
}

static span within(const backward *b, double from, double to)
{
    const costate_solver *s = b->s;
    const output *o = &s->adjoint_rows;
    const double dir = s->t1 > s->t0 ? 1 : -1;
    int first = 0, behind;
    while (first < o->count && dir * (o->times[first] - to) < 0) first++;
    for (int k = 0; first < o->count && o->times[first] == to && (k == 0 || to == s->t0); k++) first++;
    for (behind = first; behind < o->count && dir * (from - o->times[behind]) > 0;) behind++;
    for (int k = 0; behind < o->count && o->times[behind] == from && (k == 0 || from == end_of(s)); k++) behind++;
    return (span){first, behind - first};
}

static double *row(const backward *b, int k)
{
    return b->s->adjoint_rows.y + (size_t)k * (size_t)b->s->prob.n * (size_t)b->rows_w;
}

/* Lane l here is lane `lead` of the call, or the other way round. */
static void put(const backward *b, int k, size_t l, const double *x, size_t stride)
{
    const size_t lead = (size_t)b->lead, lane = l == 0 ? lead : l == lead ? 0 : l;
    double *to = row(b, k) + (size_t)b->rows_first + lane;
    for (size_t i = 0; i < (size_t)b->s->prob.n; i++) to[i * (size_t)b->rows_w] = x[i * stride];
}

int cst__back_rows(backward *b, double from, double to)
{
    costate_solver *s = b->s;
    const span at = b->rows_w ? within(b, from, to) : (span){0, 0};
    const size_t n = (size_t)s->prob.n, k = (size_t)at.count;
    if (!at.count) return costate_output(b->in, 0, NULL, NULL, NULL);
    double *t = b->rows = cst__alloc(&s->alloc, k * (1 + n * (1 + (size_t)b->lanes)), sizeof *t);
    if (!t) return cst__fail(s, COSTATE_ERR_MEMORY, "%d rows of the adjoint", at.count);
    for (int i = 0; i < at.count; i++) t[i] = s->adjoint_rows.times[at.first + at.count - 1 - i];
    return costate_output(b->in, at.count, t, t + k, b->lanes ? t + k + k * n : NULL);
}

int cst__back_rows_end(backward *b, double from, double to)
{
    const size_t n = (size_t)b->s->prob.n, lanes = (size_t)b->lanes;
    if (!b->rows) return 0;
    const span at = within(b, from, to);
    const double *y = b->rows + at.count, *ydot = y + (size_t)at.count * n;
    for (int i = 0; i < at.count; i++, y += n, ydot += n * lanes) {
        const int k = at.first + at.count - 1 - i;
        put(b, k, 0, y, 1);
        for (size_t l = 0; l < lanes; l++) put(b, k, l + 1, ydot + l, lanes);
    }
    cst__release(&b->s->alloc, b->rows);
    b->rows = NULL;
    return costate_output(b->in, 0, NULL, NULL, NULL);
}

void cst__back_rows_start(backward *b, const ablock *owed)
{
    const costate_solver *s = b->s;
    const output *o = &s->adjoint_rows;
    const size_t n = (size_t)s->prob.n, w = (size_t)owed->w, lanes = (size_t)b->lanes;
    for (int k = 0; b->rows_w && k < o->count && o->times[k] == s->t0; k++)
        for (size_t l = 0; l < w; l++) {
            put(b, k, l, owed->lambda + l, w);
            const size_t lead = (size_t)b->lead, lane = l == 0 ? lead : l == lead ? 0 : l;
            double *to = row(b, k) + (size_t)b->rows_first + lane;
            for (size_t i = 0; s->prob.mass && i < n; i++) {
                const double mass = s->prob.mass[i];
                double *x = &to[i * (size_t)b->rows_w];
                *x = mass != 0 ? *x / mass : l == 0 ? b->y[i] : b->ydot[i * lanes + l - 1];
            }
        }
}

void cst__back_rows_stopped(costate_solver *s, int w)
{
    const output *o = &s->adjoint_rows;
    const size_t row = (size_t)s->prob.n * (size_t)w;
    const double dir = s->t1 > s->t0 ? 1 : -1, end = end_of(s);
    for (int k = 0; k < o->count; k++)
        if (dir * (o->times[k] - end) > 0) cst__fill_nan(o->y + (size_t)k * row, row);
}

int costate_adjoint_output(costate_solver *s, int count, const double *times, double *rows)
{
    TRY(cst__begin(s));
    if (count < 0) return cst__fail(s, COSTATE_ERR_TIMES, "count = %d times of the adjoint", count);
    if (count && (!times || !rows)) return cst__fail(s, COSTATE_ERR_NULL, "times or rows of the adjoint");
    if (count && s->opt.adjoint[0] != 'c')
        return cst__fail(
            s, COSTATE_ERR_CONTINUOUS,
            "rows of lambda(t) are the continuous adjoint's; the discrete one, which option adjoint asks for, is the "
            "derivative of the steps, and what its sweep goes through need not be near lambda(t)");
    s->adjoint_rows = (output){count, times, rows, NULL};
    return 0;
}
