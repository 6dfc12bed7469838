/* monomials.h - problems whose functions are sums of monomials in z = (y, p), with all products, any of which can be spoilt:
 *
 *     f_row = sum of c prod z_k^(e_k)
 *
 * Every product asks derivative() for what a term contributes, and that knows the mistake at hand. There is an ordinary system,
 * the same with an algebraic equation, a residual, which may start at given slopes, and a constraint of index 2. */
#ifndef COSTATE_TESTS_MONOMIALS_H
#define COSTATE_TESTS_MONOMIALS_H

#include <costate/costate.h>
#include <string.h>

enum { MY = 4, MP = 4, MZ = MY + MP, MGOALS = 2 }; /* the most states */
enum { M_RHS, M_INIT, M_TERMINAL, M_RUNNING, M_OBSERVE, M_FUNCTIONS };
enum { M_JVP = 1, M_VJP = 2, M_JVP2 = 4, M_VJP_DOT = 8, M_VJP_DOT2 = 16, M_JAC = 32, M_POINTS = 64, M_STILL = 128 };
enum { M_EVERY = -1 };
enum { M_NO_STATES = 1, M_NO_PARAMS = 2, M_NO_UDOT = 4 }; /* parts that are NULL */

typedef struct monomial {
    int row;
    double c;
    int e[MZ];
} monomial;

/* y0, y1, y2, none, p0 .. p3 */
static const monomial m_rhs[] = {
    {0, -1, {1, 0, 0, 0, 1, 0, 0, 0}},   {0, 0.3, {1, 1, 0, 0, 0, 1, 0, 0}},  {1, -0.5, {0, 1, 0, 0, 0, 1, 0, 0}},
    {1, 0.4, {1, 0, 1, 0, 0, 0, 1, 0}},  {2, -0.2, {0, 0, 2, 0, 0, 0, 1, 0}}, {2, 0.7, {1, 1, 0, 0, 1, 0, 0, 1}},
    {2, -0.3, {0, 0, 1, 0, 0, 0, 0, 2}}, {0, 0, {0, 0, 0, 0, 0, 0, 0, 0}},
};
static const monomial m_init[] = {
    {0, 1, {0, 0, 0, 0, 1, 0, 0, 0}}, {1, 0.8, {0, 0, 0, 0, 1, 1, 0, 0}}, {2, 0.6, {0, 0, 0, 0, 0, 0, 2, 1}}, {0, 0, {0}}};
static const monomial m_terminal[] = {{0, 1, {2, 0, 0, 0, 0, 0, 0, 0}},
                                      {0, 0.5, {0, 1, 1, 0, 0, 0, 0, 1}},
                                      {1, 1, {1, 0, 1, 0, 0, 1, 0, 0}},
                                      {1, 0.3, {0, 0, 2, 0, 0, 0, 1, 0}},
                                      {0, 0, {0}}};
static const monomial m_running[] = {
    {0, 0.5, {1, 1, 0, 0, 0, 0, 1, 0}}, {1, 1, {0, 0, 2, 0, 1, 0, 0, 0}}, {1, 0.2, {0, 1, 0, 0, 0, 0, 0, 2}}, {0, 0, {0}}};
static const monomial m_observe[] = {
    {0, 0.3, {0, 1, 0, 0, 0, 1, 0, 0}}, {0, 0.1, {2, 0, 0, 0, 0, 0, 0, 1}}, {1, 0.4, {1, 0, 1, 0, 1, 0, 0, 0}}, {0, 0, {0}}};

/* y0, y1 and their slopes: y0' = v0, v1 is not there, F0 = 0, F1 = 0. */
static const monomial m_residual[] = {{2, 1, {1, 0, 0, 0, 0, 1, 0, 0}},
                                      {0, 1, {0, 0, 1, 0, 0, 0, 0, 0}},
                                      {1, 1, {0, 0, 0, 1, 0, 0, 0, 0}},
                                      {2, 1, {0, 0, 1, 0, 1, 0, 0, 0}},
                                      {2, 0.2, {1, 1, 0, 0, 0, 1, 0, 0}},
                                      {2, -0.5, {0, 0, 0, 0, 1, 0, 1, 0}},
                                      {3, 1, {0, 1, 0, 0, 0, 0, 1, 0}},
                                      {3, -0.6, {1, 0, 0, 0, 0, 0, 0, 1}},
                                      {3, 0.4, {0, 2, 0, 0, 0, 1, 0, 0}},
                                      {2, 0.3, {1, 0, 1, 0, 0, 0, 0, 1}},
                                      {0, 0, {0}}};
