/* check.c - the certificate: are these the derivatives of the objective that was computed, on this problem and at these
 * parameters?
 *
 *     Psi = sum_j omega_j psi_j with irregular weights; x = (y0, p); g its gradient, H its Hessian; d1, d2 irregular directions
 *     identity    <g, d> = tangent of Psi along d                                      to round-off
 *     symmetry    <d1, H d2> = <d2, H d1>                                              to round-off
 *     Taylor      Psi(x + eps d) - Psi(x) - eps <g, d>  = O(eps^2), less eps^2/2 <d, H d>  = O(eps^3), over the recorded steps
 *     components  g_j against the tangent along x_j, for all j or a sample
 *
 * Where products come from finite differences, the defects are held against what those allow. */
#include "base/kernels.h"
#include "base/sized.h"
#include "core/driver.h"
#include "method/implicit.h"
#include "method/newton.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { SAMPLE = 64, LEVELS = 13, WINDOW = 2 }; /* components compared; sizes of perturbations, each a quarter of the one before */
enum { GLANCES = 16 }; /* at states along the run, for the sizes of components that begin at zero */

typedef struct probe {
    size_t n, np, m; /* states, parameters, and both */
    double *memory;
    double *x, *scale;    /* m: the point; the size of each component */
    double *d;            /* m x 2: directions */
    double *ydot, *g, *h; /* m x 2 work; m: gradient; m x 2: Hessian times d */
    double *omega, *psi;  /* nobj x 2 weights, equal in both lanes; nobj */
    double *y;            /* n */
    int lane;             /* the direction of the two along which Psi bends more: that of the Taylor remainders */
    double psi0, gd, dhd; /* Psi, <g, d>, <d, H d> for it */
    double gd_size;       /* sum |g_i d_i| */
} probe;

