/* corpus_second.h - checks of second and third derivatives of the corpus: against differences of order 8 of the order below,
 * against each other, and, where parts of directions are NULL or outputs are not wanted, against the call with all of them. */
#ifndef TESTS_CORPUS_SECOND_H
#define TESTS_CORPUS_SECOND_H

#include "corpus_subject.h"

/* ---- second order ------------------------------------------------------------------------------------------------------ */

typedef void first_fn(const subject *s, const double *at, int w, const double *with, double *out);

/* d/deps of a first-order product along d, of order 8; count values. */
static void difference_along(const subject *s, first_fn *product, const double *with, const double *d, double h, int count,
                             double *out)
{
    const int mark = taken.count;
    double *at = packed(s), *x = packed(s), *value = take(count);
    for (int i = 0; i < count; i++) out[i] = 0;
    for (int k = -4; k <= 4; k++) {
        if (!k) continue;
        for (int j = 0; j < s->columns; j++) x[j] = at[j] + k * h * d[j];
        for (int i = 0; i < count; i++) value[i] = 0;
        product(s, x, 1, with, value);
        for (int i = 0; i < count; i++) out[i] += (k > 0 ? stencil[k - 1] : -stencil[-k - 1]) * value[i] / h;
    }
    drop(mark);
}

/* The largest entry, each in its unit: 1/unit[i], or 1/(1/unit[i]) for adjoints. */
static double worst(int from, int count, const double *a, const double *b, const double *unit, int inverse)
{
    double most = 0;
    for (int i = from; i < count; i++) {
        const double difference = fabs(a[i] - (b ? b[i] : 0)) * (inverse ? unit[i] : unit[i] > 0 ? 1 / unit[i] : 1);
        if (!(difference <= most)) most = difference;
    }
    return most;
}

/* Differences for two steps, for they may meet a kink; 1: they agree. */
static int steady(const subject *s, first_fn *product, const double *with, const double *d, int from, int count,
                  const double *unit, int inverse, double *out)
{
    double *again = take(count);
    difference_along(s, product, with, d, 2e-4, count, out);
    difference_along(s, product, with, d, 1e-4, count, again);
    return worst(from, count, out, again, unit, inverse) <= 1e-8 * (1 + worst(from, count, out, NULL, unit, inverse));
}

static void check_vjp_dot(const subject *s)
{
    const int count = s->columns;
    double *u = seeds(s, 1), *ud = seeds(s, 1), *exact = take(count), *first = zeros(count), *moved = zeros(count),
           *at = packed(s), *d = NULL;
    int good = 0;
    for (int tries = 0; tries < TRIES && !good; tries++) {
        d = directions(s, 1);
        good = steady(s, vjp, u, d, 1, count, s->size, 1, exact);
    }
    if (!good) {
        wrong(s, "no direction away from kinks was found");
        return;
    }
    vjp(s, at, 1, u, first);
    vjp(s, at, 1, ud, moved);
    double *b = zeros(count), *bd = zeros(count);
    call_vjp_dot(s, 1, d, u, ud, b, bd);
    for (int j = 0; j < count; j++) exact[j] += moved[j];
    const double size = 1 + worst(1, count, exact, NULL, s->size, 1);
    if (!(worst(1, count, b, first, s->size, 1) <= 1e-12 * size)) wrong(s, "vjp_dot: J^T u differs from that of vjp");
    if (!(worst(1, count, bd, exact, s->size, 1) <= 1e-7 * size))
        wrong(s, "vjp_dot differs from differences of vjp by %.2g", worst(1, count, bd, exact, s->size, 1) / size);
    for (size_t q = 1; q < sizeof widths / sizeof *widths; q++) {
        const int w = widths[q], mark = taken.count;
        double *dw = directions(s, w), *uw = seeds(s, w), *udw = seeds(s, w), *bw = zeros(count * w), *bdw = zeros(count * w);
        const int lane = w - 1;
        for (int j = 0; j < count; j++) dw[j * w + lane] = d[j];
        for (int i = 0; i < s->rows; i++) uw[i * w + lane] = u[i], udw[i * w + lane] = ud[i];
        call_vjp_dot(s, w, dw, uw, udw, bw, bdw);
        for (int j = 1; j < count; j++)
            if (!(fabs(bdw[j * w + lane] - bd[j]) * s->size[j] <= 1e-12 * size &&
                  fabs(bw[j * w + lane] - b[j]) * s->size[j] <= 1e-12 * size))
                wrong(s, "vjp_dot, w = %d: column %d is not that of w = 1", w, j);
        drop(mark);
    }
}

