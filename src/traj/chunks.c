/* chunks.c - memory in units of one state.
 *
 * Each chunk doubles what is there, so that no state ever moves and few allocations are made. */
#include "traj/store.h"

#include <string.h>

enum { POOL_FIRST = 16384 }; /* bytes of the first chunk */

int traj_pool_grow(traj_pool *p, int64_t multiple, int64_t limit)
{
    int64_t more = p->units, least = POOL_FIRST / (int64_t)(p->unit * sizeof(double)), room = limit - p->units;
    if (more < least) more = least;
    if (more < multiple) more = multiple;
    if (more > room) more = room;
    more -= more % multiple;
    if (p->growing) p->growing(p->ctx);
    double *base = cst__alloc(p->alloc, (size_t)more, p->unit * sizeof(double));
    if (!base) return COSTATE_ERR_MEMORY;
    p->chunk[p->chunks++].base = base;
    p->units += more;
    p->chunk[p->chunks].first = p->units;
    return 0;
}

void traj_pool_cut(traj_pool *p, int64_t units)
{
    int gone = 0;
    while (gone < p->chunks && p->chunk[gone].first < units) cst__release(p->alloc, p->chunk[gone++].base);
    p->chunks -= gone;
    p->units -= units;
    memmove(p->chunk, p->chunk + gone, (size_t)(p->chunks + 1) * sizeof p->chunk[0]);
    for (int i = 0; i <= p->chunks; i++) p->chunk[i].first -= units;
}
