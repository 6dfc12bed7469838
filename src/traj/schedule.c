/* schedule.c - how few evaluations reverse a segment of len steps with k slots, and where the checkpoints must be for that.
 *
 * The first state is in one of the k slots. To put a checkpoint after m steps takes m evaluations; then the rest is reversed with
 * one slot less, then the m steps with all k:
 *
 *     R(1, k) = 1,   R(len, 1) = len (len + 1) / 2,   R(len, k) = min over m of  m + R(len - m, k - 1) + R(m, k)
 *
 * R is convex and piecewise linear in len: its slope is q for C(k+q-2, k) < len <= C(k+q-1, k), so that with this q
 *
 *     R(len, k) = q len - sum over i < q of C(k+i-1, k)
 *
 * (Griewank & Walther 2000, Algorithm 799; there without the one evaluation per step for its stage data). As the slopes on both
 * sides of a checkpoint must be those of an optimum, every m is as good as any other for which
 *
 *     C(k+q-3, k) <= m <= C(k+q-2, k)   and   C(k+q-3, k-1) <= len - m <= C(k+q-2, k-1).
 *
 * The states that a run over `steps` steps leaves cut it into segments; the j-th one is reversed with c - j of the c slots, since
 * the slots of the later ones are free by then. The least sum of R(len_j, c - j) takes the smallest slopes of all segments: c
 * ones, C(c+1, 2) twos and so on. That is the reversal of one step more, the one from state `steps`, without the run that leads
 * there and without that step: R(steps + 1, c) - steps - 1. */
#include "traj/store.h"

typedef struct level {
    int64_t q, full, below, below2; /* the slope; C(k+q-1, k), C(k+q-2, k), C(k+q-3, k) */
    int64_t sum;                    /* of C(k+i-1, k) for i < q */
} level;

/* Saturates only where R does not fit into 63 bits either. */
static level level_of(int64_t len, int64_t k)
{
    level v = {.q = 1, .full = 1};
    if (k > len) k = len;
    while (v.full < len) {
        int64_t product;
        v.sum += v.full;
        v.below2 = v.below;
        v.below = v.full;
        v.full = __builtin_mul_overflow(v.full, k + v.q, &product) ? INT64_MAX : product / v.q;
        v.q++;
    }
    return v;
}

int64_t traj_cost(int64_t len, int64_t k)
{
    if (k == 1) return len * (len + 1) / 2;
    level v = level_of(len, k);
    return v.q * len - v.sum;
}

/* The longest m: the shorter the rest, the sooner all its states fit and memory is left for stage data (fetch.c). */
int64_t traj_split(int64_t len, int64_t k)
{
    level v = level_of(len, k);
    int64_t most = len - (v.below - v.below2);
    return most < v.below ? most : v.below;
}

int64_t traj_optimum(int64_t steps, int64_t slots)
{
    return steps > 0 ? traj_cost(steps + 1, slots) - steps - 1 : 0;
}
