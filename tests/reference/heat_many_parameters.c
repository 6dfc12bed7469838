/* heat_many_parameters.c - the heat equation whose parameters are p1, p2 and every initial value, on the rim too, for
 * u0 = 16 x (1-x) y (1-y) and t in [0, 0.16]. Y. Cao, S. Li, L. Petzold and R. Serban, Adjoint sensitivity analysis for
 * differential-algebraic equations, 7.1.1 (its Table 1 has the columns swapped); D. B. Ozyurt and P. I. Barton, Cheap second
 * order directional derivatives of stiff ODE embedded functionals, 4.2. Sums go over the inner points:
 *
 *     psi_0 = sum of u^2 at the end,   psi_1 = integral of the sum of u
 *
 * Both are known with their gradients and with their Hessians times the direction (1, 0, ..., 0), for the semi-discrete system.
 * In the sine basis s_k(i) = sqrt(2/(m+1)) sin(pi k i/(m+1)) the mode (k, l) with initial value a decays at the rate
 * mu = p1 lambda_k + p2 lambda_l. With o the coefficients of the function 1, phi = (1 - exp(-mu T))/mu, chi = (T - phi)/mu:
 *
 *     psi_0 = sum a^2 exp(-2 mu T)      psi_1 = sum o a phi
 *     2 a exp(-2 mu T)                  o phi                  are the derivatives in the inner initial values,
 *     2 a exp(-mu T) phi                o chi                  times p c, in one on the rim, which feeds its neighbour */
#include "heat.h"
#include "lanes.h"

#include <math.h>
#include <string.h>

enum { P1, P2, VALUES, OBJECTIVES = 2 }; /* parameters from VALUES on are the initial values */
enum { SQUARES, HEAT };

static const double end_time = 0.16;

/* ---- initial state and objectives ----------------------------------------------------------------------------------------- */

static int states(void *data)
{
    return ((const heat *)data)->q.prob.n;
}

static int inner(const heat *h, int state)
{
    int i = state % (h->m + 2), j = state / (h->m + 2);
    return i > 0 && j > 0 && i <= h->m && j <= h->m;
}

static int init(int k, double t, const double *y, const double *p, double *g, void *data)
{
    memcpy(g, p + VALUES, sizeof(double) * (size_t)states(data));
    return 0;
}

static int init_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                    const double *pdot, double *gdot, void *data)
{
    for (int i = 0; i < states(data) * w; i++) gdot[i] = pdot ? pdot[VALUES * w + i] : 0;
    return 0;
}

static int init_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    for (int i = 0; i < states(data) * w && pb; i++) pb[VALUES * w + i] += u[i];
    return 0;
}

static int init_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                        double *pbdot, void *data)
{
    if (udot) init_vjp(k, t, y, p, w, udot, ybdot, pbdot, data);
    return init_vjp(k, t, y, p, w, u, yb, pb, data);
}

static int at_end(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[SQUARES] = g[HEAT] = 0;
    for (int i = 0; i < states(data); i++)
        if (inner(data, i)) g[SQUARES] += y[i] * y[i];
    return 0;
}

static int at_end_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, double *gdot, void *data)
{
    memset(gdot, 0, sizeof(double) * (size_t)(OBJECTIVES * w));
    for (int i = 0; i < states(data); i++)
        for (int l = 0; l < w && inner(data, i); l++) gdot[SQUARES * w + l] += 2 * y[i] * lane(ydot, i, w, l);
    return 0;
}

static int at_end_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                      void *data)
{
    for (int i = 0; i < states(data) && yb; i++)
        for (int l = 0; l < w && inner(data, i); l++) yb[i * w + l] += 2 * y[i] * u[SQUARES * w + l];
    return 0;
}

static int at_end_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                          const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                          double *pbdot, void *data)
{
    for (int i = 0; i < states(data) && ybdot; i++)
        for (int l = 0; l < w && inner(data, i); l++)
            ybdot[i * w + l] += 2 * (y[i] * lane(udot, SQUARES, w, l) + lane(ydot, i, w, l) * u[SQUARES * w + l]);
    return at_end_vjp(k, t, y, p, w, u, yb, pb, data);
}

static int on_way(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[SQUARES] = g[HEAT] = 0;
    for (int i = 0; i < states(data); i++)
        if (inner(data, i)) g[HEAT] += y[i];
    return 0;
}

static int on_way_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, double *gdot, void *data)
{
    memset(gdot, 0, sizeof(double) * (size_t)(OBJECTIVES * w));
    for (int i = 0; i < states(data); i++)
        for (int l = 0; l < w && inner(data, i); l++) gdot[HEAT * w + l] += lane(ydot, i, w, l);
    return 0;
}

