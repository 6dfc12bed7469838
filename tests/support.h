/* support.h - what several test programs need: an allocator that counts, poisons and fails, and comparisons bit for bit. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <costate/costate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- an allocator ------------------------------------------------------------------------------------------------ */

/* Fresh and released memory is filled with bits that read as NaN, so that a value nobody wrote cannot pass for a number. */
typedef struct heap {
    int64_t live, requests;   /* blocks not yet released; requests so far */
    int64_t bytes, peak;      /* in live blocks; most of them at any time */
    int64_t fail_at;          /* the number of the request that fails; 0: none */
    int fail_on;              /* and all that follow */
    int holds;                /* other bits for fresh memory, as a byte; 0: those */
} heap;

typedef union heap_head {
    struct {
        size_t bytes, check;
    } block;
    max_align_t align;
} heap_head;

static inline void *heap_alloc(size_t bytes, void *ctx)
{
    heap *h = ctx;
    h->requests++;
    if (h->fail_at && (h->fail_on ? h->requests >= h->fail_at : h->requests == h->fail_at)) return NULL;
    heap_head *head = malloc(sizeof *head + bytes);
    assert_non_null(head);
    head->block.bytes = bytes;
    head->block.check = ~bytes;
    h->live++;
    h->bytes += (int64_t)bytes;
    if (h->bytes > h->peak) h->peak = h->bytes;
    return memset(head + 1, h->holds ? h->holds : 0xFF, bytes);
}

static inline void heap_release(void *block, void *ctx)
{
    heap *h = ctx;
    heap_head *head = (heap_head *)block - 1;
    assert_true(head->block.check == ~head->block.bytes); /* one of ours, released once */
    h->live--;
    h->bytes -= (int64_t)head->block.bytes;
    memset(head, 0xFF, sizeof *head + head->block.bytes);
    free(head);
}

static inline costate_allocator heap_allocator(heap *h)
{
    return (costate_allocator){heap_alloc, heap_release, h};
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

static inline void assert_bits(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(a + i, b + i, sizeof *a)) fail_msg("entry %zu of %zu differs: %.17g and %.17g", i, count, a[i], b[i]);
}

static inline void assert_nan(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(x[i])) fail_msg("entry %zu of %zu is %.17g, not NaN", i, count, x[i]);
}

static inline void assert_finite(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) fail_msg("entry %zu of %zu is %.17g", i, count, x[i]);
}

static inline void assert_near(double a, double b, double most)
{
    if (!(fabs(a - b) <= most)) fail_msg("%.17g and %.17g are %.3g apart, more than %.3g", a, b, fabs(a - b), most);
}

static inline void fill(double *x, size_t count, double value)
{
    for (size_t i = 0; i < count; i++) x[i] = value;
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

static inline void assert_ok(const costate_solver *s, int status)
{
    if (status) fail_msg("status %d: %s", status, costate_message(s));
}

static inline costate_solver *make_solver(const costate_problem *prob, const costate_options *opt)
{
    costate_solver *s = NULL;
    int status = costate_create(&s, prob, opt);
    assert_ok(s, status);
    return s;
}

static inline costate_stats stats_of(const costate_solver *s)
{
    costate_stats st;
    assert_int_equal(costate_get_stats(s, &st), 0);
    return st;
}

/* The message has the general words for the code, the given detail, and advice. */
static inline void assert_message(const costate_solver *s, int code, const char *detail)
{
    const char *m = costate_message(s), *what = costate_status_text(code), *at = strstr(m, detail);
    if (strncmp(m, what, strlen(what))) fail_msg("\"%s\" does not begin with \"%s\"", m, what);
    if (!at) fail_msg("\"%s\" does not mention \"%s\"", m, detail);
    if (!strstr(m, "; try: ")) fail_msg("\"%s\" gives no advice", m);
}

static inline void assert_refused(const costate_solver *s, int status, int code, const char *detail)
{
    if (status != code) fail_msg("status %d, not %d: %s", status, code, costate_message(s));
    assert_message(s, code, detail);
}

#endif
