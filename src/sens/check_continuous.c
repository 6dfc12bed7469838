/* check_continuous.c - the certificate of derivatives by the adjoint equations. They are those of the solution, as far as the run
 * is, and not of the computed numbers: what they differ from tangents by, which differences over these steps prove, is no
 * round-off. What the tolerance leaves of it falls with the tolerance; a mistake stays.
 *
 *     a = |<g, d> - tangent along d| / size       for every goal and way, at the tolerance tol and at tol' = tol / 100
 *     a' <= max(a / 3, 100 tol')                  else, for a may be small by chance, at tol' / 100 once more; where tol' is
 *                                                 too tight for the run back, at 100 tol and tol
 *
 * Hessian products along the mixture, and their symmetry, likewise. Error bars are held against the same run:
 *
 *     |g - g'| <= max(3 bar, 100 tol |g|),    bar = 2 |g - g over halved steps| (core/halved.h), the largest of an objective
 *
 * docs/theory.md, "The certificate of the adjoint equations". */
#include "sens/check.h"
#include "sens/over.h"

#include "core/halved.h"

#include <math.h>
#include <stdio.h>

static const double hundredth = 0.01, least_fall = 3, at_tolerance = 100;
static const double finest = 1e-13;      /* no tolerance is tighter */
static const double most_noise = 1e-4;   /* of a size; what differs by more is no round-off */

enum { TOLERANCES = 3 };

typedef struct falls {
    check *c;
    size_t pairs, rows;      /* ways x goals of first order; of second, 0: none */
    double *off[TOLERANCES]; /* pairs, and CHECK_APART of second order */
    double tol[TOLERANCES];
    double *grad, *sharp, *half, *tangents; /* at the tolerance: the run's; m x goals; nobj x ways */
    double *memory;
    int own;                 /* at which of the tolerances the run is */
} falls;

static int open(falls *f, check *c)
{
    const size_t ways = (size_t)c->ways, goals = (size_t)c->goals, all = ways * goals + CHECK_APART;
    const size_t matrix = CHECK_WAYS * c->nobj;
    *f = (falls){.c = c, .pairs = ways * goals};
    double *at = f->memory = cst__alloc(&c->s->alloc, TOLERANCES * all + 2 * c->m * goals + matrix, sizeof *at);
    if (!at) return cst__fail(c->s, COSTATE_ERR_MEMORY, "the check");
    for (int k = 0; k < TOLERANCES; k++) f->off[k] = at + (size_t)k * all;
    f->sharp = at += TOLERANCES * all;
    f->half = at += c->m * goals;
    f->tangents = at + c->m * goals;
    f->grad = c->grad;
    return 0;
}

/* ---- at one tolerance ------------------------------------------------------------------------------------------------ */

/* Of the gradients and tangents that c has at hand. */
static int apart(falls *f, int at)
{
    check *c = f->c;
    double *off = f->off[at];
    f->tol[at] = c->s->opt.rtol > 0 ? c->s->opt.rtol : 1e-6; /* as the run back has it (back.c) */
    for (int q = 0; q < c->ways; q++) {
        cst__check_way(c, q, c->d, 1);
        for (size_t l = 0; l < (size_t)c->goals; l++) {
            const pair r = cst__check_pair(c, q, l);
            const double d = fabs(r.adjoint - r.tangent), whole = q < c->units ? 1e-4 * cst__check_largest(c, l) : 0;
            const double size = fmax(fmax(r.terms, fabs(r.tangent)), fmax(1e-2 * r.change, whole));
            *off++ = d == 0 ? 0 : fmax(0, d - fmin(1000 * r.noise, most_noise * size)) / size;
        }
    }
    return cst__check_second_apart(c, off, &f->rows);
}

