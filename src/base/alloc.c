/* alloc.c - aligned blocks from the user's allocator or from malloc. The block that was really allocated is remembered in
 * front. */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>

enum { LINE = 64 };

void *cst__alloc(const costate_allocator *a, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - 2 * LINE) / size) return NULL;
    size_t bytes = count * size + LINE + sizeof(void *);
    void *raw = a->alloc ? a->alloc(bytes, a->ctx) : malloc(bytes);
    if (!raw) return NULL;
    uintptr_t at = ((uintptr_t)raw + sizeof(void *) + LINE - 1) & ~(uintptr_t)(LINE - 1);
    void **block = (void **)at;
    block[-1] = raw;
    return block;
}

void cst__release(const costate_allocator *a, void *block)
{
    if (!block) return;
    void *raw = ((void **)block)[-1];
    if (a->release) a->release(raw, a->ctx);
    else free(raw);
}

static void *guarded_alloc(size_t bytes, void *ctx)
{
    alloc_guard *g = ctx;
    pthread_mutex_lock(&g->lock);
    void *block = g->inner.alloc(bytes, g->inner.ctx);
    pthread_mutex_unlock(&g->lock);
    return block;
}

static void guarded_release(void *block, void *ctx)
{
    alloc_guard *g = ctx;
    pthread_mutex_lock(&g->lock);
    g->inner.release(block, g->inner.ctx);
    pthread_mutex_unlock(&g->lock);
}

costate_allocator cst__guard(alloc_guard *g, const costate_allocator *a)
{
    if (!a->alloc) return *a;
    g->inner = *a;
    pthread_mutex_init(&g->lock, NULL);
    return (costate_allocator){guarded_alloc, guarded_release, g};
}

costate_allocator cst__unguard(alloc_guard *g, const costate_allocator *a)
{
    if (a->ctx != g) return *a;
    pthread_mutex_destroy(&g->lock);
    return g->inner;
}
