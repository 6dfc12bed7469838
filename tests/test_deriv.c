/* test_deriv.c - derivative products: every link of every chain against exact products; parts left out, what is the user's own,
 * what it costs, what happens when memory or a callback fails. */
#include "deriv_model.h"

#include <stdlib.h>

static const double exactly = 1e-13, once = 1e-8, twice = 1e-4; /* relative errors: no difference, one, one of another */

/* The parts t (1), y (2) and p (4) of direction i. */
static void choose(const sample *x, int i, int parts, const double *d[3])
{
    d[0] = parts & 1 ? x->tdot[i] : NULL;
    d[1] = parts & 2 ? x->ydot[i] : NULL;
    d[2] = parts & 4 ? x->pdot[i] : NULL;
}

/* ---- products against the model ----------------------------------------------------------------------------------------- */

static void check_jvp(fixture *f, int parts, double tol)
{
    const sample *x = &f->x;
    const double *d[3], *none[3] = {0};
    double got[N * W], want[N * W];
    choose(x, 0, parts, d);
    memset(got, 0xff, sizeof got); /* NaN: jvp writes */
    jvp2_of(&f->o, f->o.n, f->o.n, 0, x->t, x->y, x->p, f->w, d, none, want, NULL);
    assert_int_equal(deriv_jvp(&f->d, x->t, x->y, x->p, f->w, d[0], d[1], d[2], got), 0);
    close_to(got, NULL, want, f->o.n * f->w, tol);
}

static void check_jvp2(fixture *f, int parts1, int parts2, double tol)
{
    const sample *x = &f->x;
    const double *d1[3], *d2[3];
    double got[N * W], want[N * W];
    choose(x, 0, parts1, d1);
    choose(x, 1, parts2, d2);
    memset(got, 0xff, sizeof got);
    jvp2_of(&f->o, f->o.n, f->o.n, 0, x->t, x->y, x->p, f->w, d1, d2, NULL, want);
    assert_int_equal(deriv_jvp2(&f->d, x->t, x->y, x->p, f->w, d1[0], d1[1], d1[2], d2[0], d2[1], d2[2], got), 0);
    close_to(got, NULL, want, f->o.n * f->w, tol);
}

typedef struct outputs { /* yb, ybdot, pb, pbdot: of the product, exact, and where to write, NULL when not wanted */
    double got[4][NP * W], want[4][NP * W], *to[4];
} outputs;

static void start(outputs *r, const sample *x, int wanted)
{
    for (int i = 0; i < 4; i++) {
        memcpy(r->got[i], x->base, sizeof x->base);
        memset(r->want[i], 0, sizeof r->want[i]);
        r->to[i] = wanted >> i & 1 ? r->got[i] : NULL;
    }
}

static void finish(outputs *r, const fixture *f, int ny, const double tol[4])
{
    for (int i = 0; i < 4; i++)
        if (r->to[i]) close_to(r->got[i], f->x.base, r->want[i], (i < 2 ? ny : f->o.np) * f->w, tol[i]);
}

static double *const *all_of(double rows[4][NP * W], double *at[4])
{
    for (int i = 0; i < 4; i++) at[i] = rows[i];
    return at;
}

/* wanted: 1 yb, 2 ybdot, 4 pb, 8 pbdot; vjp gives the 1 and the 4. */
static void check_vjp(fixture *f, int wanted, const double tol[4])
{
    const sample *x = &f->x;
    const double *none[3] = {0};
    double *at[4];
    outputs r;
    start(&r, x, wanted);
    vjp_dot_of(&f->o, f->o.n, f->o.n, 0, x->t, x->y, x->p, f->w, none, x->u, NULL, all_of(r.want, at));
    assert_int_equal(deriv_vjp(&f->d, x->t, x->y, x->p, f->w, x->u, r.to[0], r.to[2]), 0);
    finish(&r, f, f->o.n, tol);
}

static void check_vjp_dot(fixture *f, int parts, int moving, int wanted, const double tol[4])
{
    const sample *x = &f->x;
    const double *d[3], *udot = moving ? x->udot : NULL;
    double *at[4];
    outputs r;
    choose(x, 0, parts, d);
    start(&r, x, wanted);
    vjp_dot_of(&f->o, f->o.n, f->o.n, 0, x->t, x->y, x->p, f->w, d, x->u, udot, all_of(r.want, at));
    assert_int_equal(
        deriv_vjp_dot(&f->d, x->t, x->y, x->p, f->w, d[0], d[1], d[2], x->u, udot, r.to[0], r.to[1], r.to[2], r.to[3]), 0);
    finish(&r, f, f->o.n, tol);
}

