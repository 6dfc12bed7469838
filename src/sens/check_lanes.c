/* check_lanes.c - products of w lanes against those of one: all widths that a block may have, every lane with a direction and a
 * seed of its own, and once in pairs that are alike; products with parts that are NULL against those with zeros; what adds to
 * what is there; and vjp_points against vjp. */
#include "sens/check_products.h"

#include <math.h>
#include <stdio.h>

enum { ALL_UP_TO = 16 }; /* of wider blocks only some */
enum { POINTS = 3 };

typedef struct table {
    const subject *b;
    int lanes;
    int pairs; /* 1: lanes 2k and 2k + 1 are alike */
    int still; /* 1: of vjp_dot, what it adds as vjp does */
    double *memory;
    double *one, *other, *u, *udot; /* blocks: rows of directions x lanes; rows of the function x lanes */
    double *many, *spare;           /* results of a block: longest x lanes */
    double *single, *shaken;        /* of one lane, for each lane: lanes x longest; the same with changes in the last places */
    double *lane;                   /* room for one lane of each block */
    double *cut;                    /* a block of directions without some parts */
    double *place;                  /* as subject.z */
    size_t longest;
    const char *how; /* in words, what is special about a call; "": nothing */
    int whole;       /* 1: single and shaken are results of a whole block */
} table;

static void fill(const table *t, double *block, size_t rows, int w, const double *scale, uint64_t seed)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < (size_t)w; l++) {
            uint64_t key = seed + 2 * (i * 64 + (t->pairs ? l / 2 : l));
            block[i * (size_t)w + l] = (cst__irregular(key) < 1 ? -1 : 1) * cst__irregular(key + 1) * (scale ? scale[i] : 1);
        }
}

/* Lane l of a block of w, changed by `shake` in the last places. */
static double *lane(const double *block, size_t rows, int w, int l, double shake, double *to)
{
    for (size_t i = 0; i < rows; i++) to[i] = block[i * (size_t)w + (size_t)l] * (1 + shake * (cst__irregular(i) - 1));
    return to + rows;
}

static int call(const table *t, product which, int w, const double *one, const double *other, const double *u, const double *udot,
                double *out)
{
    const subject *b = t->b;
    switch (which) {
    case JVP: return cst__subject_jvp(b, b->z, w, one, out);
    case VJP: return cst__subject_vjp(b, b->z, w, u, out);
    case JVP2: return cst__subject_jvp2(b, b->z, w, one, other, out);
    case VJP_DOT: return cst__subject_vjp_dot(b, b->z, w, one, u, udot, t->still ? out : t->spare, t->still ? t->spare : out);
    default: return cst__subject_vjp_dot2(b, b->z, w, one, other, u, out);
    }
}

static int one_lane(const table *t, product which, int w, int l, double shake, double *out)
{
    size_t rows = subject_rows(t->b), seeds = t->b->rows;
    double *one = t->lane, *other = lane(t->one, rows, w, l, shake, one), *u = lane(t->other, rows, w, l, shake, other);
    double *udot = lane(t->u, seeds, w, l, shake, u);
    lane(t->udot, seeds, w, l, shake, udot);
    return call(t, which, 1, one, other, u, udot, out);
}

/* first: the component of z that the first row belongs to, of reverse products; -1: rows are the function's. */
static void compare(const table *t, const char *name, size_t length, int first, int w)
{
    const subject *b = t->b;
    const double bound = b->c->s->d.exact ? 1e-10 : 1e-5;
    costate_measure *m = &b->c->out->lanes;
    for (size_t l = 0; l < (size_t)w; l++)
        for (size_t i = 0; i < length; i++) {
            if (first >= 0 && !subject_wants(b, (size_t)first + i)) continue;
            const size_t at = t->whole ? i * (size_t)w + l : l * t->longest + i;
            double x = t->many[i * (size_t)w + l], y = t->single[at], off = subject_off(x, y);
            double size = fmax(fabs(y), 1e12 * fabs(t->shaken[at] - y)); /* what cancels in it */
            finding f = {.word = off <= bound * size ? AGREES : CONTRADICTS, .most = bound};
            if (off != 0) f.defect = isnan(off) ? INFINITY : off / fmax(size, off);
            if (cst__measure(m, f))
                snprintf(m->name, sizeof m->name, "%s of %s%s, lane %zu of %d, row %zu", name, b->name, t->how, l, w, i);
        }
}

static const char *const names[] = {
    [JVP] = "jvp", [VJP] = "vjp", [JVP2] = "jvp2", [VJP_DOT] = "vjp_dot", [VJP_DOT2] = "vjp_dot2"};

static size_t length_of(const table *t, product which)
{
    return which == JVP || which == JVP2 ? t->b->rows : subject_count(t->b);
}