static const monomial m_slopes[] = {/* where it starts */
                                    {0, 0.5, {0, 0, 0, 0, 1, 0, 0, 0}},
                                    {1, 0.3, {0, 0, 0, 0, 0, 1, 0, 0}},
                                    {2, -0.4, {0, 0, 0, 0, 1, 0, 0, 2}},
                                    {0, 0, {0}}};

/* y2 keeps 0 = y0 - 0.8 y1^2 p2. */
static const monomial m_index2[] = {
    {0, -1, {1, 0, 0, 0, 1, 0, 0, 0}},  {0, 1, {0, 0, 1, 0, 0, 1, 0, 0}},    {0, 0.1, {1, 1, 0, 0, 0, 0, 0, 1}},
    {1, 0.5, {1, 0, 0, 0, 0, 0, 1, 0}}, {1, -0.3, {0, 2, 0, 0, 0, 0, 0, 1}}, {1, -1, {0, 0, 1, 0, 0, 0, 0, 0}},
    {2, 1, {1, 0, 0, 0, 0, 0, 0, 0}},   {2, -0.8, {0, 2, 0, 0, 0, 0, 1, 0}}, {0, 0, {0}}};
static const monomial m_on_it[] = {{0, 0.8, {0, 0, 0, 0, 0, 2, 1, 0}}, {1, 1, {0, 0, 0, 0, 0, 1, 0, 0}}, {0, 0, {0}}};

typedef struct system {
    const char *name;
    int n, slopes, steady;
    const monomial *rhs, *init;
    const double *mass, *index;
} system_t;

static const double m_mass1[] = {1, 2, 0}, m_mass_slopes[] = {1, 0, 0, 0}, m_mass2[] = {1, 1, 0}, m_of_index2[] = {0, 0, 2};
static const system_t m_systems[] = {{"y' = f", 3, 0, 0, m_rhs, m_init, NULL, NULL},
                                     {"M y' = f", 3, 0, 0, m_rhs, m_init, m_mass1, NULL},
                                     {"a residual", 4, 2, 0, m_residual, m_slopes, m_mass_slopes, NULL},
                                     {"given slopes", 4, 2, 1, m_residual, m_slopes, m_mass_slopes, NULL},
                                     {"index 2", 3, 0, 0, m_index2, m_on_it, m_mass2, m_of_index2}};
enum { M_SYSTEMS = sizeof m_systems / sizeof *m_systems };

static const system_t *m_system = m_systems;
static const monomial *m_table[M_FUNCTIONS] = {m_rhs, m_init, m_terminal, m_running, m_observe};

static inline void m_choose(const system_t *system)
{
    m_system = system;
    m_table[M_RHS] = system->rhs, m_table[M_INIT] = system->init;
}

static const char *const m_name[M_FUNCTIONS] = {"rhs", "init", "terminal", "running", "observe"};

/* A mistake: in these products of a function (M_STILL: in what vjp_dot adds as vjp does) what term `term` contributes,
 * differentiated by z_var, is `factor` of what it should be; in one lane of one width, or all; in first derivatives, second, or
 * both. */
typedef struct mistake {
    int function;
    unsigned products;
    int term, var;   /* M_EVERY */
    int lane, width; /* M_EVERY; width 0: any */
    int orders;      /* 1: first derivatives, 2: second, 3: both; third ones are with the second */
    double factor;
    int alike;       /* 1: only where the first two lanes of a seed are the same */
    int null;        /* 0, or only where one of these parts is NULL */
    int writes;      /* 1: instead, results that should be added to are written, of the variable */
    int first_point; /* 1: instead, vjp_points takes the first state for all */
} mistake;

static mistake m_bug;
static int m_alike; /* 1: they are, in the product at hand */
static int m_null;  /* what is NULL there */

static double m_value(const monomial *m, const double *z)
{
    double x = m->c;
    for (int k = 0; k < MZ; k++)
        for (int e = 0; e < m->e[k]; e++) x *= z[k];
    return x;
}

/* The derivative of a term by z_k, k in var. */
static double m_derivative(const monomial *m, const double *z, int count, const int *var)
{
    monomial d = *m;
    for (int i = 0; i < count; i++)
        if (d.e[var[i]] == 0) return 0;
        else d.c *= d.e[var[i]]--;
    return m_value(&d, z);
}

