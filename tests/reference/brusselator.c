/* brusselator.c - reaction and diffusion of two species in CELLS cells of [0, 1], without flux through the ends:
 *
 *     u' = a + u^2 v - (b+1) u + d CELLS^2 L u,   v' = b u - u^2 v + d CELLS^2 L v,   (L u)_i = u_(i-1) - 2 u_i + u_(i+1),
 *
 * where a neighbour that does not exist has the value of the cell itself. It starts from a disturbed steady state (a, q) with
 * q = b/a: u_i = a + cos(pi x_i)/2, v_i = q + cos(2 pi x_i)/4. Component 2i is u_i, component 2i+1 is v_i; <.> is the mean over
 * the cells.
 *
 *     psi_0 = <(v - q)^2>/2 at t1 + integral of <(u - a)^2>/2 dt
 *     psi_1 = <u + v> at t1 + integral of <u> - a dt:  conserved
 *
 * L is symmetric, so the products transposed apply it as it is. */
#include "lanes.h"
#include "problems.h"

#include <math.h>

enum { CELLS = 20, N = 2 * CELLS };
enum { FEED, RATE, DIFFUSION }; /* a, b, d */
enum { DISTANCE, MASS };        /* psi_0, psi_1 */

static const double scale = CELLS * CELLS;