static int on_way_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                      void *data)
{
    for (int i = 0; i < states(data) && yb; i++)
        for (int l = 0; l < w && inner(data, i); l++) yb[i * w + l] += u[HEAT * w + l];
    return 0;
}

static int on_way_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                          const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                          double *pbdot, void *data)
{
    if (udot) on_way_vjp(k, t, y, p, w, udot, ybdot, pbdot, data);
    return on_way_vjp(k, t, y, p, w, u, yb, pb, data);
}

/* ---- what is known --------------------------------------------------------------------------------------------------------- */

typedef struct answers {
    double *p, *psi, *dp, *hp, *dps, *hps, *direction;
    double *s, *a, *o, *W, *Wd, *V, *Vd, *field, *temporary; /* scratch: s m x m, a and o m, the others m x m */
} answers;

/* W, V (for the inner values and for the rim) of an objective, and their derivatives in p1 */
static void modes(const heat *h, answers *x, int objective)
{
    const double T = end_time;
    for (int k = 0; k < h->m; k++) {
        for (int l = 0; l < h->m; l++) {
            int at = k * h->m + l;
            double lambda = heat_eigenvalue(h, k + 1), mu = x->p[P1] * lambda + x->p[P2] * heat_eigenvalue(h, l + 1);
            double e = exp(-mu * T), phi = (1 - e) / mu, phi1 = (T * e - phi) / mu, chi = (T - phi) / mu;
            double chi1 = -(phi1 + chi) / mu, a = x->a[k] * x->a[l], o = x->o[k] * x->o[l];
            x->W[at] = objective == SQUARES ? 2 * a * e * e : o * phi;
            x->Wd[at] = lambda * (objective == SQUARES ? -4 * T * a * e * e : o * phi1);
            x->V[at] = objective == SQUARES ? 2 * a * e * phi : o * chi;
            x->Vd[at] = lambda * (objective == SQUARES ? 2 * a * e * (phi1 - T * phi) : o * chi1);
        }
    }
}

/* field = sum over (k, l) of s_k(i) s_l(j) W_kl, at inner points; row i, column j */
static void synthesis(int m, const double *s, const double *W, double *temporary, double *field)
{
    for (int pass = 0; pass < 2; pass++) {
        const double *from = pass ? temporary : W;
        double *to = pass ? field : temporary;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
                double sum = 0;
                for (int k = 0; k < m; k++) sum += s[k * m + i] * from[k * m + j];
                to[j * m + i] = sum; /* transposed, so that the second pass does the other index */
            }
    }
}

/* What a field over the inner points, times `factor`, is on the rim: x or y says which sides. */
static void rim_from(const heat *h, const answers *x, double factor, int along, double *out, int objective)
{
    for (int side = 0; side < 2; side++) {
        int near = side ? h->m - 1 : 0, far = side ? h->m + 1 : 0;
        for (int j = 0; j < h->m; j++) {
            int state = along == ALONG_X ? heat_at(h, far, j + 1) : heat_at(h, j + 1, far);
            double value = along == ALONG_X ? x->field[near * h->m + j] : x->field[j * h->m + near];
            out[(VALUES + state) * OBJECTIVES + objective] += factor * value;
        }
    }
}

/* Gradient and Hessian times the direction with respect to the initial values, of one objective */
static void values_of(const heat *h, answers *x, int objective)
{
    double c = h->c, *fields[] = {x->W, x->Wd}, *out[] = {x->dps, x->hps};
    modes(h, x, objective);
    for (int f = 0; f < 2; f++) {
        synthesis(h->m, x->s, fields[f], x->temporary, x->field);
        for (int i = 0; i < h->m; i++)
            for (int j = 0; j < h->m; j++)
                out[f][(VALUES + heat_at(h, i + 1, j + 1)) * OBJECTIVES + objective] = x->field[i * h->m + j];
    }
    synthesis(h->m, x->s, x->V, x->temporary, x->field);
    rim_from(h, x, x->p[P1] * c, ALONG_X, x->dps, objective);
    rim_from(h, x, x->p[P2] * c, ALONG_Y, x->dps, objective);
    rim_from(h, x, c, ALONG_X, x->hps, objective); /* d(p1 c)/dp1 */
    synthesis(h->m, x->s, x->Vd, x->temporary, x->field);
    rim_from(h, x, x->p[P1] * c, ALONG_X, x->hps, objective);
    rim_from(h, x, x->p[P2] * c, ALONG_Y, x->hps, objective);
}