/* What a product makes of it in lane l of w: the mistake is about the first of the variables. */
static double m_claim(double d, int fn, unsigned product, int term, int count, const int *var, int l, int w)
{
    const mistake *b = &m_bug;
    int hit = b->function == fn && (b->products & product) && (b->term == M_EVERY || b->term == term) &&
              (b->var == M_EVERY || b->var == var[0]) && (b->lane == M_EVERY || b->lane == l) && (!b->width || b->width == w) &&
              (b->orders & (count == 1 ? 1 : 2)) && (!b->alike || m_alike) && (!b->null || (b->null & m_null)) && !b->writes &&
              !b->first_point;
    return hit ? b->factor * d : d;
}

static void m_place(const double *y, const double *p, double *z)
{
    for (int k = 0; k < MY; k++) z[k] = y && k < m_system->n ? y[k] : 0;
    memcpy(z + MY, p, MP * sizeof *z);
}

static double m_lane(const double *y, const double *p, int k, int w, int l)
{
    return k < MY ? (y ? y[k * w + l] : 0) : p ? p[(k - MY) * w + l] : 0;
}

static void m_add(double *y, double *p, int k, int w, int l, double x)
{
    if (k < MY && y) y[k * w + l] += x;
    if (k >= MY && p) p[(k - MY) * w + l] += x;
}

/* Before a product adds to its results. */
static void m_begin(int fn, unsigned product, int w, const void *y, const void *p, double *yb, double *pb)
{
    const int hit = m_bug.writes && m_bug.function == fn && (m_bug.products & product), k = m_bug.var;
    m_null = (y ? 0 : M_NO_STATES) | (p ? 0 : M_NO_PARAMS);
    for (int l = 0; hit && l < w; l++) {
        if (m_bug.lane != M_EVERY && m_bug.lane != l) continue;
        if (k < MY && yb) yb[k * w + l] = 0;
        if (k >= MY && pb) pb[(k - MY) * w + l] = 0;
    }
}

static int m_rows(int fn)
{
    return fn == M_RHS || fn == M_INIT ? m_system->n : MGOALS;
}

static int m_eval(int fn, const double *y, const double *p, double *g)
{
    double z[MZ];
    m_place(y, p, z);
    for (int i = 0; i < m_rows(fn); i++) g[i] = 0;
    for (const monomial *m = m_table[fn]; m->c != 0; m++) g[m->row] += m_value(m, z);
    return 0;
}

static int m_jvp(int fn, const double *y, const double *p, int w, const double *yd, const double *pd, double *gd)
{
    double z[MZ], d;
    m_place(y, p, z);
    m_begin(fn, M_JVP, w, yd, pd, NULL, NULL);
    memset(gd, 0, (size_t)(m_rows(fn) * w) * sizeof *gd);
    for (int t = 0; m_table[fn][t].c != 0; t++)
        for (int k = 0; k < MZ; k++)
            for (int l = 0, any = (d = m_derivative(&m_table[fn][t], z, 1, &k)) != 0; any && l < w; l++)
                gd[m_table[fn][t].row * w + l] += m_claim(d, fn, M_JVP, t, 1, &k, l, w) * m_lane(yd, pd, k, w, l);
    return 0;
}

static int m_vjp_as(unsigned product, int fn, const double *y, const double *p, int w, const double *u, double *yb, double *pb)
{
    double z[MZ], d;
    m_place(y, p, z);
    m_begin(fn, product, w, yb, pb, yb, pb);
    m_alike = w > 1 && u[0] == u[1];
    for (int t = 0; m_table[fn][t].c != 0; t++)
        for (int k = 0; k < MZ; k++)
            for (int l = 0, any = (d = m_derivative(&m_table[fn][t], z, 1, &k)) != 0; any && l < w; l++)
                m_add(yb, pb, k, w, l, m_claim(d, fn, product, t, 1, &k, l, w) * u[m_table[fn][t].row * w + l]);
    return 0;
}

static int m_jvp2(const double *y, const double *p, int w, const double *y1, const double *p1, const double *y2, const double *p2,
                  double *fdd)
{
    double z[MZ];
    m_place(y, p, z);
    m_begin(M_RHS, M_JVP2, w, y1, p1, NULL, NULL);
    memset(fdd, 0, (size_t)(m_system->n * w) * sizeof *fdd);
    for (int t = 0; m_table[M_RHS][t].c != 0; t++)
        for (int k = 0; k < MZ * MZ; k++) {
            const int var[] = {k / MZ, k % MZ};
            double d = m_derivative(&m_table[M_RHS][t], z, 2, var);
            for (int l = 0; d != 0 && l < w; l++)
                fdd[m_table[M_RHS][t].row * w + l] +=
                    m_claim(d, M_RHS, M_JVP2, t, 2, var, l, w) * m_lane(y1, p1, var[0], w, l) * m_lane(y2, p2, var[1], w, l);
        }
    return 0;
}

