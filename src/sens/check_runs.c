/* check_runs.c - tangents of the objectives against differences of runs, repeated ones and free ones.
 *
 * Repeated runs take the recorded steps. By explicit and Rosenbrock methods their objectives are smooth functions of x up to
 * round-off, and a tangent is right or it is not. Newton's iteration leaves a rest that depends on x in a way of its own:
 * smoothly as long as there are as many iterations, so that slopes settle, but beside the derivative of the method. It may be as
 * large as rtol, and the certificate says how large it is.
 *
 * Free runs choose their steps, so their objectives are off by what the tolerance allows, a little differently every time. How
 * much that is, is measured by a run with a tenth of the tolerance. They see gross errors only, but also those that recorded
 * steps cannot show, because what moves lies between two stages. */
#include "sens/check.h"

#include "base/kernels.h"
#include "core/consistent.h"
#include "method/implicit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const double near[CHECK_LEVELS] = {0x1p-4, 0x1p-7, 0x1p-11, 0x1p-15, 0x1p-19};
static const double gross = 0.5;  /* a defect of free steps that no tolerance excuses */
static const double coarse = 0.1; /* one of the recorded steps that Newton's iteration does not */
static const double wide[CHECK_LEVELS] = {0x1p-1, 0x1p-2, 0x1p-4, 0x1p-6, 0x1p-9};

/* ---- runs ----------------------------------------------------------------------------------------------------------- */

/* s->p and c->shifted become those of x + eps d; d NULL: of x. */
static int shift(check *c, const double *d, double eps)
{
    costate_solver *s = c->s;
    const deriv_function *init = &s->d.init;
    for (size_t i = 0; i < c->np; i++) s->p[i] = c->x[c->n + i] + (d ? eps * d[c->n + i] : 0);
    if (init->fn.eval && d) return init->fn.eval(0, s->t0, NULL, s->p, c->shifted, init->data);
    for (size_t i = 0; i < c->n; i++) c->shifted[i] = c->x[i] + (d ? eps * d[i] : 0);
    return 0;
}

/* Back at x; and the family forgets the matrices of steps that were taken elsewhere. */
static void back(check *c)
{
    shift(c, NULL, 0);
    if (c->s->fam->start) c->s->fam->start(c->s, 0);
}

/* A perturbed run may fail; not for want of memory. */
static int perturbed(check *c, int rc)
{
    if (rc == COSTATE_ERR_MEMORY) c->fatal = rc;
    return rc;
}

int cst__check_repeat(check *c, const double *d, double eps, double *psi)
{
    int rc = shift(c, d, eps);
    if (!rc) rc = perturbed(c, cst__repeat(c->s, c->shifted, NULL, -1, NULL, psi));
    back(c);
    return rc || !cst__all_finite(c->nobj, psi);
}

/* A run that chooses its steps. psi NULL: not wanted. */
static int whole_run(check *c, const double *d, double eps, double *psi)
{
    costate_solver *s = c->s;
    int rc = shift(c, d, eps);
    if (rc) return rc;
    if (c->np) memcpy(c->params, s->p, c->np * sizeof *s->p);
    rc = cst__start(s, c->t0, c->t1, c->params, c->shifted);
    if (!rc) rc = cst__run(s, NULL);
    perturbed(c, rc);
    if (psi) memcpy(psi, s->psi, c->nobj * sizeof *psi);
    return rc;
}

/* Directions of the block: lane l along ways[l]. */
static int load(check *c, dblock *d, int w, const int *ways)
{
    costate_solver *s = c->s;
    size_t lanes = (size_t)w;
    for (size_t l = 0; l < lanes; l++) {
        cst__check_way(c, ways[l], c->d, 1);
        for (size_t i = 0; i < c->n; i++) d->ydot[i * lanes + l] = c->stretch * c->d[i];
        for (size_t i = 0; i < c->np; i++) d->own_pdot[i * lanes + l] = c->stretch * c->d[c->n + i];
    }
    if (!c->np) d->pdot = NULL;
    int rc = cst__dblock_init(s, d);
    return rc ? cst__callback_failed(s, rc, "init's jvp", s->t0, 0, 0) : 0;
}

