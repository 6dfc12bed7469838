/* alloc.h - all memory of a solver goes through here, so that a user's allocator sees it and a test can make any request fail. */
#ifndef COSTATE_BASE_ALLOC_H
#define COSTATE_BASE_ALLOC_H

#include <costate/costate.h>
#include <pthread.h>

/* Blocks are 64-byte aligned, so that lanes can be loaded as whole vectors. NULL: no memory, or a size that overflows. */
void *cst__alloc(const costate_allocator *a, size_t count, size_t size);
void cst__release(const costate_allocator *a, void *block); /* NULL is fine */

/* A user's allocator for several threads: one at a time is let through. malloc needs no such guard. */
typedef struct alloc_guard {
    costate_allocator inner;
    pthread_mutex_t lock;
} alloc_guard;
costate_allocator cst__guard(alloc_guard *g, const costate_allocator *a);
costate_allocator cst__unguard(alloc_guard *g, const costate_allocator *a); /* what g was put around, if a is its guard; else a */

/* Doubles rounded up to a whole number of 64-byte lines. */
static inline size_t cst__pad(size_t doubles)
{
    return (doubles + 7) & ~(size_t)7;
}

#endif