static int m_vjp_dot(int fn, const double *y, const double *p, int w, const double *yd, const double *pd, const double *u,
                     const double *ud, double *yb, double *ybd, double *pb, double *pbd)
{
    double z[MZ], d;
    m_place(y, p, z);
    m_vjp_as(M_VJP_DOT | M_STILL, fn, y, p, w, u, yb, pb);
    m_begin(fn, M_VJP_DOT, w, yd, pd, ybd, pbd);
    if (ud) m_vjp_as(M_VJP_DOT, fn, y, p, w, ud, ybd, pbd);
    m_null = (yd ? 0 : M_NO_STATES) | (pd ? 0 : M_NO_PARAMS) | (ud ? 0 : M_NO_UDOT);
    for (int t = 0; m_table[fn][t].c != 0; t++)
        for (int k = 0; k < MZ * MZ; k++) {
            const int var[] = {k / MZ, k % MZ};
            for (int l = 0, any = (d = m_derivative(&m_table[fn][t], z, 2, var)) != 0; any && l < w; l++)
                m_add(ybd, pbd, var[0], w, l,
                      m_claim(d, fn, M_VJP_DOT, t, 2, var, l, w) * m_lane(yd, pd, var[1], w, l) * u[m_table[fn][t].row * w + l]);
        }
    return 0;
}

static int m_vjp_dot2(int fn, const double *y, const double *p, int w, const double *y1, const double *p1, const double *y2,
                      const double *p2, const double *u, double *yb, double *pb)
{
    double z[MZ];
    m_place(y, p, z);
    m_begin(fn, M_VJP_DOT2, w, y1, p1, yb, pb);
    for (int t = 0; m_table[fn][t].c != 0; t++)
        for (int k = 0; k < MZ * MZ * MZ; k++) {
            const int var[] = {k % MZ, k / MZ % MZ, k / MZ / MZ};
            double d = m_derivative(&m_table[fn][t], z, 3, var);
            for (int l = 0; d != 0 && l < w; l++)
                m_add(yb, pb, var[0], w, l,
                      m_claim(d, fn, M_VJP_DOT2, t, 3, var, l, w) * m_lane(y1, p1, var[1], w, l) * m_lane(y2, p2, var[2], w, l) *
                          u[m_table[fn][t].row * w + l]);
        }
    return 0;
}

/* ---- in the dress of costate.h -------------------------------------------------------------------------------------- */

/* Callbacks have the signatures of costate.h whether or not they are used. */
#pragma GCC diagnostic ignored "-Wunused-function"

#define M_AT int k, double t, const double *y, const double *p
#define M_FUNCTION(name, fn)                                                                                                     \
    static int name##_eval(M_AT, double *g, void *data)                                                                          \
    {                                                                                                                            \
        (void)k, (void)t, (void)data;                                                                                            \
        return m_eval(fn, y, p, g);                                                                                              \
    }                                                                                                                            \
    static int name##_jvp(M_AT, int w, const double *td, const double *yd, const double *pd, double *gd, void *data)             \
    {                                                                                                                            \
        (void)k, (void)t, (void)td, (void)data;                                                                                  \
        return m_jvp(fn, y, p, w, yd, pd, gd);                                                                                   \
    }                                                                                                                            \
    static int name##_vjp(M_AT, int w, const double *u, double *yb, double *pb, void *data)                                      \
    {                                                                                                                            \
        (void)k, (void)t, (void)data;                                                                                            \
        return m_vjp_as(M_VJP, fn, y, p, w, u, yb, pb);                                                                          \
    }                                                                                                                            \
    static int name##_vjp_dot(M_AT, int w, const double *td, const double *yd, const double *pd, const double *u,                \
                              const double *ud, double *yb, double *ybd, double *pb, double *pbd, void *data)                    \
    {                                                                                                                            \
        (void)k, (void)t, (void)td, (void)data;                                                                                  \
        return m_vjp_dot(fn, y, p, w, yd, pd, u, ud, yb, ybd, pb, pbd);                                                          \
    }                                                                                                                            \
    static int name##_vjp_dot2(M_AT, int w, const double *t1, const double *y1, const double *p1, const double *t2,              \
                               const double *y2, const double *p2, const double *u, double *yb, double *pb, void *data)          \
    {                                                                                                                            \
        (void)k, (void)t, (void)t1, (void)t2, (void)data;                                                                        \
        return m_vjp_dot2(fn, y, p, w, y1, p1, y2, p2, u, yb, pb);                                                               \
    }