static int block(check *c, int w, const int *ways, double *tangents)
{
    costate_solver *s = c->s;
    size_t lanes = (size_t)w, doubles = cst__dblock_doubles(s, w);
    double *memory = cst__scratch(s, &s->sweep, doubles + c->nobj);
    if (!memory) return s->status;
    dblock d;
    tangent tg = {.cut = {1, w, w}, .block = &d};
    cst__dblock_carve(s, &d, w, memory);
    memset(memory, 0, doubles * sizeof *memory);
    TRY(load(c, &d, w, ways));
    TRY(cst__repeat(s, s->y0, &tg, -1, NULL, memory + doubles));
    for (size_t l = 0; l < lanes; l++)
        for (size_t j = 0; j < c->nobj; j++) tangents[l * c->nobj + j] = d.qdot[j * lanes + l] / c->stretch;
    return 0;
}

int cst__check_tangents(check *c, const double *d, double eps, int w, const int *ways, double *tangents)
{
    costate_solver *s = c->s;
    int rc = shift(c, d, eps), lanes = (int)s->opt.lanes;
    memcpy(s->y0, c->shifted, c->n * sizeof *s->y0);
    if (!rc) rc = cst__consistent(s, s->y0, 0);
    if (!rc) rc = cst__first_state(s, s->y0);
    for (int at = 0; at < w && !rc; at += lanes)
        rc = block(c, w - at < lanes ? w - at : lanes, ways + at, tangents + (size_t)at * c->nobj);
    perturbed(c, rc);
    back(c);
    memcpy(s->y0, c->shifted, c->n * sizeof *s->y0);
    TRY(cst__first_state(s, s->y0));
    return rc;
}

/* ---- noise ---------------------------------------------------------------------------------------------------------- */

/* Steps of a given size solve their stages to round-off, if nobody asks for less. */
int cst__check_newton_based(const costate_solver *s)
{
    int round_off = s->opt.step > 0 && s->opt.newton_tol == 0;
    return s->im && s->fam->id != COSTATE_ROS && !round_off;
}

/* A final state that is nothing to its tolerance: its digits are those of larger ones. */
int cst__check_below(const check *c, size_t objective)
{
    return !c->s->has_objective && fabs(c->psi[objective]) < c->s->atol[objective];
}

/* A final state that is nothing to what the smallest perturbation makes of it bends on the scale of its own value, which no
 * difference sees: what two reactants leave of each other. secant: how fast it changes over a large step. */
int cst__check_bends(const check *c, size_t objective, double secant)
{
    const double size = fabs(c->psi[objective]);
    return !c->s->has_objective && size > 0 && size < 1e-3 * near[CHECK_LEVELS - 1] * secant;
}

/* What round-off makes of perturbations too small to matter. */
int cst__check_noise(check *c)
{
    double *psi = cst__alloc(&c->s->alloc, c->nobj, sizeof *psi);
    if (!psi) return cst__fail(c->s, COSTATE_ERR_MEMORY, "the check");
    for (size_t j = 0; j < c->nobj; j++) c->noise[j] = 8 * DBL_EPSILON * fabs(c->psi[j]);
    for (size_t j = 0; j < c->nobj; j++)
        if (cst__check_below(c, j)) c->noise[j] = 8 * DBL_EPSILON * c->s->atol[j] / fmax(c->s->opt.rtol, DBL_EPSILON);
    cst__check_mixture(c, 0, c->d, 1);
    for (int k = -2; k <= 2; k++)
        if (!cst__check_repeat(c, c->d, k * 0x1p-49, psi))
            for (size_t j = 0; j < c->nobj; j++) c->noise[j] = fmax(c->noise[j], 4 * fabs(psi[j] - c->psi[j]));
    cst__release(&c->s->alloc, psi);
    return 0;
}

double cst__check_softness(const check *c)
{
    const costate_solver *s = c->s;
    double soft = s->d.exact ? 0 : 1e-7;
    const double steps = (double)s->log.count;
    if (cst__check_newton_based(s)) soft = fmax(soft, s->opt.rtol * fmax(1, 1e-2 * steps)); /* it adds up, */
    if (cst__index2(s)) soft *= fmax(1, steps / fabs(s->t1 - s->t0)); /* and norms let index-2 variables be off by 1/h more */
    if (s->im && !s->im->values) soft = fmax(soft, 1e3 * s->opt.gmres_tol);
    return soft;
}

double cst__check_bound(const check *c)
{
    return c->s->d.exact ? 1e-6 : 1e-3;
}