/* <d1, H d2> = <d2, H d1> = u . f''(d1, d2), H = second derivative of u . f */
static void check_symmetry(const subject *s)
{
    const int count = s->columns, ny = 1 + s->n;
    double *u = seeds(s, 1), *d1 = directions(s, 1), *d2 = directions(s, 1), *fdd = take(s->rows), *fdd2 = take(s->rows);
    double *b = zeros(count), *h1 = zeros(count), *h2 = zeros(count), left = 0, right = 0, middle = 0, terms = 0;
    d1[0] = d2[0] = 0;
    call_vjp_dot(s, 1, d1, u, NULL, b, h1);
    call_vjp_dot(s, 1, d2, u, NULL, b, h2);
    for (int j = 1; j < count; j++) {
        left += h1[j] * d2[j], right += h2[j] * d1[j];
        terms += (fabs(h1[j]) + fabs(h2[j]) + fabs(b[j])) * s->size[j];
    }
    if (!(fabs(left - right) <= 1e-11 * terms)) wrong(s, "<d1, H d2> is %.17g, <d2, H d1> is %.17g", right, left);
    const costate_problem *made = s->x->made;
    if (s->which != RHS) return;
    if (made->jvp2(s->t, s->y, s->p, 1, NULL, d1 + 1, d1 + ny, NULL, d2 + 1, d2 + ny, fdd, s->x->data)) wrong(s, "jvp2 fails");
    for (int i = 0; i < s->rows; i++) middle += u[i] * fdd[i], terms += fabs(u[i] * fdd[i]);
    if (!(fabs(left - middle) <= 1e-11 * terms)) wrong(s, "<d1, H d2> is %.17g, u.f''(d1, d2) is %.17g", left, middle);
    d1[0] = uniform() * s->size[0], d2[0] = uniform() * s->size[0];
    made->jvp2(s->t, s->y, s->p, 1, d1, d1 + 1, d1 + ny, d2, d2 + 1, d2 + ny, fdd, s->x->data);
    made->jvp2(s->t, s->y, s->p, 1, d2, d2 + 1, d2 + ny, d1, d1 + 1, d1 + ny, fdd2, s->x->data);
    if (!(worst(0, s->rows, fdd, fdd2, s->scale, 0) <= 1e-11 * (1 + worst(0, s->rows, fdd, NULL, s->scale, 0))))
        wrong(s, "f''(d1, d2) is not f''(d2, d1)");
}

static void check_jvp2(const subject *s)
{
    if (s->which != RHS) return;
    const int ny = 1 + s->n;
    double *d1 = directions(s, 1), *d2 = NULL, *exact = take(s->rows), *fdd = take(s->rows);
    int good = 0;
    for (int tries = 0; tries < TRIES && !good; tries++) {
        d2 = directions(s, 1);
        good = steady(s, jvp, d1, d2, 0, s->rows, s->scale, 0, exact);
    }
    if (!good) {
        wrong(s, "no direction away from kinks was found");
        return;
    }
    s->x->made->jvp2(s->t, s->y, s->p, 1, d1, d1 + 1, d1 + ny, d2, d2 + 1, d2 + ny, fdd, s->x->data);
    const double error = worst(0, s->rows, fdd, exact, s->scale, 0) / (1 + worst(0, s->rows, exact, NULL, s->scale, 0));
    if (!(error <= 1e-7)) wrong(s, "jvp2 differs from differences of jvp by %.2g", error);
    const double size = 1 + worst(0, s->rows, fdd, NULL, s->scale, 0);
    for (size_t q = 1; q < sizeof widths / sizeof *widths; q++) {
        const int w = widths[q], lane = w - 1, mark = taken.count;
        double *e1 = directions(s, w), *e2 = directions(s, w), *fw = take(s->rows * w);
        for (int j = 0; j < s->columns; j++) e1[j * w + lane] = d1[j], e2[j * w + lane] = d2[j];
        s->x->made->jvp2(s->t, s->y, s->p, w, e1, e1 + w, e1 + ny * w, e2, e2 + w, e2 + ny * w, fw, s->x->data);
        for (int i = 0; i < s->rows; i++)
            if (!(fabs(fw[i * w + lane] - fdd[i]) <= 1e-12 * size * s->scale[i]))
                wrong(s, "jvp2, w = %d: row %d is not that of w = 1", w, i);
        drop(mark);
    }
}

