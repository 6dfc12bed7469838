/* passes.c - the order of the passes, a row each. A new pass is a file, a prototype in passes_in.h, and a row here; its case in
 * tests/test_ad_passes.c shows that it does something. */
#include "shape/passes_in.h"

#include "derive/accumulate.h"
#include "derive/linearize.h"
#include "shape/index_set_split.h"

#include <string.h>

/* ---- passes of other folders -------------------------------------------------------------------------------------------- */

static void split_index_sets(ad_run *r)
{
    ad_fn *split = ad_split_index_sets(r->m, r->fn);
    if (split) r->fn = split;
}

static void nothing(ad_run *r)
{
    (void)r;
}

static void unfold(ad_run *r)
{
    ad_unfold(r->m, r->fn);
}

static void scalar_arrays(ad_run *r)
{
    ad_scalar_arrays(r->m, r->fn);
}

static void privatize(ad_run *r)
{
    ad_privatize(r->m, r->fn);
}

static void reverse(ad_run *r)
{
    r->fn = ad_reverse(r->m, r->fn, r->plan->by);
}

static void first_sums(ad_run *r)
{
    ad_first_sums(r->m, r->fn);
}

static void accumulate(ad_run *r)
{
    ad_accumulate(r->m, r->fn);
}

static void over_points(ad_run *r)
{
    if (!ad_over_points(r->m, r->fn)) r->fn = NULL;
}

static void tangent_of_level(ad_run *r, int level)
{
    static const char *const slot[] = {"t", "y", "p", "u"};
    const char *moving[5] = {0};
    for (int i = 0, n = 0; i < 4; i++)
        if (strchr(r->plan->move[level - 1], slot[i][0])) moving[n++] = slot[i];
    r->fn = ad_tangent(r->m, r->fn, &(ad_wrt){level, moving, r->plan->keep});
}

static void tangent(ad_run *r)
{
    tangent_of_level(r, 1);
}

static void second_tangent(ad_run *r)
{
    tangent_of_level(r, 2);
}

/* ---- the table ------------------------------------------------------------------------------------------------------------ */