M_FUNCTION(m_init, M_INIT)
M_FUNCTION(m_terminal, M_TERMINAL)
M_FUNCTION(m_running, M_RUNNING)
M_FUNCTION(m_observe, M_OBSERVE)
M_FUNCTION(m_any, M_RHS)

static int m_rhs_eval(double t, const double *y, const double *p, double *f, void *data)
{
    return m_any_eval(0, t, y, p, f, data);
}

static int m_rhs_jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                     double *fd, void *data)
{
    return m_any_jvp(0, t, y, p, w, td, yd, pd, fd, data);
}

static int m_rhs_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    return m_any_vjp(0, t, y, p, w, u, yb, pb, data);
}

static int m_rhs_points(int points, const double *t, const double *const *y, const double *p, int w, const double *const *u,
                        double *pb, void *data)
{
    (void)t, (void)data;
    for (int k = 0; k < points; k++) m_vjp_as(M_POINTS, M_RHS, y[m_bug.first_point ? 0 : k], p, w, u[k], NULL, pb);
    return 0;
}

static int m_rhs_jvp2(double t, const double *y, const double *p, int w, const double *t1, const double *y1, const double *p1,
                      const double *t2, const double *y2, const double *p2, double *fdd, void *data)
{
    (void)t, (void)t1, (void)t2, (void)data;
    return m_jvp2(y, p, w, y1, p1, y2, p2, fdd);
}

static int m_rhs_vjp_dot(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                         const double *u, const double *ud, double *yb, double *ybd, double *pb, double *pbd, void *data)
{
    return m_any_vjp_dot(0, t, y, p, w, td, yd, pd, u, ud, yb, ybd, pb, pbd, data);
}

static int m_rhs_vjp_dot2(double t, const double *y, const double *p, int w, const double *t1, const double *y1, const double *p1,
                          const double *t2, const double *y2, const double *p2, const double *u, double *yb, double *pb,
                          void *data)
{
    return m_any_vjp_dot2(0, t, y, p, w, t1, y1, p1, t2, y2, p2, u, yb, pb, data);
}

static int m_rhs_jac(double t, const double *y, const double *p, double *jac, void *data)
{
    double z[MZ];
    (void)t, (void)data;
    m_place(y, p, z);
    const int n = m_system->n;
    memset(jac, 0, (size_t)(n * n) * sizeof *jac);
    for (int m = 0; m_table[M_RHS][m].c != 0; m++)
        for (int k = 0; k < n; k++)
            jac[m_table[M_RHS][m].row + n * k] +=
                m_claim(m_derivative(&m_table[M_RHS][m], z, 1, &k), M_RHS, M_JAC, m, 1, &k, 0, 1);
    return 0;
}

static const double m_times[] = {0.5, 1.25, 2};
static const double m_p[MP] = {0.9, 1.1, 0.7, 0.8};

static inline costate_problem m_problem(void)
{
    return (costate_problem){.n = m_system->n,
                             .np = MP,
                             .mass = m_system->mass,
                             .slopes = m_system->slopes,
                             .index = m_system->index,
                             .steady = m_system->steady,
                             .rhs = m_rhs_eval,
                             .jvp = m_rhs_jvp,
                             .vjp = m_rhs_vjp,
                             .vjp_points = m_rhs_points,
                             .jvp2 = m_rhs_jvp2,
                             .vjp_dot = m_rhs_vjp_dot,
                             .vjp_dot2 = m_rhs_vjp_dot2,
                             .jac = m_rhs_jac,
                             .autonomous = 1,
                             .objectives = MGOALS,
                             .observations = 3,
                             .observe_at = m_times,
                             .init = {m_init_eval, m_init_jvp, m_init_vjp, m_init_vjp_dot, NULL},
                             .terminal = {m_terminal_eval, m_terminal_jvp, m_terminal_vjp, m_terminal_vjp_dot, NULL},
                             .running = {m_running_eval, m_running_jvp, m_running_vjp, m_running_vjp_dot, m_running_vjp_dot2},
                             .observe = {m_observe_eval, m_observe_jvp, m_observe_vjp, m_observe_vjp_dot, NULL}};
}

#endif