/* Irregular numbers in [0.5, 1.5), the same in every run. */
static double irregular(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return 0.5 + (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* The largest |y_i| at some of the steps, evenly by number: where much happens there are many. */
static int glance(costate_solver *s, probe *c, double t0, double t1, const double *p)
{
    double times[GLANCES], *rows = cst__alloc(&s->alloc, GLANCES * c->n, sizeof *rows);
    if (!rows) return cst__fail(s, COSTATE_ERR_MEMORY, "the check");
    memcpy(c->y, c->x, c->n * sizeof *c->y);
    int status = costate_solve(s, t0, t1, p, c->y);
    if (!status) {
        for (int k = 0; k < GLANCES; k++) times[k] = s->log.t[(s->log.count * (k + 1) + GLANCES - 1) / GLANCES];
        memcpy(c->y, c->x, c->n * sizeof *c->y);
        s->out = (output){.count = GLANCES, .times = times, .y = rows};
        status = costate_solve(s, t0, t1, p, c->y);
        s->out = (output){0};
    }
    for (size_t i = 0; !status && i < c->n; i++) {
        c->scale[i] = fabs(s->y0[i]);
        for (size_t k = 0; s->y0[i] == 0 && k < GLANCES; k++) c->scale[i] = fmax(c->scale[i], fabs(rows[k * c->n + i]));
    }
    cst__release(&s->alloc, rows);
    return status;
}

/* The size of a component is its own; where the state begins at zero, what it becomes along the run; where it stays zero, what
 * its tolerances hold for zero; where all that says nothing, 1. */
static int sizes(costate_solver *s, probe *c, double t0, double t1, const double *p)
{
    int known = !s->d.init.fn.eval;
    for (size_t i = 0; i < c->m; i++) {
        c->scale[i] = fabs(c->x[i]);
        if (i < c->n && c->x[i] == 0) known = 0;
    }
    if (!known) TRY(glance(s, c, t0, t1, p));
    for (size_t i = 0; i < c->n; i++)
        if (c->scale[i] == 0 && s->opt.rtol > 0) c->scale[i] = s->atol[i] / s->opt.rtol;
    for (size_t i = 0; i < c->m; i++)
        if (c->scale[i] == 0) c->scale[i] = 1;
    return 0;
}

static int probe_open(costate_solver *s, probe *c, double t0, double t1, const double *p, const double *y)
{
    size_t m = (size_t)s->prob.n + (size_t)s->prob.np, nobj = (size_t)s->nobj;
    *c = (probe){.n = (size_t)s->prob.n, .np = (size_t)s->prob.np, .m = m};
    double *at = c->memory = cst__alloc(&s->alloc, 9 * m + 3 * nobj + c->n, sizeof *at);
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "the check");
    c->x = at, c->scale = at + m, c->d = at + 2 * m, c->ydot = at + 4 * m, c->g = at + 6 * m, c->h = at + 7 * m;
    c->omega = at + 9 * m, c->psi = c->omega + 2 * nobj, c->y = c->psi + nobj;
    for (size_t i = 0; i < m; i++) c->x[i] = i < c->n ? (s->d.init.fn.eval ? 0 : y[i]) : p[i - c->n];
    TRY(sizes(s, c, t0, t1, p));
    uint64_t seed = 20;
    for (size_t o = 0; o < nobj; o++) c->omega[2 * o] = c->omega[2 * o + 1] = irregular(&seed);
    for (size_t i = 0; i < m; i++)
        for (int q = 0; q < 2; q++) c->d[2 * i + (size_t)q] = (irregular(&seed) < 1 ? -1 : 1) * irregular(&seed) * c->scale[i];
    return 0;
}

/* Psi over the recorded steps at x + eps d; NaN if the run fails there. */
static double psi_at(costate_solver *s, const probe *c, double eps)
{
    for (size_t i = 0; i < c->np; i++) s->p[i] = c->x[c->n + i] + eps * c->d[2 * (c->n + i) + (size_t)c->lane];
    int rc = s->d.init.fn.eval ? s->d.init.fn.eval(0, s->t0, NULL, s->p, c->y, s->d.init.data) : 0;
    for (size_t i = 0; i < c->n; i++) c->y[i] = (s->d.init.fn.eval ? c->y[i] : c->x[i]) + eps * c->d[2 * i + (size_t)c->lane];
    if (!rc) rc = cst__repeat(s, c->y, NULL, -1, NULL, c->psi);
    for (size_t i = 0; i < c->np; i++) s->p[i] = c->x[c->n + i];
    double sum = 0;
    for (int o = 0; o < s->nobj; o++) sum += c->omega[2 * o] * c->psi[o];
    return rc ? NAN : sum;
}

static double product(const probe *c, const double *a, size_t stride, const double *d, double *size)
{
    double sum = 0;
    *size = 0;
    for (size_t i = 0; i < c->m; i++) {
        sum += a[i * stride] * d[2 * i];
        *size += fabs(a[i * stride] * d[2 * i]);
    }
    return sum;
}

static double relative(double defect, double size)
{
    return defect == 0 ? 0 : fabs(defect) / size;
}

/* Runs the tangent, the gradient and the Hessian products, and compares them with each other. */
static int identities(costate_solver *s, probe *c, double t0, double t1, const double *p, costate_certificate *out)
{
    double psidot[2] = {0}, size;
    memcpy(c->y, c->x, c->n * sizeof *c->y);
    memcpy(c->ydot, c->d, 2 * c->n * sizeof *c->ydot);
    TRY(costate_tangent(s, t0, t1, p, c->y, 2, c->ydot, c->np ? c->d + 2 * c->n : NULL));
    for (int o = 0; o < s->nobj; o++) {
        c->psi0 += c->omega[2 * o] * s->psi[o];
        for (int q = 0; q < 2; q++) psidot[q] += c->omega[2 * o] * s->psidot.at[2 * o + q];
    }
    for (int o = 0; o < s->nobj; o++) c->psi[o] = c->omega[2 * o];
    TRY(costate_gradient(s, 1, c->psi, c->g, c->g + c->n));
    c->gd = product(c, c->g, 1, c->d, &c->gd_size);
    out->identity = relative(c->gd - psidot[0], c->gd_size);
    double other = product(c, c->g, 1, c->d + 1, &size);
    out->identity = fmax(out->identity, relative(other - psidot[1], size));
    out->symmetry = c->dhd = NAN;
    if (s->fam->second_lacks && s->fam->second_lacks(s)) return 0;
    TRY(costate_hessian(s, 2, c->omega, c->d, c->np ? c->d + 2 * c->n : NULL, c->h, c->h + 2 * c->n));
    double ba = product(c, c->h, 2, c->d + 1, &size), ab = product(c, c->h + 1, 2, c->d, &size);
    out->symmetry = relative(ab - ba, size);
    double other_dhd = product(c, c->h + 1, 2, c->d + 1, &size);
    c->dhd = product(c, c->h, 2, c->d, &size);
    if (fabs(other_dhd) > fabs(c->dhd)) {
        c->lane = 1;
        c->dhd = other_dhd;
        c->gd = product(c, c->g, 1, c->d + 1, &c->gd_size);
    }
    return 0;
}

/* Where Newton's iteration stops changes with the perturbation, so there is more noise than the smallest perturbations show. A
 * remainder that does not fall to a half when eps falls to a quarter is noise, as long as it is small: that of a wrong gradient
 * would fall to a quarter. */
static double plateau(const double *r, double size)
{
    double most = 0;
    for (int k = 1; k < LEVELS; k++)
        if (r[k] > r[k - 1] / 2 && r[k] < 1e-8 * size) most = fmax(most, r[k]);
    return most;
}

/* The slope of the remainder where it is smallest yet well above noise: the mean over the last WINDOW levels, or as many as there
 * are when the runs with larger perturbations failed. */
static double last_slope(const double *r, const double *noise, double size, double expected)
{
    const double flat = 10 * plateau(r, size);
    int first = 0, last = -1;
    while (first < LEVELS && !isfinite(r[first])) first++;
    if (first == LEVELS) return NAN;
    for (int k = first; k < LEVELS; k++)
        if (isfinite(r[k]) && r[k] > fmax(200 * noise[k], flat)) last = k;
        else if (isfinite(r[k]) && last >= first + WINDOW) break;
    if (last < (first ? first + 1 : WINDOW)) return expected; /* below noise from the start: the remainder vanishes */
    int from = last - WINDOW > first ? last - WINDOW : first;
    while (!isfinite(r[from])) from--; /* a run that failed in between */
    return log2(r[from] / r[last]) / (2 * (last - from));
}

static void taylor(costate_solver *s, probe *c, costate_certificate *out)
{
    double *r1 = out->rest_gradient, *r2 = out->rest_hessian, noise1[LEVELS], noise2[LEVELS];
    double floor_noise = 4 * DBL_EPSILON * fabs(c->psi0);
    out->levels = LEVELS;
    for (int k = 0; k < 3; k++) { /* what round-off makes of steps too small to matter */
        double eps = ldexp(1e-13, k), psi = psi_at(s, c, eps);
        if (isfinite(psi)) floor_noise = fmax(floor_noise, fabs(psi - c->psi0 - eps * c->gd));
    }
    double fd1 = s->d.exact ? 0 : 1e-7, fd2 = s->d.exact2 && s->d.exact ? 0 : 1e-4;
    for (int k = 0; k < LEVELS; k++) {
        double eps = out->eps[k] = ldexp(0.02, -2 * k), forth = psi_at(s, c, eps) - c->psi0 - eps * c->gd,
               back = psi_at(s, c, -eps) - c->psi0 + eps * c->gd;
        double square = eps * eps / 2 * c->dhd;
        r1[k] = fmax(fabs(forth), fabs(back)); /* both ways, so that terms of different order cannot cancel */
        r2[k] = fmax(fabs(forth - square), fabs(back - square));
        if (isnan(forth + back)) r1[k] = r2[k] = NAN;
        noise1[k] = floor_noise + eps * fd1 * c->gd_size;
        noise2[k] = noise1[k] + eps * eps * fd2 * fabs(c->dhd);
    }
    double size = fabs(c->psi0) + c->gd_size;
    out->slope_gradient = last_slope(r1, noise1, size, 2);
    out->slope_hessian = isnan(c->dhd) ? NAN : last_slope(r2, noise2, size, 3);
}

/* Gradient components against tangents along single components, in blocks of lanes over the recorded steps. */
static int components(costate_solver *s, probe *c, costate_certificate *out)
{
    size_t count = c->m < SAMPLE ? c->m : SAMPLE;
    double largest = 0;
    for (size_t i = 0; i < c->m; i++) largest = fmax(largest, fabs(c->g[i] * c->scale[i]));
    uint64_t seed = 7;
    out->components = (int)count;
    snprintf(out->worst_name, sizeof out->worst_name, "none");
    for (size_t at = 0; at < count;) {
        int w = (int)(count - at < (size_t)s->opt.lanes ? count - at : (size_t)s->opt.lanes);
        double *memory = cst__scratch(s, &s->sweep, cst__dblock_doubles(s, w));
        if (!memory) return s->status;
        dblock d;
        tangent tg = {.cut = {1, w, w}, .block = &d};
        size_t which[64];
        cst__dblock_carve(s, &d, w, memory);
        memset(memory, 0, cst__dblock_doubles(s, w) * sizeof *memory);
        for (int l = 0; l < w; l++, at++) {
            size_t i = which[l] = count == c->m ? at : (size_t)((irregular(&seed) - 0.5) * (double)c->m);
            if (i < c->n) d.ydot[i * (size_t)w + (size_t)l] = 1;
            else d.own_pdot[(i - c->n) * (size_t)w + (size_t)l] = 1;
        }
        if (!c->np) d.pdot = NULL;
        int rc = cst__dblock_init(s, &d);
        if (rc) return cst__callback_failed(s, rc, "init's jvp", s->t0, 0, 0);
        TRY(cst__repeat(s, s->y0, &tg, -1, NULL, c->psi));
        for (int l = 0; l < w; l++) {
            size_t i = which[l];
            double sum = 0, g = c->g[i];
            for (int o = 0; o < s->nobj; o++) sum += c->omega[2 * o] * d.qdot[o * w + l];
            double diff = relative((g - sum) * c->scale[i], fmax(fmax(fabs(g), fabs(sum)) * c->scale[i], 1e-6 * largest));
            if (diff >= out->worst) {
                char buffer[32];
                out->worst = diff;
                if (i < c->n) snprintf(out->worst_name, sizeof out->worst_name, "%s(t0)", cst__state_name(s, (int)i, buffer));
                else snprintf(out->worst_name, sizeof out->worst_name, "%s", cst__param_name(s, (int)(i - c->n), buffer));
            }
        }
    }
    return 0;
}

static void judge(const costate_solver *s, costate_certificate *c)
{
    double tol2 = s->d.exact && s->d.exact2 ? 1e-9 : 1e-3;
    c->tolerance = s->d.exact ? 1e-10 : 1e-5;
    c->holds = !c->missing[0] && c->identity <= c->tolerance && c->worst <= c->tolerance * 100 && !(c->symmetry > tol2) &&
               c->slope_gradient > 1.8 &&
               (isnan(c->symmetry) || c->slope_hessian > 2.8); /* NaN: the method has no second order */
    snprintf(c->text, sizeof c->text,
             "certificate: %s\n"
             "  tangent/adjoint identity   %8.1e   (at most %.0e)\n"
             "  Hessian symmetry           %8.1e   (at most %.0e)\n"
             "  Taylor slope, gradient     %8.2f   (2)\n"
             "  Taylor slope, Hessian      %8.2f   (3)\n"
             "  worst of %d components     %8.1e   %s\n"
             "%s%s%s"
             "  derivatives: %s",
             c->holds ? "holds" : "DOES NOT HOLD", c->identity, c->tolerance, c->symmetry, tol2, c->slope_gradient,
             c->slope_hessian, c->components, c->worst, c->worst_name, c->missing[0] ? "  the Jacobian's pattern lacks  " : "",
             c->missing, c->missing[0] ? "\n" : "", s->d.text);
}

/* An entry of the Jacobian that the pattern has not: the factors of an implicit method miss it. */
static int pattern(costate_solver *s, costate_certificate *out)
{
    char one[32], other[32];
    int row, column;
    if (!s->im || !s->im->values) return 0;
    int rc = jacobian_missing(&s->im->jac, s->t0, s->y0, s->p, &row, &column);
    if (rc < 0) return cst__fail(s, rc, "a callback while the Jacobian's pattern was checked");
    if (rc == 0)
        snprintf(out->missing, sizeof out->missing, "d %s' / d %s", cst__state_name(s, row, one),
                 cst__state_name(s, column, other));
    return 0;
}

static int check(costate_solver *s, probe *c, double t0, double t1, const double *p, const double *y, costate_certificate *out)
{
    TRY(probe_open(s, c, t0, t1, p, y));
    TRY(identities(s, c, t0, t1, p, out));
    s->opt.newton_most *= 4; /* where the iteration converges slowly over a recorded step, there is no shorter one to be had */
    taylor(s, c, out);
    TRY(components(s, c, out));
    TRY(pattern(s, out));
    judge(s, out);
    return 0;
}

/* What is checked is about the method: stage systems are solved to round-off, not to where Newton's iteration would stop. */
static int check_closely(costate_solver *s, double t0, double t1, const double *p, const double *y, costate_certificate *out)
{
    output keep = s->out;
    costate_options options = s->opt;
    s->out = (output){0};
    s->opt.newton_tol = fmin(newton_tolerance(s), 100 * DBL_EPSILON / fmax(s->opt.rtol, 1e-12));
    s->opt.newton_most *= 3;
    s->opt.sweep_tol = fmin(cst__sweep_tol(s), 1e-12);
    probe c = {0};
    int status = check(s, &c, t0, t1, p, y, out);
    s->out = keep;
    s->opt = options;
    cst__release(&s->alloc, c.memory);
    return status;
}

static int certify(costate_solver *s, double t0, double t1, const double *p, const double *y, costate_certificate *c)
{
    TRY(cst__begin(s));
    if ((!y && !s->d.init.fn.eval) || (!p && s->prob.np)) return cst__fail(s, COSTATE_ERR_NULL, "y or p");
    if (!s->opt.record) return cst__fail(s, COSTATE_ERR_NO_RECORD, "option record is 0");
    TRY(check_closely(s, t0, t1, p, y, c));
    cst__begin(s); /* perturbed runs may have failed on the way */
    if (c->holds) return 0;
    return cst__fail(s, COSTATE_CHECK_FAILED,
                     "%s%s%sidentity %.1e, symmetry %.1e, slopes %.2f and %.2f, worst component %s (%.1e)",
                     c->missing[0] ? "the pattern lacks " : "", c->missing, c->missing[0] ? ", " : "", c->identity, c->symmetry,
                     c->slope_gradient, c->slope_hessian, c->worst_name, c->worst);
}

int costate_check_sized(costate_solver *s, double t0, double t1, const double *p, const double *y,
                        costate_certificate *certificate, size_t size)
{
    static const costate_certificate none = {
        .identity = NAN, .symmetry = NAN, .slope_gradient = NAN, .slope_hessian = NAN, .worst = NAN};
    costate_certificate own = {.identity = 0};
    if (!certificate) {
        int status = cst__begin(s);
        return status ? status : cst__fail(s, COSTATE_ERR_NULL, "certificate");
    }
    int status = certify(s, t0, t1, p, y, &own), known = !status || status == COSTATE_CHECK_FAILED;
    sized_give(certificate, size, known ? &own : &none, sizeof own);
    return status;
}
