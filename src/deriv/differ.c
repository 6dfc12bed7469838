/* differ.c - central differences, and how far they reach.
 *
 *     along a direction v:   g' v  ~  (g(x + eps v) - g(x - eps v)) / (2 eps),     eps = step / max over i of |v_i| / s_i
 *     along component j:     g'_j  ~  (g(x + h e_j) - g(x - h e_j)) / (2 h),       h = step * s_j
 *
 * so that no component moves by more than step * s_i, where s_i is the size of x_i. A first difference errs by step^2 + u/step, a
 * difference of differences by step^2 + u/step^2, hence step = u^(1/3) and u^(1/4). For states and parameters, apart,
 *
 *     s_i = |x_i| + small T, or T if x_i = 0;        T = min(1, max over j of |x_j|), or 1 if x = 0
 *
 * An exact zero says nothing about its size, so it counts as typical (T). A small number may be a small quantity or one on its
 * way through zero. `small` serves both: it bounds what round-off costs the latter, u/(step small) = 4e-8 of a first and
 * u/(step small)^2 = 2e-5 of a second difference, and the former is resolved if g is smooth on a scale of 1e-6 T and 1e-3 T.
 * The time since the start of the run says little about how fast g changes, and where t0 is nothing at all, hence
 *
 *     s_t = min(tau, sqrt tau) + small, tau = |t - t0|, or 1 if tau = 0.
 *
 * Along t it is one-sided within a step that is known, (-3 g(x) + 4 g(x + eps v) - g(x + 2 eps v)) / (2 eps), which errs by twice
 * as much: the right-hand side may jump before the step or behind it.
 *
 * Far from zero t has a grain g, the distance of numbers near t0, which takes the place of u where it is coarser: t moves by no
 * less than s_t (g/s_t)^(1/3), or ^(1/4), and by whole grains, so that the difference is over what it is divided by. */
#include "deriv/source.h"

#include <math.h>
#include <string.h>

/* By order, that is for a first difference and for a difference of differences. */
static const double step_of[] = {0, 6.0554544523933395e-06, 1.220703125e-04}; /* u^(1/3), u^(1/4); u = DBL_EPSILON */
static const double small_of[] = {0, 1e-3, 3e-2};

static double typical(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most > 0 ? fmin(most, 1) : 1;
}

static double size(double x, double T, int order)
{
    return x == 0 ? T : fabs(x) + small_of[order] * T;
}