/* ---- parts that are not given ------------------------------------------------------------------------------------------ */

/* Directions of which only the parts in `parts` (1: t, 2: y, 4: p) are not zero; at[3]: what is passed for them, NULL for the
 * others. */
static double *part_directions(const subject *s, int w, int parts, const double *at[3])
{
    double *d = directions(s, w);
    const int from[4] = {0, w, w * (1 + s->n), w * s->columns};
    for (int k = 0; k < 3; k++) {
        at[k] = parts & 1 << k && from[k + 1] > from[k] ? d + from[k] : NULL;
        for (int j = from[k]; !at[k] && j < from[k + 1]; j++) d[j] = 0;
    }
    return d;
}

static int same_rows(const subject *s, int w, const double *a, const double *b, double size)
{
    for (int i = 0; i < s->rows * w; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-12 * size * s->scale[i / w])) return 0;
    return 1;
}

/* Columns from .. to-1; `wanted` 0: nothing may have been written. */
static int same_columns(const subject *s, int w, int from, int to, int wanted, const double *a, const double *b, double size)
{
    for (int j = from * w; j < to * w; j++)
        if (!(fabs(a[j] - (wanted ? b[j] : 0)) * s->size[j / w] <= 1e-12 * size)) return 0;
    return 1;
}

static void check_parts_first(const subject *s)
{
    const double *at = packed(s);
    for (int w = 1; w <= 3; w += 2)
        for (int parts = 0; parts < 8; parts++) {
            const int mark = taken.count;
            const double *given[3], *d = part_directions(s, w, parts, given);
            double *all_of = take(s->rows * w), *some = take(s->rows * w);
            jvp(s, at, w, d, all_of);
            call_jvp(s, s->t, s->y, s->p, w, given[0], given[1], given[2], some);
            if (!same_rows(s, w, some, all_of, 1)) wrong(s, "jvp, w = %d: parts %d alone", w, parts);
            drop(mark);
        }
}

/* Each of the four outputs wanted or not. */
static void check_parts_vjp_dot(const subject *s)
{
    for (int w = 1; w <= 3; w += 2)
        for (int parts = 0; parts < 8; parts++)
            for (int wanted = 0; wanted < 32; wanted++) {
                const int mark = taken.count, ny = 1 + s->n, n = s->n, np = s->columns;
                const double *given[3], *d = part_directions(s, w, parts, given), *u = seeds(s, w),
                                        *ud = wanted & 16 ? seeds(s, w) : NULL;
                double *b = zeros(np * w), *bd = zeros(np * w), *some = zeros(np * w), *some_d = zeros(np * w);
                call_vjp_dot(s, w, d, u, ud, b, bd);
                double *yb = n && wanted & 1 ? some + w : NULL, *ybd = n && wanted & 2 ? some_d + w : NULL;
                double *pb = wanted & 4 ? some + ny * w : NULL, *pbd = wanted & 8 ? some_d + ny * w : NULL;
                if (s->which == RHS)
                    s->x->made->vjp_dot(s->t, s->y, s->p, w, given[0], given[1], given[2], u, ud, yb, ybd, pb, pbd, s->x->data);
                else s->fn->vjp_dot(s->k, s->t, s->y, s->p, w, given[0], given[1], given[2], u, ud, yb, ybd, pb, pbd, s->x->data);
                double size = s->rows;
                for (int j = w; j < np * w; j++) size = fmax(size, fabs(bd[j]) * s->size[j / w]);
                if (!same_columns(s, w, 1, ny, !!yb, some, b, size) || !same_columns(s, w, 1, ny, !!ybd, some_d, bd, size) ||
                    !same_columns(s, w, ny, np, !!pb, some, b, size) || !same_columns(s, w, ny, np, !!pbd, some_d, bd, size))
                    wrong(s, "vjp_dot, w = %d: parts %d alone, outputs %d", w, parts, wanted);
                drop(mark);
            }
}