/* The largest slope of an objective. */
static double steepest(const check *c, size_t j)
{
    double most = 0;
    for (int q = 0; q < c->ways; q++) most = fmax(most, fabs(c->tangents[(size_t)q * c->nobj + j]));
    return most;
}

/* What Newton's iteration leaves knows nothing of single components. */
void cst__check_slack(const check *c, int way, double *slack)
{
    const double soft = cst__check_softness(c);
    for (size_t j = 0; j < c->nobj; j++)
        slack[j] = soft * steepest(c, j) + 1000 * c->tangent_noise[(size_t)way * c->nobj + j];
}

/* ---- over the recorded steps ---------------------------------------------------------------------------------------- */

static int repeated(void *context, double eps, double *psi)
{
    check *c = context;
    return cst__check_repeat(c, c->d, eps, psi);
}

int cst__check_tighten(check *c, double share, double stride)
{
    c->options = c->s->opt;
    memcpy(c->atol, c->s->atol, c->n * sizeof *c->atol);
    c->s->opt.rtol *= share;
    c->s->opt.step *= stride;
    for (size_t i = 0; i < c->n; i++) c->s->atol[i] *= share;
    return whole_run(c, NULL, 0, NULL);
}

void cst__check_loosen(check *c)
{
    c->s->opt = c->options;
    memcpy(c->s->atol, c->atol, c->n * sizeof *c->atol);
}

/* With a tenth of the tolerance, or half of a fixed step. */
static int sharper_run(check *c)
{
    const int rc = cst__check_tighten(c, c->s->opt.rtol > 1e-13 ? 0.1 : 1, 0.5);
    cst__check_loosen(c);
    return rc;
}

/* Tangents of that run along all ways, made when they are first asked for; NULL: there are none. */
static const double *sharper_tangents(check *c)
{
    int ways[CHECK_WAYS];
    if (c->sharper) return c->sharper;
    c->sharper = cst__alloc(&c->s->alloc, CHECK_WAYS * c->nobj, sizeof *c->sharper);
    if (!c->sharper) c->fatal = COSTATE_ERR_MEMORY;
    if (!c->sharper) return NULL;
    cst__fill_nan(c->sharper, CHECK_WAYS * c->nobj);
    for (int q = 0; q < c->ways; q++) ways[q] = q;
    if (!sharper_run(c)) cst__check_tangents(c, NULL, 0, c->ways, ways, c->sharper);
    return c->sharper;
}

static int open_ladder(check *c, ladder *l, const double *h, int first)
{
    size_t doubles = cst__ladder_doubles(c->nobj);
    double *at = cst__alloc(&c->s->alloc, doubles + c->nobj, sizeof *at);
    if (!at) return cst__fail(c->s, COSTATE_ERR_MEMORY, "the check");
    cst__ladder_carve(l, c->nobj, h, first, at);
    l->slack = at + doubles;
    memcpy(l->base, c->psi, c->nobj * sizeof *at);
    memcpy(l->noise, c->noise, c->nobj * sizeof *at);
    return 0;
}

/* Newton's iteration goes on to where nothing is left. */
static costate_options without_rest(costate_solver *s)
{
    const costate_options before = s->opt;
    s->opt.newton_tol = fmin(s->opt.newton_tol > 0 ? s->opt.newton_tol : 1, 1e-8);
    s->opt.newton_most = 100;
    return before;
}

/* Objectives, and tangents along all ways, of recorded steps that are solved so far; made when they are first asked for. NULL:
 * there are none. */
static const double *solved(check *c)
{
    int ways[CHECK_WAYS];
    if (c->solved) return c->solved;
    c->solved = cst__alloc(&c->s->alloc, (1 + CHECK_WAYS) * c->nobj, sizeof *c->solved);
    if (!c->solved) c->fatal = COSTATE_ERR_MEMORY;
    if (!c->solved) return NULL;
    cst__fill_nan(c->solved, (1 + CHECK_WAYS) * c->nobj);
    for (int q = 0; q < c->ways; q++) ways[q] = q;
    if (!cst__check_repeat(c, NULL, 0, c->solved)) cst__check_tangents(c, NULL, 0, c->ways, ways, c->solved + c->nobj);
    return c->solved;
}

/* Where steps that are solved to the end have differences that agree with their tangents, the derivative is right, and a defect
 * beside it is the rest that Newton's iteration leaves: the certificate says how large it is. found: nobj, of this way. */
