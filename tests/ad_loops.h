/* ad_loops.h - for tests of passes over loops: a function from a few lines of C, what it looks like, what its reverse is. */
#ifndef TESTS_AD_LOOPS_H
#define TESTS_AD_LOOPS_H

#include "ad_interpret.h"

#include "front/front.h"
#include "tree/loops.h"
#include "shape/index_set_split.h"
#include "shape/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define FOR "for (int i = 0; i < N; i++) "

static ad_arena *open_arena(jmp_buf *full)
{
    ad_arena *m = ad_arena_open(full, 0);
    assert_non_null(m);
    return m;
}

/* Checks case after case, all of them. */
static inline void check_cases(int cases, int (*good)(ad_arena *m, int i))
{
    jmp_buf full;
    volatile int wrong = 0;
    if (setjmp(full)) fail_msg("out of memory");
    ad_arena *m = open_arena(&full);
    for (int i = 0; i < cases; i++)
        if (!good(m, i)) wrong = 1;
    ad_arena_close(m);
    assert_int_equal(wrong, 0);
}

static ad_fn *function(ad_arena *m, int n, const char *text)
{
    ad_diag *d = ad_diag_open(m);
    ad_fn *fn = ad_front_function(m, d, "model.c", ad_text(m, "typedef unsigned long size_t;\nenum { N = %d };\n"
                                  "void rhs(double t, const double *y, const double *p, double *f) { %s }\n", n, text), "rhs");
    if (!fn) fail_msg("%s", ad_diag_text(d));
    return fn;
}

static inline int count_loops(const ad_node *n)
{
    int count = n && n->op == AD_FOR;
    for (int i = 0; n && i < n->kids; i++) count += count_loops(n->kid[i]);
    return count;
}

#endif