static void check_parts_jvp2(const subject *s)
{
    if (s->which != RHS) return;
    for (int w = 1; w <= 3; w += 2)
        for (int both = 0; both < 64; both++) {
            const int mark = taken.count, ny = 1 + s->n;
            const double *one[3], *two[3];
            const double *d1 = part_directions(s, w, both & 7, one), *d2 = part_directions(s, w, both >> 3, two);
            double *all_of = take(s->rows * w), *some = take(s->rows * w), size = 1;
            s->x->made->jvp2(s->t, s->y, s->p, w, d1, d1 + w, d1 + ny * w, d2, d2 + w, d2 + ny * w, all_of, s->x->data);
            s->x->made->jvp2(s->t, s->y, s->p, w, one[0], one[1], one[2], two[0], two[1], two[2], some, s->x->data);
            for (int i = 0; i < s->rows * w; i++)
                if (s->scale[i / w] > 0) size = fmax(size, fabs(all_of[i]) / s->scale[i / w]);
            if (!same_rows(s, w, some, all_of, size)) wrong(s, "jvp2, w = %d: parts %d and %d alone", w, both & 7, both >> 3);
            drop(mark);
        }
}

static void check_parts(const subject *s)
{
    check_parts_first(s);
    check_parts_vjp_dot(s);
    check_parts_jvp2(s);
}

/* ---- third order ------------------------------------------------------------------------------------------------------- */

/* d/deps of the second-order part of vjp_dot along d2; `with` holds u and d1. */
static void bend(const subject *s, const double *at, int w, const double *with, double *out)
{
    subject there = *s;
    double *y = take(s->n), *p = take(s->np), *b = zeros(s->columns);
    memcpy(y, at + 1, sizeof *y * (size_t)s->n);
    memcpy(p, at + 1 + s->n, sizeof *p * (size_t)s->np);
    there.t = at[0], there.y = y, there.p = p;
    call_vjp_dot(&there, w, with + s->rows, with, NULL, b, out);
}

static void check_third(const subject *s)
{
    const costate_problem *made = s->x->made;
    if (s->which != RHS || !made->vjp_dot2) return;
    const int count = s->columns, ny = 1 + s->n;
    double *with = take(s->rows + count), *u = seeds(s, 1), *d1 = directions(s, 1), *d2 = NULL, *exact = take(count),
           *b = zeros(count);
    memcpy(with, u, sizeof *u * (size_t)s->rows);
    memcpy(with + s->rows, d1, sizeof *d1 * (size_t)count);
    int good = 0;
    for (int tries = 0; tries < TRIES && !good; tries++) {
        d2 = directions(s, 1);
        good = steady(s, bend, with, d2, 1, count, s->size, 1, exact);
    }
    if (!good) {
        wrong(s, "no direction away from kinks was found");
        return;
    }
    if (made->vjp_dot2(s->t, s->y, s->p, 1, d1, d1 + 1, d1 + ny, d2, d2 + 1, d2 + ny, u, b + 1, b + ny, s->x->data))
        wrong(s, "vjp_dot2 fails");
    const double error = worst(1, count, b, exact, s->size, 1) / (1 + worst(1, count, exact, NULL, s->size, 1));
    if (!(error <= 1e-7)) wrong(s, "vjp_dot2 differs from differences of vjp_dot by %.2g", error);
}

#endif