static void blame_rest(check *c, int way, finding *found)
{
    ladder l;
    int contradicted = 0;
    for (size_t j = 0; j < c->nobj; j++) contradicted |= found[j].word == CONTRADICTS;
    if (!contradicted || !cst__check_newton_based(c->s)) return;
    if (open_ladder(c, &l, near, 1)) {
        c->fatal = COSTATE_ERR_MEMORY;
        return;
    }
    const costate_options before = without_rest(c->s);
    const double *psi = solved(c), *claim = psi ? psi + ((size_t)way + 1) * c->nobj : NULL;
    if (psi) {
        memcpy(l.base, psi, c->nobj * sizeof *psi);
        for (size_t j = 0; j < c->nobj; j++) l.slack[j] = 1000 * c->tangent_noise[(size_t)way * c->nobj + j];
        cst__check_way(c, way, c->d, 1);
        cst__ladder_climb(&l, repeated, c, claim, cst__check_bound(c));
        for (size_t j = 0; j < c->nobj; j++) {
            const finding f = cst__ladder_judge(&l, j, claim[j], cst__check_bound(c));
            const int less = f.word == CONTRADICTS && f.defect <= fmin(0.1 * found[j].defect, 10 * cst__check_bound(c));
            const int gone = f.word == AGREES || less;
            if (found[j].word != CONTRADICTS || !gone) continue;
            if (found[j].defect < coarse) found[j].word = AGREES;
            else c->unsolved = 1;
        }
        c->out->runs += l.tried;
        c->out->failed += l.failed;
    }
    c->s->opt = before;
    cst__release(&c->s->alloc, l.base);
}

/* Free runs approximate the true derivative, and so does the tangent: where a tenth of the tolerance changes the latter that
 * much, nothing is wrong but the tolerance. Not where it is altogether elsewhere, unless the slope is nothing to the largest of
 * its objective: of a quantity that is conserved nothing but errors is left. */
static void excuse(check *c, int way, size_t j, finding *f)
{
    const double *sharp = sharper_tangents(c), nothing = fmin(1e-3, 1e3 * c->s->opt.rtol) * steepest(c, j);
    double here = c->tangents[(size_t)way * c->nobj + j], there = sharp ? sharp[(size_t)way * c->nobj + j] : NAN;
    const double off = f->defect < gross ? f->defect * fabs(here) : f->defect * f->size;
    cst__check_way(c, way, c->d, 1);
    if ((f->defect < gross || off <= nothing) && 10 * fabs(here - there) >= off) f->word = AGREES;
    if (f->word == CONTRADICTS && isfinite(there)) c->loose = fmax(c->loose, fabs(here - there) / fmax(fabs(here), fabs(there)));
}

/* Climbs along every way and takes down what is found. secants NULL: not wanted. */
static int climb(check *c, ladder *l, ladder_fn *fn, double bound, costate_measure *m, double *secants)
{
    finding *found = cst__alloc(&c->s->alloc, c->nobj, sizeof *found);
    if (!found) return cst__fail(c->s, COSTATE_ERR_MEMORY, "the check");
    for (int q = 0; q < c->ways; q++) {
        const double *claim = c->tangents + (size_t)q * c->nobj;
        cst__check_way(c, q, c->d, 1);
        cst__check_slack(c, q, l->slack);
        cst__ladder_climb(l, fn, c, claim, bound);
        for (size_t j = 0; j < c->nobj; j++) {
            const double secant = cst__ladder_secant(l, j);
            found[j] = cst__ladder_judge(l, j, claim[j], bound);
            if (found[j].word == CONTRADICTS && cst__check_bends(c, j, secant)) found[j].word = NOT_MEASURED;
            if (secants) secants[(size_t)q * c->nobj + j] = secant;
            else if (found[j].word == CONTRADICTS) excuse(c, q, j, &found[j]);
        }
        if (secants) blame_rest(c, q, found);
        for (size_t j = 0; j < c->nobj; j++) {
            if (secants && !found[j].blank && c->seen[j] < 1) c->seen[j] = found[j].word == NOT_MEASURED ? -1 : 1;
            if (cst__measure(m, found[j])) cst__check_slope_name(c, (int)j, q, m->name);
        }
    }
    c->out->runs += l->tried;
    c->out->failed += l->failed;
    cst__release(&c->s->alloc, found);
    return 0;
}

double cst__check_change(const check *c, size_t objective)
{
    double most = 0;
    for (int q = 0; q < c->ways; q++) most = fmax(most, c->secants[(size_t)q * c->nobj + objective]);
    return most;
}