static const ad_pass passes[] = {
    {"index-set-split", split_index_sets, AD_DERIVE, AD_ONE_LANE, 0, 0,
     "loops over indices that wrap around or stop at the ends, in pieces"},
    {"dead-code", nothing, AD_DERIVE, AD_BOTH, 0, AD_LIVE, "statements whose results nothing reads go"},
    {"unfold", unfold, AD_DERIVE, AD_BOTH, AD_REVERSED, 0, "a ?: that guards its arms becomes an if"},
    {"scalar-arrays", scalar_arrays, AD_DERIVE, AD_BOTH, AD_REVERSED, AD_LIVE,
     "arrays with constant indices alone become scalars"},
    {"privatize", privatize, AD_DERIVE, AD_BOTH, AD_REVERSED, AD_LIVE,
     "scalars that a loop sets before it reads them become its own"},
    {"reverse", reverse, AD_DERIVE, AD_BOTH, AD_REVERSED, AD_LIVE, "reverse mode: u in, yb and pb added to"},
    {"first-sums", first_sums, AD_DERIVE, AD_BOTH, AD_REVERSED, 0, "x = 0; x += e becomes x = e"},
    {"accumulate", accumulate, AD_DERIVE, AD_BOTH, AD_REVERSED, 0, "sums of adjoints are brought together where they are used"},
    {"points", over_points, AD_DERIVE, AD_BOTH, AD_REVERSED | AD_POINTS, 0,
     "loops over several points, inside the outermost loop"},
    {"tangent", tangent, AD_DERIVE, AD_BOTH, AD_TANGENT, AD_LIVE, "forward mode: every value carries its derivative along"},
    {"second-tangent", second_tangent, AD_DERIVE, AD_BOTH, AD_TANGENT2, AD_LIVE, "forward mode once more, in a second direction"},

    {"common-factors", ad_common_factors, AD_SHAPE, AD_BOTH, 0, AD_DEFS, "f a + f b + f c becomes f (a + b + c)"},
    {"register-tile", ad_tile_registers, AD_SHAPE, AD_BOTH, AD_POINTS, AD_LIVE,
     "sums over points stay in registers, tile by tile"},
    {"local-sums", ad_local_sums, AD_SHAPE, AD_BOTH, 0, AD_DEFS, "what a loop adds to one element is summed in a local"},
    {"scalar-sums", ad_scalar_sums, AD_SHAPE, AD_LANES, 0, 0, "sums without lanes in loops of their own"},
    {"fusion", ad_fuse_loops, AD_SHAPE, AD_BOTH, 0, AD_DEFS, "loops side by side that read the same elements become one"},
    {"scatter-to-gather", ad_scatter_to_gather, AD_SHAPE, AD_BOTH, 0, AD_DEFS, "stencils take what reverse mode has them give"},
    {"defer", ad_defer_additions, AD_SHAPE, AD_ONE_LANE, 0, 0,
     "additions to what an inner loop adds to, too, come after the loop"},
    {"merge-sums", ad_merge_sums, AD_SHAPE, AD_BOTH, 0, 0, "additions to one element in one iteration become one"},
    {"vectorize", ad_vectorize, AD_SHAPE, AD_BOTH, 0, 0, "loops of independent iterations are marked"},
    {"distribute", ad_distribute_scatters, AD_SHAPE, AD_ONE_LANE, 0, 0, "scatters: values into rows first, then additions"},
    {"unroll-jam", ad_unroll_and_jam, AD_SHAPE, AD_BOTH, 0, 0, "several iterations of an outer loop side by side"},
    {"peel-sums", ad_peel_sums, AD_SHAPE, AD_BOTH, 0, 0, "the terms of a sum that do not fill a vector in a loop of their own"},
    {"first-local-sums", first_sums, AD_SHAPE, AD_BOTH, 0, 0, "x = 0; x += e becomes x = e, for locals of these passes"},
    {"single-additions", ad_single_additions, AD_SHAPE, AD_BOTH, 0, AD_DEFS, "x += a b + c d becomes x += a b; x += c d"},
    {"order-factors", ad_order_factors, AD_SHAPE, AD_LANES, 0, 0, "factors with lanes first, in straight code"},
    {"row-pointers", ad_row_pointers, AD_SHAPE, AD_BOTH, AD_UNCHECKED, 0, "pointers to rows, where there are many addresses"},
};

enum { PASSES = sizeof passes / sizeof *passes };

const ad_pass *ad_passes(int *count)
{
    *count = PASSES;
    return passes;
}

const ad_pass *ad_pass_named(const char *name)
{
    for (int i = 0; i < PASSES; i++)
        if (strcmp(passes[i].name, name) == 0) return &passes[i];
    return NULL;
}

/* ---- all of them ---------------------------------------------------------------------------------------------------------- */

static int what(const ad_plan *p)
{
    return (p->by ? AD_REVERSED : 0) | (p->points ? AD_POINTS : 0) | (p->levels > 0 ? AD_TANGENT : 0) |
           (p->levels > 1 ? AD_TANGENT2 : 0) | (p->checked ? 0 : AD_UNCHECKED);
}

static ad_fn *run(ad_arena *m, ad_fn *fn, const ad_plan *plan, int stage)
{
    ad_run r = {.m = m, .fn = fn, .plan = plan, .lanes = plan->lanes};
    for (const ad_pass *p = passes; p < passes + PASSES; p++) {
        if (p->stage != stage || !(p->lanes & (plan->lanes ? AD_LANES : AD_ONE_LANE)) || (p->where & ~what(plan))) continue;
        p->run(&r);
        if (!r.fn) return NULL;
        if (p->anew & AD_LIVE) ad_dead(m, r.fn);
        if (p->anew & AD_DEFS) r.defs = ad_defs_of(m, r.fn, r.fn->body);
        if (plan->watch) plan->watch->after(plan->watch->context, plan, p, r.fn);
    }
    return r.fn;
}

ad_fn *ad_derive(ad_arena *m, const ad_fn *f, const ad_plan *plan)
{
    return run(m, ad_fn_copy(m, f, NULL), plan, AD_DERIVE);
}

void ad_shape(ad_arena *m, ad_fn *fn, const ad_plan *plan)
{
    fn->body = ad_copy(m, fn->body, NULL); /* passes change trees in place, and trees may share parts */
    run(m, fn, plan, AD_SHAPE);
}