/* What the links promise. `parts` of the direction of jvp, `wanted` of vjp_dot. */
static double tol_jvp(unsigned given, int parts)
{
    return given & JVP || (given & JAC && !(parts & 5)) ? exactly : once;
}

static double tol_jvp2(unsigned given, int parts1)
{
    return given & JVP2 ? exactly : tol_jvp(given, parts1) == exactly ? once : twice;
}

static void tol_vjp(unsigned given, double tol[4])
{
    tol[0] = given & (VJP | JVP | JAC) ? exactly : once;
    tol[2] = given & (VJP | JVP) ? exactly : once;
    tol[1] = tol[3] = exactly; /* vjp leaves them alone */
}

static void tol_vjp_dot(unsigned given, int wanted, double tol[4])
{
    tol_vjp(given, tol);
    int again = (wanted & 2 && tol[0] == once) || (wanted & 8 && tol[2] == once);
    if (given & VJP_DOT) tol[0] = tol[2] = exactly;
    tol[1] = tol[3] = given & VJP_DOT ? exactly : again ? twice : once;
}

/* The first derivatives written by hand are those of the model, and its callbacks agree among themselves. */
static void model_is_right(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, 3, 2, 1, 0);
    const sample *x = &f.x;
    cplx zy[N], zp[NP], zf[N];
    double fdot[N], yb[N] = {0}, pb[NP] = {0}, by_seed = 0, by_direction = 0;
    point(3, 1, 0, x->y, x->ydot[0], zy);
    point(2, 1, 0, x->p, x->pdot[0], zp);
    model(3, 3, 2, 0, x->t + I * tiny * x->tdot[0][0], zy, zp, zf);
    jvp(x->t, x->y, x->p, 1, x->tdot[0], x->ydot[0], x->pdot[0], fdot, &f.o);
    for (int i = 0; i < 3; i++) assert_true(fabs(cimag(zf[i]) / tiny - fdot[i]) <= exactly);
    jvp(x->t, x->y, x->p, 1, NULL, x->ydot[0], x->pdot[0], fdot, &f.o);
    vjp(x->t, x->y, x->p, 1, x->u, yb, pb, &f.o);
    for (int i = 0; i < 3; i++) by_seed += yb[i] * x->ydot[0][i];
    for (int i = 0; i < 2; i++) by_seed += pb[i] * x->pdot[0][i];
    for (int i = 0; i < 3; i++) by_direction += x->u[i] * fdot[i];
    assert_true(fabs(by_seed - by_direction) <= exactly);
}

static void chains_of_the_right_hand_side(void **state)
{
    (void)state;
    static const int ns[] = {1, 3, 12}, nps[] = {0, 2, 15}, ws[] = {1, 3, 8};
    for (unsigned given = 0; given < 32; given++)
        for (int c = 0; c < 27; c++) {
            fixture f;
            double tol[4];
            prepare(&f, ns[c % 3], nps[c / 3 % 3], ws[c / 9], given);
            open_with(&f, f.w);
            int np = f.o.np; /* a block of no parameters is as good as none */
            check_jvp(&f, 7, tol_jvp(given, 7));
            check_jvp(&f, 6, tol_jvp(given, np ? 6 : 2));
            check_jvp2(&f, 7, 7, tol_jvp2(given, 7));
            check_jvp2(&f, 6, 7, tol_jvp2(given, np ? 6 : 2));
            tol_vjp(given, tol);
            check_vjp(&f, 15, tol);
            tol_vjp_dot(given, np ? 15 : 3, tol);
            check_vjp_dot(&f, 7, 1, 15, tol);
            assert_true(f.o.widest <= f.w);
            deriv_close(&f.d);
        }
}

/* Every subset of the direction's parts and of the outputs. */
static void parts_left_out(void **state)
{
    (void)state;
    for (unsigned given = 0; given < 32; given++) {
        fixture f;
        double tol[4];
        prepare(&f, 3, 2, 3, given);
        open_with(&f, 3);
        for (int parts = 0; parts < 8; parts++) {
            check_jvp(&f, parts, tol_jvp(given, parts));
            for (int parts2 = 0; parts2 < 8; parts2++) check_jvp2(&f, parts, parts2, tol_jvp2(given, parts));
        }
        for (int wanted = 0; wanted < 16; wanted++) {
            tol_vjp(given, tol);
            check_vjp(&f, wanted, tol);
            tol_vjp_dot(given, wanted, tol);
            for (int parts = 0; parts < 16; parts++) check_vjp_dot(&f, parts & 7, parts >> 3, wanted, tol);
        }
        deriv_close(&f.d);
    }
}