/* Weights by which all objectives count alike. Those that are mostly noise, or bend where nobody sees it, are left
 * out, unless all are. */
static void weigh(check *c)
{
    int clear = 0;
    for (int all = 0; all < 2 && !clear; all++)
        for (size_t j = 0; j < c->nobj; j++) {
            double change = cst__check_change(c, j);
            int in = change > DBL_MIN && (all || (c->noise[j] <= 1e-9 * change && !cst__check_bends(c, j, change)));
            c->omega[j] = in ? cst__irregular(j) / change : 0;
            clear |= in;
        }
}

/* Tangents along all ways, and their round-off. */
static int tangents(check *c)
{
    int ways[CHECK_WAYS];
    for (int q = 0; q < c->ways; q++) ways[q] = q;
    TRY(cst__check_tangents(c, NULL, 0, c->ways, ways, c->tangents));
    c->stretch = CHECK_STRETCH;
    TRY(cst__check_tangents(c, NULL, 0, c->ways, ways, c->tangent_noise));
    c->stretch = 1;
    for (size_t i = 0; i < (size_t)c->ways * c->nobj; i++) c->tangent_noise[i] = fabs(c->tangent_noise[i] - c->tangents[i]);
    return 0;
}

/* Round-off of the factors is the same for all multiples; after long steps, where s I - J is all but singular, it is the larger
 * part. Places moved in the last digits have other factors. What differs by more than a small share is no round-off. The secants
 * are not there yet, and lend their room. */
static int factors(check *c)
{
    const size_t count = (size_t)c->ways * c->nobj;
    int ways[CHECK_WAYS];
    for (size_t i = 0; i < count; i++) c->factor_noise[i] = 0;
    if (!c->s->im) return 0;
    for (int q = 0; q < c->ways; q++) ways[q] = q;
    cst__check_mixture(c, 0, c->e, 1);
    for (int k = -2; k <= 2; k++) {
        if (k == 0 || cst__check_tangents(c, c->e, k * 0x1p-50, c->ways, ways, c->secants)) continue;
        for (size_t i = 0; i < count; i++) {
            double off = fmin(fabs(c->secants[i] - c->tangents[i]), 1e-8 * fabs(c->tangents[i]));
            c->factor_noise[i] = fmax(c->factor_noise[i], off);
        }
    }
    return c->fatal;
}

int cst__check_steps(check *c)
{
    ladder l;
    if (c->s->ev) c->events = cst__events_signature(c->s);
    TRY(tangents(c));
    TRY(factors(c));
    TRY(open_ladder(c, &l, near, 1));
    const int status = climb(c, &l, repeated, cst__check_bound(c), &c->out->steps, c->secants);
    weigh(c);
    cst__release(&c->s->alloc, l.base);
    cst__release(&c->s->alloc, c->solved);
    return status;
}

/* ---- free steps ----------------------------------------------------------------------------------------------------- */

static int free_run(void *context, double eps, double *psi)
{
    check *c = context;
    int rc = whole_run(c, c->d, eps, psi);
    return rc || (c->s->ev && cst__events_signature(c->s) != c->events); /* others happened: there is a kink between */
}

/* What the tolerance leaves in the objectives: how much less of it changes them, and as much of their slopes, for the change
 * may be small by chance. */
static int tolerated(check *c, double *noise)
{
    costate_solver *s = c->s;
    int rc = sharper_run(c);
    for (size_t j = 0; j < c->nobj; j++) {
        if (!rc && c->psi[j] != 0) c->restless = fmax(c->restless, fabs(s->psi[j] / c->psi[j] - 1));
        noise[j] = c->noise[j] + s->opt.rtol * cst__check_change(c, j) + (rc ? 0 : 2 * fabs(s->psi[j] - c->psi[j]));
        if (!s->has_objective) noise[j] += s->atol[j];
    }
    return rc;
}

int cst__check_free(check *c)
{
    costate_solver *s = c->s;
    const int64_t record = s->opt.record;
    ladder l;
    TRY(open_ladder(c, &l, wide, 2));
    s->opt.record = 0;
    tolerated(c, l.noise);
    const int status = climb(c, &l, free_run, 1e-2, &c->out->free_steps, NULL);
    s->opt.record = record;
    cst__release(&s->alloc, l.base);
    cst__release(&s->alloc, c->sharper);
    return status;
}