static void blocks(table *t, int w)
{
    const subject *b = t->b;
    fill(t, t->one, subject_rows(b), w, b->scale, 1u << 20);
    fill(t, t->other, subject_rows(b), w, b->scale, 2u << 20);
    fill(t, t->u, b->rows, w, NULL, 3u << 20);
    fill(t, t->udot, b->rows, w, NULL, 4u << 20);
}

static int width(table *t, product which, int w)
{
    blocks(t, w);
    for (int l = 0; l < w; l++) {
        TRY(one_lane(t, which, w, l, 0, t->single + (size_t)l * t->longest));
        TRY(one_lane(t, which, w, l, 0x1p-48, t->shaken + (size_t)l * t->longest));
    }
    TRY(call(t, which, w, t->one, t->other, t->u, t->udot, t->many));
    compare(t, names[which], length_of(t, which), which == JVP || which == JVP2 ? -1 : 0, w);
    return 0;
}

/* ---- parts that are NULL ------------------------------------------------------------------------------------------------ */

/* A direction without some parts, its first or, of two, its second one; and udot: NULL is what zeros are. */
static int without(table *t, product which, int lanes, unsigned absent, int no_udot, int second)
{
    const subject *b = t->b;
    const size_t w = (size_t)lanes, ny = b->ny * w, count = subject_count(b) * w, length = length_of(t, which);
    subject bare = *b;
    const table null = {.b = &bare, .still = t->still, .spare = t->spare};
    const double *udot = no_udot ? NULL : t->udot, *one = second ? t->other : t->one, *other = second ? t->one : t->other;
    bare.absent = absent;
    for (int shaken = 0; shaken < 2; shaken++) {
        double *cut = t->cut;
        for (size_t i = 0; i < subject_rows(b) * w; i++) {
            const int gone = i < ny ? absent & NO_Y : i < count ? absent & NO_P : absent & NO_T;
            cut[i] = gone ? 0 : one[i] * (1 + (shaken ? 0x1p-48 : 0) * (cst__irregular(i) - 1));
        }
        if (no_udot) memset(t->udot, 0, b->rows * w * sizeof *t->udot);
        TRY(call(t, which, lanes, cut, other, t->u, t->udot, shaken ? t->shaken : t->single));
    }
    for (size_t i = 0; i < length * w; i++)
        if (!isfinite(t->single[i])) return 0; /* zero times infinity: better without */
    TRY(call(&null, which, lanes, one, other, t->u, udot, t->many));
    compare(t, names[which], length, which == JVP || which == JVP2 ? -1 : 0, lanes);
    return 0;
}

static int directions(table *t, product which, int lanes)
{
    const subject *b = t->b;
    const unsigned all = (b->ny ? NO_Y : 0u) | (b->np ? NO_P : 0u) | (b->timed ? NO_T : 0u);
    t->how = " with parts of a direction NULL";
    for (unsigned absent = 0; absent <= all; absent++)
        for (int variant = 0; variant < 2; variant++) { /* without udot; or of the second direction */
            const int no_udot = which == VJP_DOT && variant, second = which != VJP_DOT && variant;
            if ((absent & all) != absent || (!absent && !no_udot) || (absent == all && !no_udot)) continue;
            if (second && which == JVP) continue;
            blocks(t, lanes);
            TRY(without(t, which, lanes, absent, no_udot, second));
        }
    return 0;
}

/* Results that are not wanted; the others are added to what is there. */
static int results(table *t, product which, int lanes)
{
    const subject *b = t->b;
    const size_t w = (size_t)lanes, ny = b->ny * w, count = subject_count(b) * w;
    const unsigned dots = which == VJP_DOT ? NO_YB_DOT | NO_PB_DOT : 0u, all = NO_YB | NO_PB | dots;
    const unsigned there = (b->ny ? NO_YB | (dots & NO_YB_DOT) : 0u) | (b->np ? NO_PB | (dots & NO_PB_DOT) : 0u);
    const unsigned of_y = which == VJP_DOT && !t->still ? NO_YB_DOT : NO_YB, of_p = of_y << 1;
    subject bare = *b;
    const table part = {.b = &bare, .still = t->still, .spare = t->spare};
    t->how = ", which adds, with results NULL";
    blocks(t, lanes);
    TRY(call(t, which, lanes, t->one, t->other, t->u, t->udot, t->single));
    for (size_t i = 0; i < b->rows * w; i++) t->u[i] *= 1 + 0x1p-48 * (cst__irregular(i) - 1);
    TRY(call(t, which, lanes, t->one, t->other, t->u, t->udot, t->shaken));
    blocks(t, lanes);
    for (bare.absent = 0, bare.adds = 1; bare.absent < all; bare.absent++) {
        if ((bare.absent & all) != bare.absent || (bare.absent & there) == there) continue; /* nobody asks for nothing */
        memcpy(t->many, t->single, count * sizeof *t->many);
        TRY(call(&part, which, lanes, t->one, t->other, t->u, t->udot, t->many));
        for (size_t i = 0; i < count; i++) /* what is not wanted stays as it is */
            t->many[i] -= bare.absent & (i < ny ? of_y : of_p) ? 0 : t->single[i];
        compare(t, names[which], count / w, 0, lanes);
    }
    return 0;
}