/* Gradients over halved steps, to f->half. */
static int halves(falls *f)
{
    check *c = f->c;
    costate_solver *s = c->s;
    double *dp = c->np ? f->half + c->n * (size_t)c->goals : NULL;
    TRY(cst__halved_open(s, 1));
    costate_solver *h = s->halved;
    h->have_run = 1;
    int status = cst__solve_over(h);
    if (!status) status = costate_gradient(h, c->goals, c->weights, f->half, dp);
    if (status) status = cst__halved_failed(s, h, status);
    cst__halved_rest(s);
    return status;
}

/* With a share of the tolerance, or so much of a fixed step: gradients to f->sharp, tangents to f->tangents. */
static int tighter(falls *f, int at, double share, double stride)
{
    check *c = f->c;
    int ways[CHECK_WAYS];
    double *tangents = c->tangents, *dp = c->np ? f->sharp + c->n * (size_t)c->goals : NULL;
    for (int q = 0; q < c->ways; q++) ways[q] = q;
    int status = cst__check_tighten(c, share, stride);
    if (!status) status = costate_gradient(c->s, c->goals, c->weights, f->sharp, dp);
    if (!status) status = cst__check_tangents(c, NULL, 0, c->ways, ways, f->tangents);
    if (!status) {
        c->grad = f->sharp, c->tangents = f->tangents;
        status = apart(f, at);
        c->grad = f->grad, c->tangents = tangents;
    }
    cst__check_loosen(c);
    return status;
}

/* ---- what falls ------------------------------------------------------------------------------------------------------ */

static double limit(const falls *f, int at, double before)
{
    const int far = f->tol[at] <= 0.1 * f->tol[at - 1]; /* near the finest tolerance there is no way to fall */
    return fmax(far ? before / least_fall : 0, fmax(at_tolerance * f->tol[at], f->c->out->tolerance));
}

static int stays(const falls *f, size_t i)
{
    return !(f->off[1][i] <= limit(f, 1, f->off[0][i]));
}

static double larger(double a, double b) /* a NaN wins */
{
    return b > a || isnan(b) ? b : a;
}

static void name(const falls *f, size_t i, char text[96])
{
    const check *c = f->c;
    const size_t goals = (size_t)c->goals;
    if (i == f->pairs) snprintf(text, 96, "symmetry of the Hessian");
    else if (i > f->pairs) snprintf(text, 96, "a product of the Hessian");
    else cst__check_slope_name(c, c->goal[i % goals], (int)(i / goals), text);
}

static void judge(falls *f, int runs)
{
    check *c = f->c;
    costate_certificate *out = c->out;
    const int components = c->units * c->goals;
    out->components = c->units;
    for (size_t i = 0; i < f->pairs + f->rows; i++) {
        const double first = f->off[0][i], last = f->off[runs - 1][i], own = f->off[f->own][i];
        finding x = {.word = AGREES, .defect = f->off[1][i], .noise = first, .most = limit(f, 1, first)};
        if (runs > 2 && stays(f, i) && !(last <= limit(f, 2, f->off[1][i]))) x.word = CONTRADICTS;
        if (runs == 2 && stays(f, i)) x.word = CONTRADICTS;
        if (cst__measure(&out->tighter, x)) name(f, i, out->tighter.name);
        if (i < f->pairs) out->identity = fmax(out->identity, own);
        if (i == f->pairs) out->symmetry = own;
        if (i > f->pairs) cst__measure(&out->second, (finding){.word = AGREES, .defect = own});
        if ((int)i >= components || !(own >= out->worst)) continue;
        out->worst = own;
        cst__check_variable(c, c->unit[i / (size_t)c->goals], out->worst_name);
    }
}

/* ---- bars ------------------------------------------------------------------------------------------------------------ */

/* Of an objective: the largest distance over the largest bar, by the sizes of x; by chance single bars are too small. In sums of
 * objectives each counts by its own slope, and one that hardly has any is all error. */