/* (L block)_i in lane l, i any component. */
static inline double laplacian(const double *block, int i, int w, int l)
{
    double here = lane(block, i, w, l), sum = 0;
    if (i >= 2) sum += lane(block, i - 2, w, l) - here;
    if (i + 2 < N) sum += lane(block, i + 2, w, l) - here;
    return sum;
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    double k = p[DIFFUSION] * scale;
    for (int i = 0; i < N; i += 2) {
        double u = y[i], v = y[i + 1], s = u * u * v - p[RATE] * u;
        f[i] = p[FEED] + s - u + k * laplacian(y, i, 1, 0);
        f[i + 1] = -s + k * laplacian(y, i + 1, 1, 0);
    }
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    double k = p[DIFFUSION] * scale;
    for (int i = 0; i < N; i += 2) {
        double u = y[i], v = y[i + 1], su = 2 * u * v - p[RATE], Lu = laplacian(y, i, 1, 0), Lv = laplacian(y, i + 1, 1, 0);
        for (int l = 0; l < w; l++) {
            double ud = lane(ydot, i, w, l), vd = lane(ydot, i + 1, w, l), kd = lane(pdot, DIFFUSION, w, l) * scale;
            double sd = su * ud + u * u * vd - lane(pdot, RATE, w, l) * u;
            fdot[i * w + l] = lane(pdot, FEED, w, l) + sd - ud + k * laplacian(ydot, i, w, l) + kd * Lu;
            fdot[(i + 1) * w + l] = -sd + k * laplacian(ydot, i + 1, w, l) + kd * Lv;
        }
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *seed, double *yb, double *pb, void *data)
{
    double k = p[DIFFUSION] * scale;
    for (int i = 0; i < N; i += 2) {
        double u = y[i], v = y[i + 1], su = 2 * u * v - p[RATE], Lu = laplacian(y, i, 1, 0), Lv = laplacian(y, i + 1, 1, 0);
        for (int l = 0; l < w; l++) {
            double uu = seed[i * w + l], uv = seed[(i + 1) * w + l], sb = uu - uv;
            add(yb, i, w, l, su * sb - uu + k * laplacian(seed, i, w, l));
            add(yb, i + 1, w, l, u * u * sb + k * laplacian(seed, i + 1, w, l));
            add(pb, FEED, w, l, uu);
            add(pb, RATE, w, l, -u * sb);
            add(pb, DIFFUSION, w, l, scale * (Lu * uu + Lv * uv));
        }
    }
    return 0;
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    for (int i = 0; i < N; i += 2) {
        double u = y[i], v = y[i + 1];
        for (int l = 0; l < w; l++) {
            double u1 = lane(ydot1, i, w, l), v1 = lane(ydot1, i + 1, w, l), k1 = lane(pdot1, DIFFUSION, w, l) * scale;
            double u2 = lane(ydot2, i, w, l), v2 = lane(ydot2, i + 1, w, l), k2 = lane(pdot2, DIFFUSION, w, l) * scale;
            double sdd = 2 * (v * u1 * u2 + u * (u1 * v2 + u2 * v1)) - lane(pdot1, RATE, w, l) * u2
                         - lane(pdot2, RATE, w, l) * u1;
            fdd[i * w + l] = sdd + k1 * laplacian(ydot2, i, w, l) + k2 * laplacian(ydot1, i, w, l);
            fdd[(i + 1) * w + l] = -sdd + k1 * laplacian(ydot2, i + 1, w, l) + k2 * laplacian(ydot1, i + 1, w, l);
        }
    }
    return 0;
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *seed, const double *seeddot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    double k = p[DIFFUSION] * scale;
    for (int i = 0; i < N; i += 2) {
        double u = y[i], v = y[i + 1], su = 2 * u * v - p[RATE], Lu = laplacian(y, i, 1, 0), Lv = laplacian(y, i + 1, 1, 0);
        for (int l = 0; l < w; l++) {
            double uu = seed[i * w + l], uv = seed[(i + 1) * w + l], sb = uu - uv;
            double uud = lane(seeddot, i, w, l), uvd = lane(seeddot, i + 1, w, l), sbd = uud - uvd;
            double ud = lane(ydot, i, w, l), vd = lane(ydot, i + 1, w, l), kd = lane(pdot, DIFFUSION, w, l) * scale;
            double sud = 2 * (ud * v + u * vd) - lane(pdot, RATE, w, l);
            add(ybdot, i, w, l,
                su * sbd + sud * sb - uud + k * laplacian(seeddot, i, w, l) + kd * laplacian(seed, i, w, l));
            add(ybdot, i + 1, w, l,
                u * u * sbd + 2 * u * ud * sb + k * laplacian(seeddot, i + 1, w, l) + kd * laplacian(seed, i + 1, w, l));
            add(pbdot, FEED, w, l, uud);
            add(pbdot, RATE, w, l, -u * sbd - ud * sb);
            add(pbdot, DIFFUSION, w, l,
                scale * (Lu * uud + Lv * uvd + laplacian(ydot, i, w, l) * uu + laplacian(ydot, i + 1, w, l) * uv));
        }
    }
    return vjp(t, y, p, w, seed, yb, pb, data);
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    double k = p[DIFFUSION] * scale;
    for (int i = 0; i < N * N; i++) j[i] = 0;
    for (int i = 0; i < N; i++) {
        int u = i & ~1, sign = i % 2 ? -1 : 1;
        j[i + N * u] += sign * (2 * y[u] * y[u + 1] - p[RATE]) - (i == u);
        j[i + N * (u + 1)] += sign * y[u] * y[u];
        if (i >= 2) j[i + N * (i - 2)] += k, j[i + N * i] -= k;
        if (i + 2 < N) j[i + N * (i + 2)] += k, j[i + N * i] -= k;
    }
    return 0;
}

/* ---- initial state ---------------------------------------------------------------------------------------------------- */

static int init(int k, double t, const double *y, const double *p, double *g, void *data)
{
    const double pi = acos(-1);
    for (int i = 0; i < CELLS; i++) {
        double x = (i + 0.5) / CELLS;
        g[2 * i] = p[FEED] + cos(pi * x) / 2;
        g[2 * i + 1] = p[RATE] / p[FEED] + cos(2 * pi * x) / 4;
    }
    return 0;
}

static int init_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                    const double *pdot, double *gdot, void *data)
{
    double q = p[RATE] / p[FEED];
    for (int i = 0; i < N; i++) {
        for (int l = 0; l < w; l++) {
            double ad = lane(pdot, FEED, w, l), qd = (lane(pdot, RATE, w, l) - q * ad) / p[FEED];
            gdot[i * w + l] = i % 2 ? qd : ad;
        }
    }
    return 0;
}

/* What q = b/a passes on to a and b, and that along a direction. */
static void quotient_vjp(const double *p, int w, int l, double qb, double *pb)
{
    add(pb, RATE, w, l, qb / p[FEED]);
    add(pb, FEED, w, l, -p[RATE] / p[FEED] * qb / p[FEED]);
}

