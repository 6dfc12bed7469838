/* jacobian_model.h - for tests of Jacobians: a model with any pattern, its callbacks, and what is opened on it. */
#ifndef TESTS_JACOBIAN_MODEL_H
#define TESTS_JACOBIAN_MODEL_H

#include "base/alloc.h"
#include "deriv/jacobian.h"
#include "support.h"

enum { MOST = 24, LANES = 9 };

/* ---- a model with any pattern: f_i = p_0 sin(i + t + sum over j in row i of c_ij y_j / s_j) ----------------------------- */

typedef struct model {
    int n;
    unsigned char has[MOST][MOST]; /* has[i][j]: f_i depends on y_j */
    double scale[MOST];            /* s_j */
    costate_pattern pattern;       /* what jac writes */
    int colptr[MOST + 1], rowind[MOST * MOST];
    long calls, fail_at; /* of any callback, and which of them fails; 0: none */
    int code, widest;    /* what it returns; the largest w seen */
} model;

static const double at_t = 0.3, at_p[] = {1.5};

static inline uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static double uniform(uint32_t *seed) /* -1 .. 1 */
{
    return draw(seed) / 8388608.0 - 1;
}

static int called(model *m, int w)
{
    if (w > m->widest) m->widest = w;
    return ++m->calls == m->fail_at ? m->code : 0;
}

static double factor(int i, int j)
{
    return 1 + 0.1 * ((3 * i + 5 * j) % 7);
}

static double phase(const model *m, double t, const double *y, int i)
{
    double z = i + t;
    for (int j = 0; j < m->n; j++)
        if (m->has[i][j]) z += factor(i, j) * y[j] / m->scale[j];
    return z;
}

static double entry(const model *m, double t, const double *y, const double *p, int i, int j)
{
    return m->has[i][j] ? p[0] * factor(i, j) * cos(phase(m, t, y, i)) / m->scale[j] : 0;
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    model *m = data;
    for (int i = 0; i < m->n; i++) f[i] = p[0] * sin(phase(m, t, y, i));
    return called(m, 1);
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    model *m = data;
    assert_true(!tdot && ydot && !pdot);
    for (int i = 0; i < m->n; i++)
        for (int l = 0; l < w; l++) {
            fdot[i * w + l] = 0;
            for (int j = 0; j < m->n; j++) fdot[i * w + l] += entry(m, t, y, p, i, j) * ydot[j * w + l];
        }
    return called(m, w);
}

static int jac(double t, const double *y, const double *p, double *values, void *data)
{
    model *m = data;
    const costate_pattern *q = &m->pattern;
    int n = m->n, width = q->lower + q->upper + 1;
    for (int i = 0; q->format == COSTATE_BANDED && i < width * n; i++) values[i] = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            if (q->format == COSTATE_DENSE) values[i + n * j] = entry(m, t, y, p, i, j);
            else if (q->format == COSTATE_BANDED && m->has[i][j]) values[q->upper + i - j + width * j] = entry(m, t, y, p, i, j);
            else if (q->format == COSTATE_CSC && m->has[i][j]) *values++ = entry(m, t, y, p, i, j);
        }
    return called(m, 1);
}

/* ---- a model, its products and its Jacobian, opened --------------------------------------------------------------------- */

typedef struct fixture {
    model m;
    costate_problem prob;
    costate_stats count;
    heap h;
    costate_allocator alloc;
    deriv d;
    jacobian j;
    double y[MOST];
    char why[160];
} fixture;

typedef enum source { USER, JVP, DIFFERENCES, SOURCES } source;

/* CSC of the entries the model has. */
static void list_entries(model *m)
{
    int count = 0;
    for (int j = 0; j < m->n; j++) {
        m->colptr[j] = count;
        for (int i = 0; i < m->n; i++)
            if (m->has[i][j]) m->rowind[count++] = i;
    }
    m->colptr[m->n] = count;
}

static costate_pattern csc_of(model *m)
{
    list_entries(m);
    return (costate_pattern){.format = COSTATE_CSC, .colptr = m->colptr, .rowind = m->rowind};
}

static void start(fixture *f, int n, source from)
{
    uint32_t seed = 7;
    *f = (fixture){.m = {.n = n}};
    f->alloc = heap_allocator(&f->h);
    for (int i = 0; i < n; i++) {
        f->y[i] = uniform(&seed);
        f->m.scale[i] = 1;
    }
    f->prob = (costate_problem){
        .n = n, .np = 1, .data = &f->m, .rhs = rhs, .jvp = from == JVP ? jvp : NULL, .jac = from == USER ? jac : NULL};
}

static void open_deriv(fixture *f)
{
    assert_int_equal(deriv_open(&f->d, &f->prob, LANES, &(costate_allocator){0}, &f->count), COSTATE_OK);
}

static void open_jacobian(fixture *f, costate_pattern q, int lanes)
{
    f->m.pattern = q;
    open_deriv(f);
    int status = jacobian_open(&f->j, &f->d, &q, lanes, &f->alloc, f->why, sizeof f->why);
    if (status) fail_msg("status %d: %s", status, f->why);
}

static void finish(fixture *f)
{
    jacobian_close(&f->j);
    deriv_close(&f->d);
    assert_int_equal(f->h.live, 0);
}

static void band(model *m, int lower, int upper)
{
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++) m->has[i][j] = i - j <= lower && j - i <= upper;
}

static void scattered(model *m, uint32_t seed, int percent)
{
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++) m->has[i][j] = (int)(draw(&seed) % 100) < percent;
}

#endif
