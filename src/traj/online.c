/* online.c - which state to give up for the next one, when nobody knows how many are to come.
 *
 * The slot of rank j holds the first state of segment j, which is reversed with k = c - j of the c slots at cost R(len_j, k)
 * (schedule.c). The rule: give up the state, the newest one included, whose loss raises the sum of R least; of equals the
 * earliest. To drop rank j merges segments j-1 and j, and every later segment moves up by one rank, where it has a slot more:
 *
 *     price(j) = R(len_(j-1) + len_j, k+1) - R(len_(j-1), k+1) - R(len_j, k) + sum over i > j of gain(i)
 *     gain(i)  = R(len_i, c-i+1) - R(len_i, c-i)
 *
 * As long as no step need be evaluated more than twice, that is up to C(c+2, 2) - 1 steps, a segment may have k+1 steps. There
 * the rule amounts to making segment after segment that long, from the front, which takes constant time ("thinning"), and what
 * is kept is optimal for every number of steps. Beyond that no rule can be: with 3 slots every one is at least 5.6 % above the
 * optimum for some number of steps (exhaustive search). This one is above it, at the worst number of steps up to 30,000, by
 * 6.3 % with 3 slots, 5.4 % with 4, 4.6 % with 5 and less than 4 % with 6 to 60; on average by less than 1 %.
 *
 * There the cheapest rank is found by a scan from the front. As sum over i > j = sum over all i - sum over i <= j, prices
 * differ by what depends on ranks up to j only, so a drop at rank j leaves all that was found before j - 1 valid. Scans are kept
 * at distances 0, 8, 16, 32, ... from the tail, and the last one before the drop is taken up again: a drop at distance d costs
 * O(d). Most new states are left out at once, and the mean distance of the others' drops is small (below 6 with 100 slots). */
#include "traj/store.h"

enum { NEAREST = 8 }; /* distance of the first scan behind the one at the tail */

void traj_online_start(traj_online *o)
{
    *o = (traj_online){.thinning = 1};
}

/* Looks at the segment of s->rank, of the given length. */
static void weigh(online_scan *s, int64_t len, int64_t k)
{
    int64_t cost = traj_cost(len, k), with_one_more = traj_cost(len, k + 1);
    int64_t price = traj_cost(s->len + len, k + 1) - s->cost - with_one_more - s->shift;
    s->shift += with_one_more - cost;
    if (price < s->best_price) {
        s->best = s->slot;
        s->best_rank = s->rank;
        s->best_price = price;
    }
    s->len = len;
    s->cost = cost;
}

/* Ranks of the scans: the tail's, then ever further in front, the last one 1. */
static int64_t rank_of_mark(int i, int64_t c)
{
    int64_t rank = i ? c - 1 - ((int64_t)NEAREST << (i - 1)) : c - 1;
    return rank > 1 && i < ONLINE_MARKS - 1 ? rank : 1;
}

/* Brings the scans up to date after a drop. */
static void rescan(traj_online *o, const traj_slots *l)
{
    int64_t c = l->count;
    int i = 0;
    while (rank_of_mark(i, c) >= o->dropped && rank_of_mark(i, c) > 1) i++;
    online_scan s = o->mark[i];
    if (o->dropped <= 1) {
        uint32_t first = l->at[0].next;
        int64_t len = l->at[first].step;
        s = (online_scan){.rank = 1, .slot = first, .best_price = INT64_MAX, .len = len, .cost = traj_cost(len, c)};
    }
    for (;; i--) {
        int64_t rank = rank_of_mark(i, c);
        while (s.rank < rank) {
            uint32_t next = l->at[s.slot].next;
            weigh(&s, l->at[next].step - l->at[s.slot].step, c - s.rank);
            s.slot = next;
            s.rank++;
        }
        o->mark[i] = s;
        if (i == 0) break;
    }
    o->dropped = c;
}

/* While lengths of k + 1 suffice: 1 and the slot to take (0: none), or 0 when they do not any more. */
static int thin_out(traj_online *o, const traj_slots *l, int64_t n, uint32_t *taken)
{
    for (;;) {
        const traj_slot *first = &l->at[o->slot];
        uint32_t next = first->next, after = l->at[next].next;
        int64_t longest = (int64_t)l->count - o->rank + 1;
        *taken = next;
        if (!next) return n + 1 - first->step <= longest;
        if ((after ? l->at[after].step : n) - first->step <= longest) return 1;
        o->slot = next;
        o->rank++;
    }
}

uint32_t traj_online_choose(traj_online *o, const traj_slots *l, int64_t n)
{
    uint32_t taken;
    if (o->thinning && thin_out(o, l, n, &taken)) return taken;
    o->thinning = 0;
    if (o->dropped < l->count) rescan(o, l);
    online_scan s = o->mark[0];
    int64_t len = n - l->at[l->tail].step;
    weigh(&s, len, 1);
    if (s.best_price + s.shift + 1 > len + 1) return 0; /* R(1, 1) = 1 for the new segment; R(len+1, 1) - R(len, 1) = len+1 */
    o->dropped = s.best_rank;
    return s.best;
}