static void quotient_vjp_dot(const double *p, int w, int l, const double *pdot, double qb, double qbd, double *pbdot)
{
    double a = p[FEED], ad = lane(pdot, FEED, w, l), q = p[RATE] / a, qd = (lane(pdot, RATE, w, l) - q * ad) / a;
    add(pbdot, RATE, w, l, (qbd - qb * ad / a) / a);
    add(pbdot, FEED, w, l, -(qd * qb + q * (qbd - qb * ad / a)) / a);
}

static int init_vjp(int k, double t, const double *y, const double *p, int w, const double *seed, double *yb, double *pb,
                    void *data)
{
    for (int i = 0; i < N; i += 2) {
        for (int l = 0; l < w; l++) {
            add(pb, FEED, w, l, seed[i * w + l]);
            quotient_vjp(p, w, l, seed[(i + 1) * w + l], pb);
        }
    }
    return 0;
}

static int init_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                        const double *pdot, const double *seed, const double *seeddot, double *yb, double *ybdot, double *pb,
                        double *pbdot, void *data)
{
    for (int i = 0; i < N; i += 2) {
        for (int l = 0; l < w; l++) {
            add(pbdot, FEED, w, l, lane(seeddot, i, w, l));
            quotient_vjp_dot(p, w, l, pdot, seed[(i + 1) * w + l], lane(seeddot, i + 1, w, l), pbdot);
        }
    }
    return init_vjp(k, t, y, p, w, seed, yb, pb, data);
}

/* ---- at the end -------------------------------------------------------------------------------------------------------- */

static int at_end(int k, double t, const double *y, const double *p, double *g, void *data)
{
    double q = p[RATE] / p[FEED];
    g[DISTANCE] = g[MASS] = 0;
    for (int i = 0; i < N; i += 2) {
        double e = y[i + 1] - q;
        g[DISTANCE] += e * e / 2 / CELLS;
        g[MASS] += (y[i] + y[i + 1]) / CELLS;
    }
    return 0;
}

static int at_end_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, double *gdot, void *data)
{
    double q = p[RATE] / p[FEED];
    for (int l = 0; l < w; l++) {
        double qd = (lane(pdot, RATE, w, l) - q * lane(pdot, FEED, w, l)) / p[FEED], distance = 0, mass = 0;
        for (int i = 0; i < N; i += 2) {
            distance += (y[i + 1] - q) * (lane(ydot, i + 1, w, l) - qd) / CELLS;
            mass += (lane(ydot, i, w, l) + lane(ydot, i + 1, w, l)) / CELLS;
        }
        gdot[DISTANCE * w + l] = distance;
        gdot[MASS * w + l] = mass;
    }
    return 0;
}

static int at_end_vjp(int k, double t, const double *y, const double *p, int w, const double *seed, double *yb, double *pb,
                      void *data)
{
    double q = p[RATE] / p[FEED];
    for (int l = 0; l < w; l++) {
        double ud = seed[DISTANCE * w + l] / CELLS, um = seed[MASS * w + l] / CELLS;
        for (int i = 0; i < N; i += 2) {
            double eb = (y[i + 1] - q) * ud;
            add(yb, i, w, l, um);
            add(yb, i + 1, w, l, um + eb);
            quotient_vjp(p, w, l, -eb, pb);
        }
    }
    return 0;
}

static int at_end_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                          const double *pdot, const double *seed, const double *seeddot, double *yb, double *ybdot, double *pb,
                          double *pbdot, void *data)
{
    double q = p[RATE] / p[FEED];
    for (int l = 0; l < w; l++) {
        double ud = seed[DISTANCE * w + l] / CELLS, udd = lane(seeddot, DISTANCE, w, l) / CELLS;
        double umd = lane(seeddot, MASS, w, l) / CELLS, qd = (lane(pdot, RATE, w, l) - q * lane(pdot, FEED, w, l)) / p[FEED];
        for (int i = 0; i < N; i += 2) {
            double e = y[i + 1] - q, ebd = (lane(ydot, i + 1, w, l) - qd) * ud + e * udd;
            add(ybdot, i, w, l, umd);
            add(ybdot, i + 1, w, l, umd + ebd);
            quotient_vjp_dot(p, w, l, pdot, -e * ud, -ebd, pbdot);
        }
    }
    return at_end_vjp(k, t, y, p, w, seed, yb, pb, data);
}

