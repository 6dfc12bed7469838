/* arena.c - a list of chunks, each twice as large as the one before it up to a megabyte. A piece that is larger gets a chunk of
 * its own. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct chunk {
    struct chunk *next;
    size_t size, used; /* bytes after this header */
    _Alignas(max_align_t) unsigned char byte[];
} chunk;

struct ad_arena {
    chunk *first; /* the one that pieces are taken from */
    jmp_buf *out_of_memory;
    size_t limit, taken; /* bytes of all chunks; limit 0: none */
};

enum { FIRST_CHUNK = 1 << 14, LAST_CHUNK = 1 << 20 };

ad_arena *ad_arena_open(jmp_buf *out_of_memory, size_t limit)
{
    ad_arena *m = calloc(1, sizeof *m);
    if (m) {
        m->out_of_memory = out_of_memory;
        m->limit = limit;
    }
    return m;
}

void ad_arena_close(ad_arena *m)
{
    if (!m) return;
    for (chunk *c = m->first, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(m);
}

static chunk *chunk_new(ad_arena *m, size_t bytes)
{
    size_t size = m->first ? 2 * m->first->size : FIRST_CHUNK;
    if (size > LAST_CHUNK) size = LAST_CHUNK;
    if (size < bytes) size = bytes;
    if (m->limit && (size > m->limit || m->taken > m->limit - size)) longjmp(*m->out_of_memory, 1);
    chunk *c = calloc(1, sizeof *c + size);
    if (!c) longjmp(*m->out_of_memory, 1);
    c->size = size;
    m->taken += size;
    if (size > LAST_CHUNK && m->first) { /* full at once: the present chunk stays in use */
        c->next = m->first->next;
        m->first->next = c;
    } else {
        c->next = m->first;
        m->first = c;
    }
    return c;
}

void *ad_take(ad_arena *m, size_t bytes)
{
    const size_t grain = _Alignof(max_align_t);
    if (bytes > SIZE_MAX / 4) longjmp(*m->out_of_memory, 1);
    bytes = (bytes + grain - 1) / grain * grain;
    chunk *c = m->first;
    if (!c || c->size - c->used < bytes) c = chunk_new(m, bytes);
    void *piece = c->byte + c->used;
    c->used += bytes;
    return piece;
}

void *ad_grow(ad_arena *m, void *old, size_t old_bytes, size_t bytes)
{
    void *piece = ad_take(m, bytes);
    if (old_bytes) memcpy(piece, old, old_bytes < bytes ? old_bytes : bytes);
    return piece;
}

char *ad_text(ad_arena *m, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *s = ad_take(m, n < 0 ? 1 : (size_t)n + 1);
    if (n >= 0) vsnprintf(s, (size_t)n + 1, format, again);
    va_end(again);
    return s;
}

char *ad_text_n(ad_arena *m, const char *s, size_t n)
{
    char *copy = ad_take(m, n + 1);
    if (n) memcpy(copy, s, n);
    return copy;
}