/* One function, with one set of parts. init has no y, which must not reach the user's products even when a caller passes it. */
static void check_function(fixture *f, const deriv_function *fn, int k, unsigned given, int parts, int wanted)
{
    const sample *x = &f->x;
    int init = fn == &f->d.init, n = init ? 0 : f->o.n, w = f->w;
    const double *d[3], *real[3], *none[3] = {0}, *y = init ? NULL : x->y;
    double got[ROWS * W], want[ROWS * W], tol[4], *at[4];
    outputs r;
    assert_int_equal(fn->rows, init ? f->o.n : M);
    assert_int_equal(fn->fn.eval(k, x->t, y, x->p, got, fn->data), 0);
    assert_int_equal(fn_eval(k, x->t, y, x->p, want, &f->o), 0);
    assert_memory_equal(got, want, (size_t)fn->rows * sizeof *got);

    choose(x, 0, given == 7 && init ? parts & 4 : parts, d);
    choose(x, 0, init ? parts & 4 : parts, real);
    memset(got, 0xff, sizeof got);
    jvp2_of(&f->o, fn->rows, n, k, x->t, y, x->p, w, real, none, want, NULL);
    assert_int_equal(fn->fn.jvp(k, x->t, y, x->p, w, d[0], d[1], d[2], got, fn->data), 0);
    close_to(got, NULL, want, fn->rows * w, given & JVP || (given & VJP && !(parts & 1)) ? exactly : once);

    if (given == 7 && init) wanted &= 12;
    start(&r, x, wanted);
    vjp_dot_of(&f->o, fn->rows, n, k, x->t, y, x->p, w, none, x->u, NULL, all_of(r.want, at));
    assert_int_equal(fn->fn.vjp(k, x->t, y, x->p, w, x->u, r.to[0], r.to[2], fn->data), 0);
    tol_vjp(given, tol);
    finish(&r, f, n, tol);

    start(&r, x, wanted);
    vjp_dot_of(&f->o, fn->rows, n, k, x->t, y, x->p, w, real, x->u, x->udot, all_of(r.want, at));
    assert_int_equal(
        fn->fn.vjp_dot(k, x->t, y, x->p, w, d[0], d[1], d[2], x->u, x->udot, r.to[0], r.to[1], r.to[2], r.to[3], fn->data), 0);
    tol_vjp_dot(given, wanted, tol);
    finish(&r, f, n, tol);
}

static void chains_of_the_functions(void **state)
{
    (void)state;
    static const int ns[] = {1, 3, 12}, nps[] = {0, 2, 15}, ws[] = {1, 3, 8};
    for (unsigned given = 0; given < 8; given++)
        for (int c = 0; c < 27; c++) {
            fixture f;
            prepare(&f, ns[c % 3], nps[c / 3 % 3], ws[c / 9], given);
            give_functions(&f, given);
            open_with(&f, f.w);
            const deriv_function *fn[] = {&f.d.init, &f.d.terminal, &f.d.running, &f.d.observe};
            for (int i = 0; i < 4; i++) {
                check_function(&f, fn[i], i == 3 ? 2 : 0, given, 7, 15);
                if (c == 13)
                    for (int j = 0; j < 8 * 16; j++) check_function(&f, fn[i], i, given, j & 7, j >> 3);
            }
            assert_true(f.o.widest <= f.w);
            deriv_close(&f.d);
        }
}

/* ---- what is the user's stays so ---------------------------------------------------------------------------------------- */

typedef struct memory {
    int requests, fail_at, live;
} memory;

static void *take(size_t bytes, void *ctx)
{
    memory *m = ctx;
    if (++m->requests == m->fail_at) return NULL;
    m->live++;
    return malloc(bytes);
}

static void give_back(void *block, void *ctx)
{
    ((memory *)ctx)->live--;
    free(block);
}