/* ---- on the way -------------------------------------------------------------------------------------------------------- */

static int on_way(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[DISTANCE] = g[MASS] = 0;
    for (int i = 0; i < N; i += 2) {
        double e = y[i] - p[FEED];
        g[DISTANCE] += e * e / 2 / CELLS;
        g[MASS] += e / CELLS;
    }
    return 0;
}

static int on_way_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, double *gdot, void *data)
{
    for (int l = 0; l < w; l++) {
        double distance = 0, mass = 0;
        for (int i = 0; i < N; i += 2) {
            double ed = (lane(ydot, i, w, l) - lane(pdot, FEED, w, l)) / CELLS;
            distance += (y[i] - p[FEED]) * ed;
            mass += ed;
        }
        gdot[DISTANCE * w + l] = distance;
        gdot[MASS * w + l] = mass;
    }
    return 0;
}

static int on_way_vjp(int k, double t, const double *y, const double *p, int w, const double *seed, double *yb, double *pb,
                      void *data)
{
    for (int i = 0; i < N; i += 2) {
        for (int l = 0; l < w; l++) {
            double eb = ((y[i] - p[FEED]) * seed[DISTANCE * w + l] + seed[MASS * w + l]) / CELLS;
            add(yb, i, w, l, eb);
            add(pb, FEED, w, l, -eb);
        }
    }
    return 0;
}

static int on_way_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                          const double *pdot, const double *seed, const double *seeddot, double *yb, double *ybdot, double *pb,
                          double *pbdot, void *data)
{
    for (int i = 0; i < N; i += 2) {
        for (int l = 0; l < w; l++) {
            double ed = lane(ydot, i, w, l) - lane(pdot, FEED, w, l);
            double ebd = (ed * seed[DISTANCE * w + l] + (y[i] - p[FEED]) * lane(seeddot, DISTANCE, w, l)
                          + lane(seeddot, MASS, w, l)) / CELLS;
            add(ybdot, i, w, l, ebd);
            add(pbdot, FEED, w, l, -ebd);
        }
    }
    return on_way_vjp(k, t, y, p, w, seed, yb, pb, data);
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

static const double nominal[] = {1, 2.5, 0.01};
static const double state[N] = {
    0.537450022113081, 3.0998409320134, 0.542354812967824, 3.1009522314766, 0.552580447851049, 3.10258924164485,
    0.569000756594244, 3.1034893019346, 0.593033045238188, 3.10153803063861, 0.62676809116447, 3.09353184175996,
    0.673130664274719, 3.07492155403868, 0.736014121131492, 3.03963324566616, 0.820234125118589, 2.98017145818349,
    0.930972602481529, 2.88839317344355, 1.0722087459761, 2.75751034930426, 1.24381586388698, 2.58564265445567,
    1.4381806381785, 2.3799183507425, 1.63920392649068, 2.15791793156618, 1.82658451383316, 1.94318007717664,
    1.98369732687191, 1.75644337471365, 2.10293724431828, 1.60924495371917, 2.18512117944075, 1.503837348221,
    2.23532712959616, 1.43718943048711, 2.25886153945716, 1.40517251629291};
static const char *const params[] = {"a", "b", "d"};

const problem problem_brusselator = {
    .name = "brusselator",
    .prob = {.n = N, .np = 3, .rhs = rhs, .jvp = jvp, .vjp = vjp, .jvp2 = jvp2, .vjp_dot = vjp_dot, .jac = jac,
             .init = {init, init_jvp, init_vjp, init_vjp_dot, NULL}, .objectives = 2,
             .terminal = {at_end, at_end_jvp, at_end_vjp, at_end_vjp_dot, NULL},
             .running = {on_way, on_way_jvp, on_way_vjp, on_way_vjp_dot, NULL}, .param_names = params},
    .p = nominal, .t0 = 0, .t1 = 4,
    .source = "conservation of mass; the state: integrated to round-off, which tests/test_known.c repeats", .rtol_ref = 1e-12,
    .state = state, .conserved = 1u << MASS,
};