/* The larger of a and b; a NaN stays, so that it is not mistaken for a direction that is zero. */
static double larger(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

static double reach(int n, const double *x, int w, const double *v, int l, int order)
{
    double T = typical(n, x), most = 0;
    for (ptrdiff_t i = 0; i < n; i++) most = larger(most, fabs(v[i * w + l]) / size(x[i], T, order));
    return most;
}

static double grain(double t)
{
    return nextafter(fabs(t), HUGE_VAL) - fabs(t);
}

/* By how much t is to move, along v. */
static double move_t(double t, double t0, int order)
{
    double tau = fabs(t - t0), g = grain(t0);
    if (tau <= g) tau = 0;
    double s = size(fmin(tau, sqrt(tau)), 1, order), coarse = s * pow(g / s, 1.0 / (2 + order));
    return fmax(step_of[order] * s, coarse);
}

/* eps v_t in whole grains of t, where these are coarse. */
static double whole(double eps, double v, double t, double t0)
{
    double g = 2 * grain(t), moves = fabs(eps * v);
    return fabs(t0) > fabs(t - t0) && isfinite(moves) ? fmax(rint(moves / g), 1) * g / fabs(v) : eps;
}

double differ_eps(const deriv_source *s, deriv_place x, int w, deriv_dirs v, int l, int order)
{
    double most = 0, t0 = s->d ? s->d->t0 : 0;
    if (v.t) most = fabs(v.t[l]) * step_of[order] / move_t(x.t, t0, order);
    if (v.y) most = larger(most, reach(s->ny, x.y, w, v.y, l, order));
    if (v.p) most = larger(most, reach(s->np, x.p, w, v.p, l, order));
    double eps = step_of[order] / most;
    return v.t && v.t[l] != 0 ? whole(eps, v.t[l], x.t, t0) : eps;
}

/* From t on into the step, by what fits twice; where t has no such number, by the whole step. */
static differ_stencil within(const deriv_source *s, double t, double v, double eps)
{
    const double up = s->d->to - t, down = s->d->from - t, room = fabs(up) > fabs(down) ? up : down;
    const double g = fabs(s->d->t0) > fabs(t - s->d->t0) ? 2 * grain(t) : 0, most = fabs(room) / 2;
    double move = fmin(fabs(eps * v), most);
    if (g > 0 && move > most - g) move = floor(most / g) * g;
    if (!(move > 0)) return (differ_stencil){.count = 2, .by = room / v, .at = {1, 0}, .weight = {1, -1}};
    return (differ_stencil){.count = 3, .by = copysign(move, room) / v, .at = {0, 1, 2}, .weight = {-1.5, 2, -0.5}};
}

differ_stencil differ_choose(const deriv_source *s, deriv_place x, int w, deriv_dirs v, int l, int order)
{
    const double eps = differ_eps(s, x, w, v, l, order);
    if (isinf(eps)) return (differ_stencil){0};
    if (v.t && v.t[l] != 0 && s->d && s->d->from != s->d->to && (x.t - s->d->from) * (x.t - s->d->to) <= 0)
        return within(s, x.t, v.t[l], eps);
    return (differ_stencil){.count = 2, .by = eps, .at = {1, -1}, .weight = {0.5, -0.5}};
}

static const double *shifted(int n, const double *x, double a, int w, const double *v, int l, double *out)
{
    for (ptrdiff_t i = 0; i < n; i++) out[i] = x[i] + a * v[i * w + l];
    return out;
}

deriv_place differ_shift(const deriv_source *s, int level, deriv_place x, double a, int w, deriv_dirs v, int l)
{
    deriv_place to = x;
    if (v.t) to.t = x.t + a * v.t[l];
    if (v.y) to.y = shifted(s->ny, x.y, a, w, v.y, l, s->ws->y[level]);
    if (v.p) to.p = shifted(s->np, x.p, a, w, v.p, l, s->ws->p[level]);
    return to;
}

int differ_along(const deriv_source *s, deriv_place x, int w, deriv_dirs v, int order, double *gdot)
{
    double *sum = s->ws->hi, *g = s->ws->lo;
    for (int l = 0; l < w; l++) {
        const differ_stencil d = differ_choose(s, x, w, v, l, order);
        for (int k = 0; k < d.count; k++) {
            int rc = source_eval(s, differ_shift(s, 0, x, d.at[k] * d.by, w, v, l), g);
            if (rc) return rc;
            for (ptrdiff_t i = 0; i < s->rows; i++) sum[i] = (k ? sum[i] : 0) + d.weight[k] * g[i];
        }
        for (ptrdiff_t i = 0; d.count && i < s->rows; i++) gdot[i * w + l] += sum[i] / d.by;
    }
    return 0;
}

/* The columns that belong to the n components at `at`, which lies in the place *x: its y or its p. */
static int columns(const deriv_source *s, deriv_place *x, const double **at, int n, double *moved, int w, const double *u,
                   double *out, int order)
{
    const double *here = *at;
    double *hi = s->ws->hi, *lo = s->ws->lo, T = typical(n, here);
    memcpy(moved, here, (size_t)n * sizeof *moved);
    *at = moved;
    for (ptrdiff_t j = 0; j < n; j++) {
        double h = step_of[order] * size(here[j], T, order), above = here[j] + h, below = here[j] - h;
        moved[j] = above;
        int rc = source_eval(s, *x, hi);
        moved[j] = below;
        if (!rc) rc = source_eval(s, *x, lo);
        moved[j] = here[j];
        if (rc) return rc;
        for (int i = 0; i < s->rows; i++) hi[i] = (hi[i] - lo[i]) / (above - below);
        source_add_column(s->rows, hi, 1, w, u, out + j * w);
    }
    *at = here;
    return 0;
}

int differ_columns(const deriv_source *s, deriv_place x, int w, const double *u, double *yb, double *pb, int order)
{
    int rc = yb ? columns(s, &x, &x.y, s->ny, s->ws->y[0], w, u, yb, order) : 0;
    if (!rc && pb) rc = columns(s, &x, &x.p, s->np, s->ws->p[0], w, u, pb, order);
    return rc;
}

void source_add_column(int rows, const double *column, int stride, int w, const double *u, double *restrict out)
{
    for (ptrdiff_t i = 0; i < rows; i++) {
        double c = column[i * stride];
        for (ptrdiff_t l = 0; l < w; l++) out[l] += c * u[i * w + l];
    }
}

double differ_largest(int n, const double *y)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(y[i]));
    return most;
}

/* differ_eps asks of the others only how large the largest is: two stand for all. */
double differ_step(double y, double most)
{
    deriv_source pair = {.ny = 2};
    deriv_place at = {.y = (double[]){y, most}};
    return differ_eps(&pair, at, 1, (deriv_dirs){.y = (double[]){1, 0}}, 0, 1);
}