static void everything_given(void **state)
{
    (void)state;
    fixture f;
    memory m = {0};
    prepare(&f, 3, 2, 3, JVP | VJP | VJP_DOT | JVP2);
    give_functions(&f, JVP | VJP | VJP_DOT);
    f.prob.running = (costate_function){.jvp = fn_jvp}; /* no eval: no function */
    assert_int_equal(deriv_open(&f.d, &f.prob, 3, &(costate_allocator){take, give_back, &m}, &f.count), COSTATE_OK);
    assert_int_equal(m.requests, 0);
    assert_true(f.d.jvp == jvp && f.d.vjp == vjp && f.d.jvp2 == jvp2 && f.d.vjp_dot == vjp_dot);
    assert_true(f.d.jvp_data == &f.o && f.d.vjp_data == &f.o && f.d.jvp2_data == &f.o && f.d.vjp_dot_data == &f.o);
    assert_true(f.d.observe.fn.eval == fn_eval && f.d.observe.fn.vjp_dot == fn_vjp_dot && f.d.observe.data == &f.o);
    assert_true(!f.d.running.fn.eval && !f.d.running.fn.jvp && !f.d.running.fn.vjp && !f.d.running.fn.vjp_dot);
    deriv_close(&f.d);
    deriv_close(&f.d);
}

static void memory_runs_out(void **state)
{
    (void)state;
    for (unsigned given = 0; given < 32; given++) {
        fixture f;
        prepare(&f, 3, 2, 3, given);
        give_functions(&f, given & (JVP | VJP | VJP_DOT));
        for (int k = 1, st = COSTATE_ERR_MEMORY; st != COSTATE_OK; k++) {
            memory m = {.fail_at = k};
            st = deriv_open(&f.d, &f.prob, 3, &(costate_allocator){take, give_back, &m}, &f.count);
            assert_true(st == COSTATE_OK || (st == COSTATE_ERR_MEMORY && m.requests == k && m.live == 0));
            deriv_close(&f.d);
            assert_int_equal(m.live, 0);
        }
    }
}

typedef struct marked { /* one block of memory, all of it MARK to begin with */
    unsigned char *at;
    size_t bytes;
} marked;
enum { MARK = 0xA5 };

static void *take_marked(size_t bytes, void *ctx)
{
    *(marked *)ctx = (marked){malloc(bytes), bytes};
    return memset(((marked *)ctx)->at, MARK, bytes);
}

static void give_marked(void *block, void *ctx)
{
    (void)ctx;
    free(block);
}

/* Doubles that something was written to. */
static size_t touched(const marked *m)
{
    size_t count = 0;
    for (size_t i = 0; i + sizeof(double) <= m->bytes; i += sizeof(double)) {
        size_t same = 0;
        while (same < sizeof(double) && m->at[i + same] == MARK) same++;
        count += same < sizeof(double);
    }
    return count;
}

/* The scratch of built products is many states long, and takes memory only where it is used: not by an adjoint, whose products
 * are given. */
static void memory_is_touched_where_it_is_used(void **state)
{
    (void)state;
    fixture f;
    marked m = {0};
    double yb[N] = {0}, pb[NP] = {0}, got[N];
    prepare(&f, N, NP, 1, VJP);
    give_functions(&f, VJP);
    assert_int_equal(deriv_open(&f.d, &f.prob, W, &(costate_allocator){take_marked, give_marked, &m}, &f.count), COSTATE_OK);
    const size_t opened = touched(&m), scratch = m.bytes / sizeof(double) - opened;
    assert_true(scratch > (2 * W + 5) * N);
    assert_int_equal(deriv_vjp(&f.d, f.x.t, f.x.y, f.x.p, 1, f.x.u, yb, pb), 0);
    assert_int_equal(f.d.terminal.fn.vjp(0, f.x.t, f.x.y, f.x.p, 1, f.x.u, yb, pb, f.d.terminal.data), 0);
    assert_int_equal(touched(&m), opened);
    assert_int_equal(f.d.terminal.fn.jvp(0, f.x.t, f.x.y, f.x.p, 1, NULL, f.x.ydot[0], NULL, got, f.d.terminal.data), 0);
    assert_true(touched(&m) > opened);
    deriv_close(&f.d);
}

static void check_text(int np, unsigned given, unsigned objectives, unsigned init, const char *text, int exact, int exact2)
{
    fixture f;
    prepare(&f, 3, np, 1, given);
    f.prob.objectives = M;
    if (objectives)
        f.prob.terminal = function(objectives & JVP ? VJP : objectives & 7), f.prob.observe = function(objectives & 7);
    if (init) f.prob.init = function(init & 7);
    open_with(&f, 1);
    assert_string_equal(f.d.text, text);
    assert_int_equal(f.d.exact, exact);
    assert_int_equal(f.d.exact2, exact2);
    deriv_close(&f.d);
}

