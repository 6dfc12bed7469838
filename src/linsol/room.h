/* room.h - an array that is allocated when it is first needed and kept; it only ever grows. */
#ifndef COSTATE_LINSOL_ROOM_H
#define COSTATE_LINSOL_ROOM_H

#include "base/alloc.h"

typedef struct room {
    void *at;
    size_t bytes;
} room;

/* Makes room for `count` items; what it held is lost if it moves. 0 or COSTATE_ERR_MEMORY, then the room is empty. */
static inline int room_for(room *r, const costate_allocator *a, size_t count, size_t size)
{
    if (r->at && count <= r->bytes / size) return 0;
    cst__release(a, r->at);
    r->at = cst__alloc(a, count, size);
    r->bytes = r->at ? count * size : 0;
    return r->at ? 0 : COSTATE_ERR_MEMORY;
}

static inline void room_release(room *r, const costate_allocator *a)
{
    cst__release(a, r->at);
    *r = (room){0};
}

#endif