static int parts(table *t, product which, int lanes)
{
    int rc = 0;
    t->whole = 1;
    if (which != VJP) rc = directions(t, which, lanes);
    if (!rc && which != JVP && which != JVP2) rc = results(t, which, lanes);
    t->whole = 0;
    t->how = "";
    return rc;
}

/* ---- points ------------------------------------------------------------------------------------------------------------- */

/* vjp_points: the parameter part of vjp at several places, here states along the run. */
static int points(table *t, int w)
{
    const subject *b = t->b;
    const check *c = b->c;
    const costate_problem *q = &c->s->prob;
    subject sum = *b;
    double time[POINTS];
    const double *y[POINTS], *u[POINTS];
    for (int k = 0; k < POINTS; k++) {
        const int row = CHECK_ROWS - 1 - k * (CHECK_ROWS / POINTS);
        time[k] = c->times[row], y[k] = c->rows + (size_t)row * c->n, u[k] = k % 2 ? t->udot : t->u;
    }
    fill(t, t->u, b->rows, w, NULL, 3u << 20);
    fill(t, t->udot, b->rows, w, NULL, 4u << 20);
    memset(t->many, 0, b->np * (size_t)w * sizeof *t->many);
    TRY(q->vjp_points(POINTS, time, y, b->z + b->ny, w, u, t->many, q->data));
    sum.adds = 1;
    for (int l = 0; l < w; l++)
        for (int shaken = 0; shaken < 2; shaken++) {
            double *out = (shaken ? t->shaken : t->single) + (size_t)l * t->longest;
            memset(out, 0, subject_count(b) * sizeof *out);
            for (int k = 0; k < POINTS; k++) {
                const double shake = shaken ? (k - 1.25) * 0x1p-48 : 0; /* what may cancel is moved apart */
                lane(y[k], b->ny, 1, 0, shake / 4, t->place);
                lane(b->z + b->ny, b->np, 1, 0, -shake / 4, t->place + b->ny);
                t->place[subject_count(b)] = time[k];
                lane(u[k], b->rows, w, l, shake, t->lane);
                TRY(cst__subject_vjp(&sum, t->place, 1, t->lane, out));
            }
            memmove(out, out + b->ny, b->np * sizeof *out);
        }
    compare(t, "vjp_points", b->np, (int)b->ny, w);
    return 0;
}

static int open(table *t, const subject *b)
{
    size_t lanes = (size_t)t->lanes, rows = subject_rows(b), seeds = b->rows;
    t->longest = rows > seeds ? rows : seeds;
    size_t doubles = lanes * (3 * rows + 2 * seeds) + 4 * lanes * t->longest + 2 * (rows + seeds) + subject_count(b) + 1;
    double *at = t->memory = cst__alloc(&b->c->s->alloc, doubles, sizeof *at);
    if (!at) return cst__fail(b->c->s, COSTATE_ERR_MEMORY, "the check");
    t->one = at, t->other = at += lanes * rows, t->u = at += lanes * rows, t->udot = at += lanes * seeds;
    t->many = at += lanes * seeds, t->spare = at += lanes * t->longest, t->single = at += lanes * t->longest;
    t->shaken = at += lanes * t->longest, t->cut = at += lanes * t->longest;
    t->place = at += lanes * rows, t->lane = at + subject_count(b) + 1;
    return 0;
}

static int widths(table *t, product which)
{
    for (int w = 2; w <= t->lanes; w++) {
        if (w > ALL_UP_TO && w != t->lanes / 2 && w < t->lanes - 1) continue;
        TRY(width(t, which, w));
    }
    t->pairs = 1;
    int rc = t->lanes > 1 ? width(t, which, t->lanes) : 0;
    t->pairs = 0;
    if (!rc) rc = parts(t, which, t->lanes);
    return rc || t->lanes == 1 ? rc : parts(t, which, 1);
}

int cst__subject_lanes(const subject *b)
{
    table t = {.b = b, .lanes = (int)b->c->s->opt.lanes, .how = ""};
    const unsigned given = cst__subject_given(b);
    int rc = open(&t, b);
    for (unsigned which = JVP; which <= VJP_DOT2 && !rc; which <<= 1)
        if (given & which) rc = widths(&t, (product)which);
    t.still = 1;
    if (!rc && (given & VJP_DOT)) rc = widths(&t, VJP_DOT);
    for (int w = 1; w <= t.lanes && !rc; w++) {
        if (w > ALL_UP_TO && w != t.lanes / 2 && w < t.lanes - 1) continue;
        if (!b->fn && b->np && b->c->s->prob.vjp_points && (given & VJP)) rc = points(&t, w);
    }
    cst__release(&b->c->s->alloc, t.memory);
    return rc;
}