/* The objectives, and their derivatives in p1 and p2 */
static void totals(const heat *h, answers *x)
{
    const double T = end_time;
    for (int k = 0; k < h->m; k++) {
        for (int l = 0; l < h->m; l++) {
            double lambda[] = {heat_eigenvalue(h, k + 1), heat_eigenvalue(h, l + 1)};
            double mu = x->p[P1] * lambda[0] + x->p[P2] * lambda[1], e = exp(-mu * T);
            double phi = (1 - e) / mu, phi1 = (T * e - phi) / mu, phi2 = -(T * T * e + 2 * phi1) / mu;
            double a = x->a[k] * x->a[l], oa = x->o[k] * x->o[l] * a;
            x->psi[SQUARES] += a * a * e * e;
            x->psi[HEAT] += oa * phi;
            for (int i = 0; i < 2; i++) {
                x->dps[i * OBJECTIVES + SQUARES] -= 2 * T * lambda[i] * a * a * e * e;
                x->dps[i * OBJECTIVES + HEAT] += lambda[i] * oa * phi1;
                x->hps[i * OBJECTIVES + SQUARES] += 4 * T * T * lambda[0] * lambda[i] * a * a * e * e;
                x->hps[i * OBJECTIVES + HEAT] += lambda[0] * lambda[i] * oa * phi2;
            }
        }
    }
}

static void sines(const heat *h, answers *x)
{
    int m = h->m;
    for (int k = 0; k < m; k++)
        for (int i = 0; i < m; i++) {
            double at = (i + 1.0) / (m + 1), s = sqrt(2.0 / (m + 1)) * sin(acos(-1) * (k + 1) * at);
            x->s[k * m + i] = s;
            x->o[k] += s;
            x->a[k] += s * 4 * at * (1 - at);
        }
}

problem *heat_many_parameters(int m)
{
    size_t side = (size_t)(m + 2), n = side * side, np = VALUES + n, mm = (size_t)(m * m);
    heat *h = m < 1 ? NULL : heat_make(m, 1, 1, (int)np, 4 * np + 2 * OBJECTIVES * np + OBJECTIVES + 7 * mm + 2 * (size_t)m);
    if (!h) return NULL;
    answers x = {.p = h->extra};
    double **next[] = {&x.dp, &x.hp, &x.direction, &x.dps, &x.hps, &x.psi, &x.s, &x.W,
                       &x.Wd, &x.V,  &x.Vd,        &x.field, &x.temporary, &x.a, &x.o};
    double *at = h->extra + np;
    for (int i = 0; i < 15; i++) {
        *next[i] = at;
        at += i < 3 ? np : i < 5 ? OBJECTIVES * np : i == 5 ? OBJECTIVES : i < 13 ? mm : (size_t)m;
    }
    x.p[P1] = x.p[P2] = x.direction[P1] = 1;
    for (int j = 0; j < m + 2; j++)
        for (int i = 0; i < m + 2; i++) {
            double u = (double)i / (m + 1), v = (double)j / (m + 1);
            x.p[VALUES + heat_at(h, i, j)] = 16 * u * (1 - u) * v * (1 - v);
        }
    sines(h, &x);
    totals(h, &x);
    values_of(h, &x, SQUARES);
    values_of(h, &x, HEAT);
    for (size_t i = 0; i < np; i++) x.dp[i] = x.dps[i * OBJECTIVES], x.hp[i] = x.hps[i * OBJECTIVES];

    costate_problem *c = &h->q.prob;
    c->objectives = OBJECTIVES;
    c->init = (costate_function){.eval = init, .jvp = init_jvp, .vjp = init_vjp, .vjp_dot = init_vjp_dot};
    c->terminal = (costate_function){.eval = at_end, .jvp = at_end_jvp, .vjp = at_end_vjp, .vjp_dot = at_end_vjp_dot};
    c->running = (costate_function){.eval = on_way, .jvp = on_way_jvp, .vjp = on_way_vjp, .vjp_dot = on_way_vjp_dot};
    h->q.name = "heat_many_parameters", h->q.t1 = end_time, h->q.p = x.p;
    h->q.source = "exact solution of the semi-discrete system in the sine basis", h->q.rtol_ref = 1e-11;
    h->q.psi = x.psi, h->q.dp = x.dp, h->q.hp = x.hp, h->q.direction = x.direction, h->q.dps = x.dps, h->q.hps = x.hps;
    return &h->q;
}