static void words(void **state)
{
    (void)state;
    enum { ALL = JVP | VJP | VJP_DOT, SET = 32 };
    check_text(2, ALL | JVP2, 0, 0, "jvp user, vjp user, jvp2 user, vjp_dot user", 1, 1);
    check_text(2, 0, 0, 0, "jvp differences, vjp differences, jvp2 differences, vjp_dot differences", 0, 0);
    check_text(2, JVP, 0, 0, "jvp user, vjp jvp, jvp2 differences, vjp_dot differences", 1, 0);
    check_text(2, JVP | JAC, 0, 0, "jvp user, vjp jac+jvp, jvp2 differences, vjp_dot differences", 1, 0);
    check_text(0, JAC, 0, 0, "jvp jac, vjp jac, jvp2 differences, vjp_dot differences", 1, 0);
    check_text(2, JAC | VJP, 0, 0, "jvp jac+differences, vjp user, jvp2 differences, vjp_dot differences", 0, 0);
    check_text(2, ALL, 0, SET | ALL, "jvp user, vjp user, jvp2 differences, vjp_dot user; init user", 1, 1);
    check_text(2, ALL, SET, SET, "jvp user, vjp user, jvp2 differences, vjp_dot user; objectives differences; init differences",
               0, 0);
    check_text(2, ALL, SET | JVP, 0,
               "jvp user, vjp user, jvp2 differences, vjp_dot user; objectives jvp vjp, vjp jvp, vjp_dot differences", 1, 0);
    check_text(2, JAC, SET | VJP_DOT, SET | VJP_DOT, /* the longest */
               "jvp jac+differences, vjp jac+differences, jvp2 differences, vjp_dot differences; "
               "objectives jvp differences, vjp differences, vjp_dot user; init jvp differences, vjp differences, vjp_dot user",
               0, 0);
}

/* ---- what it costs ------------------------------------------------------------------------------------------------------ */

static void check_counts(unsigned given, int wanted, costate_stats want)
{
    fixture f;
    double tol[4] = {twice, twice, twice, twice};
    prepare(&f, 12, 5, 2, given);
    open_with(&f, 4);
    if (want.jvp2) check_jvp2(&f, 7, 7, twice);
    else if (want.vjp_dot) check_vjp_dot(&f, 7, 1, wanted, tol);
    else if (wanted) check_vjp(&f, wanted, tol);
    else check_jvp(&f, 7, twice);
    assert_memory_equal(&f.count, &want, sizeof want);
    deriv_close(&f.d);
}

static void counts(void **state)
{
    (void)state;
    enum { YB = 1, YBDOT = 2, PB = 4, PBDOT = 8 };
    check_counts(JVP, 0, (costate_stats){.jvp = 1});
    check_counts(0, 0, (costate_stats){.jvp = 1, .rhs = 2 * 2});
    check_counts(JAC, 0, (costate_stats){.jvp = 1, .jac = 1, .rhs = 2 * 2});
    check_counts(0, YB | PB, (costate_stats){.vjp = 1, .rhs = 2 * (12 + 5)});
    check_counts(0, PB, (costate_stats){.vjp = 1, .rhs = 2 * 5});
    check_counts(JVP, YB | PB, (costate_stats){.vjp = 1, .jvp = 3 + 2});
    check_counts(JVP | JAC, YB | PB, (costate_stats){.vjp = 1, .jac = 1, .jvp = 2});
    check_counts(JAC, YB, (costate_stats){.vjp = 1, .jac = 1});
    check_counts(JVP, 0, (costate_stats){.jvp2 = 1, .jvp = 2 * 2});
    check_counts(0, 0, (costate_stats){.jvp2 = 1, .rhs = 4 * 2});
    check_counts(VJP, YB | YBDOT | PB | PBDOT, (costate_stats){.vjp_dot = 1, .vjp = 2 + 2 * 2});
    check_counts(VJP, YBDOT, (costate_stats){.vjp_dot = 1, .vjp = 1 + 2 * 2});
    check_counts(VJP, YB | PB, (costate_stats){.vjp_dot = 1, .vjp = 1});
    check_counts(0, PBDOT, (costate_stats){.vjp_dot = 1, .rhs = 2 * 5 * (1 + 2 * 2)});
}