static void bars(falls *f)
{
    const double twice = 2;
    check *c = f->c;
    costate_measure *m = &c->out->bars;
    const size_t w = (size_t)c->goals;
    m->most = 3, m->defect = 0;
    for (size_t l = 0; l < w; l++) {
        if (c->goal[l] < 0) continue;
        m->all++, m->measured++;
        double far = 0, bar = 0, size = 0;
        for (int k = 0; k < c->count; k++) {
            const size_t i = (size_t)c->judged[k], at = i * w + l;
            far = larger(far, c->scale[i] * fabs(c->grad[at] - f->sharp[at]));
            bar = larger(bar, twice * c->scale[i] * fabs(c->grad[at] - f->half[at]));
            size = larger(size, c->scale[i] * fabs(c->grad[at]));
        }
        bar += c->out->tolerance * size;
        if (!(far <= fmax(m->most * bar, at_tolerance * f->tol[0] * size))) m->wrong++;
        if (far <= m->defect * bar) continue;
        m->defect = far / bar;
        cst__check_goal(c, c->goal[l], m->name);
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

/* From here on slopes of whole runs are held against these gradients, and excused by the tighter ones. */
static int claim(falls *f)
{
    check *c = f->c;
    c->sharper = cst__alloc(&c->s->alloc, CHECK_WAYS * c->nobj, sizeof *c->sharper);
    if (!c->sharper) return cst__fail(c->s, COSTATE_ERR_MEMORY, "the check");
    memcpy(c->sharper, f->tangents, (size_t)c->ways * c->nobj * sizeof *c->sharper);
    for (int q = 0; q < c->ways; q++) {
        cst__check_way(c, q, c->d, 1);
        for (size_t l = 0; l < (size_t)c->goals; l++) {
            if (c->goal[l] < 0) continue;
            const size_t at = (size_t)q * c->nobj + (size_t)c->goal[l];
            c->tangents[at] = cst__check_pair(c, q, l).adjoint;
            c->grad = f->sharp;
            c->sharper[at] = cst__check_pair(c, q, l).adjoint;
            c->grad = f->grad;
        }
    }
    return 0;
}

/* Where round-off is in the way of a tighter run, a looser one: the falls are those from there to here. */
static int looser(falls *f)
{
    double *own = f->off[0];
    const double tol = f->tol[0];
    const int status = tighter(f, 1, 1 / hundredth, 4);
    if (status) return status;
    f->off[0] = f->off[1], f->off[1] = own;
    f->tol[0] = f->tol[1], f->tol[1] = tol;
    f->own = 1;
    memcpy(f->sharp, f->grad, f->c->m * (size_t)f->c->goals * sizeof *f->sharp); /* there is none that is sharper */
    return 0;
}

/* One of both; else it is said why there is none, and nothing is known. */
static int other(falls *f, double share)
{
    check *c = f->c;
    int status = tighter(f, 1, share, 0.25);
    if (!status) bars(f);
    else if (status != COSTATE_ERR_MEMORY) {
        snprintf(c->alone, sizeof c->alone, "%.120s", c->s->reason);
        status = looser(f);
        if (!status) c->alone[0] = 0, c->looser = 1;
    }
    return status == COSTATE_ERR_MEMORY ? status : 0;
}

int cst__check_continuous(check *c)
{
    falls f;
    costate_solver *s = c->s;
    const double share = s->opt.rtol > finest ? fmax(hundredth, finest / s->opt.rtol) : 1;
    TRY(open(&f, c));
    int status = apart(&f, 0), runs = 2, in_doubt = 0;
    if (!status) status = halves(&f);
    if (!status) status = other(&f, share);
    const int known = !status && !c->alone[0];
    for (size_t i = 0; known && i < f.pairs + f.rows; i++) in_doubt |= stays(&f, i);
    if (known) status = claim(&f);
    const int further = in_doubt && !f.own && share * share * s->opt.rtol >= finest;
    if (!status && further && !tighter(&f, 2, share * share, 0.0625)) runs = 3;
    if (!status && known) judge(&f, runs);
    cst__release(&s->alloc, f.memory);
    return status;
}
