/* ros_lanes.c - stages side by side. Second and third derivatives of f at (t, y) are wanted at one point for all stages, so that
 * several stages of w lanes each can share a call: stage first + i has lanes i w .. i w + w - 1 of a block of `all` lanes. Like
 * other blocks of lanes this one is filled up with zeros where more than half of it is used. */
#include "method/ros.h"

#define LANES_INLINE static inline __attribute__((always_inline))

/* F(w, all, ...) with w and all as constants if they are what they are most often: one lane, in blocks of four or eight. */
#define LANES_CALL_ONE(F, all, ...) \
    ((all) == 8 ? F(1, 8, __VA_ARGS__) : (all) == 4 ? F(1, 4, __VA_ARGS__) : F(1, all, __VA_ARGS__))
#define LANES_CALL(F, g, ...) ((g)->w == 1 ? LANES_CALL_ONE(F, (g)->all, __VA_ARGS__) : F((g)->w, (g)->all, __VA_ARGS__))

/* Most stages of a group. From half the lanes on, and for two lanes in all, stages by themselves are as fast. */
static int most(const costate_solver *s, int w)
{
    const ros *m = s->method;
    int lanes = (int)s->opt.lanes;
    return m->together && m->s * w > 2 && 2 * w < lanes ? lanes / w : 1;
}

ros_group cst__ros_group(const costate_solver *s, int first, int w)
{
    const ros *m = s->method;
    int each = most(s, w), left = m->s - first, count = left < each ? left : each, used = count * w, lanes = (int)s->opt.lanes;
    return (ros_group){first, count, w, 2 * used > lanes ? lanes : used};
}

const double *cst__ros_times(const costate_solver *s, const step *st, const ros_group *g)
{
    ros *m = s->method;
    if (s->prob.autonomous) return NULL;
    for (int l = 0; l < g->all; l++) m->td[l] = l < g->count * g->w ? st->h * s->table->gamma[g->first + l / g->w] : 0;
    return m->td;
}

LANES_INLINE void put(int w, int all, int rows, int count, int xw, double *const *x, double *block)
{
    for (int i = 0; i < count; i++)
        for (ptrdiff_t q = 0; q < rows; q++)
            for (int j = 0; j < w; j++) block[q * all + i * w + j] = w == 1 || xw == 1 ? x[i][q] : x[i][q * w + j];
    for (int l = count * w; l < all; l++)
        for (ptrdiff_t q = 0; q < rows; q++) block[q * all + l] = 0;
}

void cst__ros_put(const ros_group *g, int rows, int xw, double *const *x, double *block)
{
    LANES_CALL(put, g, rows, g->count, xw, x + g->first, block);
}

LANES_INLINE void put_same(int w, int all, int rows, const double *x, double *block)
{
    for (ptrdiff_t q = 0; q < rows; q++)
        for (int l = 0, j = 0; l < all; l++, j = j + 1 < w ? j + 1 : 0) block[q * all + l] = x[q * w + j];
}

void cst__ros_put_same(const ros_group *g, int rows, const double *x, double *block)
{
    LANES_CALL(put_same, g, rows, x, block);
}

/* Lanes that fill up a block had nothing to start from, and add nothing. */
LANES_INLINE void add(int w, int all, int rows, const double *block, double *out)
{
    for (ptrdiff_t q = 0; q < rows; q++)
        for (int j = 0; j < w; j++) {
            double sum = 0;
            for (int l = j; l < all; l += w) sum += block[q * all + l];
            out[q * w + j] += sum;
        }
}

void cst__ros_add(const ros_group *g, int rows, const double *block, double *out)
{
    LANES_CALL(add, g, rows, block, out);
}