/* A lane whose direction is zero costs nothing, and neither does a product of which nothing is wanted. */
static void nothing_to_do(void **state)
{
    (void)state;
    fixture f;
    double out[NP * W], zero[NP * W] = {0};
    const sample *x = &f.x;
    prepare(&f, 3, 2, 3, 0);
    open_with(&f, 3);
    for (int i = 0; i < 3; i++) f.x.ydot[0][i * 3 + 1] = 0;
    assert_int_equal(deriv_jvp(&f.d, x->t, x->y, x->p, 3, NULL, x->ydot[0], NULL, out), 0);
    assert_int_equal(f.o.calls, 2 * 2);
    for (int i = 0; i < 3; i++) assert_true(out[i * 3 + 1] == 0 && out[i * 3] != 0);
    assert_int_equal(deriv_jvp(&f.d, x->t, x->y, x->p, 3, zero, zero, zero, out), 0);
    assert_int_equal(deriv_jvp2(&f.d, x->t, x->y, x->p, 3, NULL, x->ydot[0], NULL, zero, zero, zero, out), 0);
    assert_int_equal(deriv_vjp(&f.d, x->t, x->y, x->p, 3, x->u, NULL, NULL), 0);
    assert_int_equal(deriv_vjp_dot(&f.d, x->t, x->y, x->p, 3, zero, zero, zero, x->u, NULL, NULL, out, NULL, out), 0);
    assert_int_equal(f.o.calls, 2 * 2);
    deriv_close(&f.d);
}

/* ---- callbacks that fail ------------------------------------------------------------------------------------------------ */

/* Product number i: 0 to 3 of the right-hand side, 4 to 6 of the terminal function. */
static int call(fixture *f, int i, double *out)
{
    const sample *x = &f->x;
    const deriv_function *g = &f->d.terminal;
    const double *t = x->tdot[0], *y = x->ydot[0], *p = x->pdot[0];
    double *b = out + NP * W, *c = b + NP * W, *e = c + NP * W;
    int w = f->w;
    switch (i) {
    case 0: return deriv_jvp(&f->d, x->t, x->y, x->p, w, t, y, p, out);
    case 1: return deriv_jvp2(&f->d, x->t, x->y, x->p, w, t, y, p, x->tdot[1], x->ydot[1], x->pdot[1], out);
    case 2: return deriv_vjp(&f->d, x->t, x->y, x->p, w, x->u, out, b);
    case 3: return deriv_vjp_dot(&f->d, x->t, x->y, x->p, w, t, y, p, x->u, x->udot, out, b, c, e);
    case 4: return g->fn.jvp(0, x->t, x->y, x->p, w, t, y, p, out, g->data);
    case 5: return g->fn.vjp(0, x->t, x->y, x->p, w, x->u, out, b, g->data);
    default: return g->fn.vjp_dot(0, x->t, x->y, x->p, w, t, y, p, x->u, x->udot, out, b, c, e, g->data);
    }
}

/* Whichever call fails, its code comes back at once, and the next product is as good as if nothing had been. */
static void callbacks_fail(void **state)
{
    (void)state;
    for (unsigned given = 0; given < 32; given++)
        for (int i = 0; i < 7; i++) {
            fixture f;
            double clean[4 * NP * W] = {0}, again[4 * NP * W] = {0}, rubbish[4 * NP * W] = {0};
            prepare(&f, 3, 2, 2, given);
            give_functions(&f, given & (JVP | VJP | VJP_DOT));
            open_with(&f, 2);
            assert_int_equal(call(&f, i, clean), 0);
            long calls = f.o.calls;
            for (long k = 1; k <= calls; k++) {
                f.o.calls = 0;
                f.o.fail_at = k;
                f.o.code = k % 2 ? 7 : -3;
                assert_int_equal(call(&f, i, rubbish), f.o.code);
                assert_int_equal(f.o.calls, k);
            }
            f.o.fail_at = 0;
            assert_int_equal(call(&f, i, again), 0);
            assert_memory_equal(again, clean, sizeof clean);
            deriv_close(&f.d);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_is_right),
        cmocka_unit_test(chains_of_the_right_hand_side),
        cmocka_unit_test(parts_left_out),
        cmocka_unit_test(chains_of_the_functions),
        cmocka_unit_test(everything_given),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(memory_is_touched_where_it_is_used),
        cmocka_unit_test(words),
        cmocka_unit_test(counts),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(callbacks_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
