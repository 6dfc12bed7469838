/* ensemble.c - one problem for many sets of parameters and initial values, members dealt out to threads.
 *
 * A member is a run and perhaps a gradient of its own, by whichever of the solvers is free. These are alike: what a run
 * leaves behind in one does not matter to the next, and the Jacobian's pattern, if it has to be looked for, is found once
 * for all of them. */
#include "base/kernels.h"
#include "base/sized.h"
#include "core/auto.h"
#include "core/driver.h"
#include "core/thread_pool.h"
#include "core/workers.h"
#include "method/implicit.h"

#include <stdio.h>

enum { LEAST_STATES = 16 }; /* that a solver's share of the budgets should hold */

typedef struct members {
    costate_members of; /* as the library knows them */
    size_t member_size; /* of costate_member, in the program */
} members;

/* A thread works on arrays of its own: rows of the caller's are a few bytes, and threads that write to one line of memory wait
 * for each other. */
typedef struct desk {
    costate_solver *solver;
    double *y, *dy0, *dp; /* n; n x w; np x w, or from dy0 on a matrix. In one piece, and a line apart from those of others */
} desk;

typedef struct team {
    const members *m;
    desk *of; /* the worker */
} team;

static costate_member *member_of(const members *m, int k)
{
    return (costate_member *)(void *)((char *)m->of.member + (size_t)k * m->member_size);
}

static const double *row_in(const double *all, int k, size_t size)
{
    return all ? all + (size_t)k * size : NULL;
}

static double *row_of(double *all, int k, size_t size)
{
    return all ? all + (size_t)k * size : NULL;
}

/* Variables of a row of d. */
static int columns(const costate_solver *s, const costate_members *m)
{
    return m->variable ? m->variables : s->prob.n + s->prob.np;
}

/* The first of the run's switches that takes something from first derivatives. */
static void find_doubt(const costate_solver *s, costate_member *fared)
{
    costate_switch x;
    for (int i = 0; costate_switches(s, i, &x) == 0; i++) {
        if (x.effect == COSTATE_SWITCH_KINK) continue;
        memcpy(fared->doubt, x.text, sizeof fared->doubt);
        return;
    }
}

static int wants_bars(const costate_members *m)
{
    return m->y_bar || m->psi_bar || m->dy0_bar || m->dp_bar || m->d_bar || m->row_bar;
}

/* Those of member k, whose values are on the desk. */
static int bars_of(costate_solver *own, const costate_members *m, const desk *d, int k)
{
    const size_t n = (size_t)own->prob.n, np = (size_t)own->prob.np, w = (size_t)m->w;
    costate_error_bars b = {.w = m->w, .weights = m->weights, .count = m->variables, .variable = m->variable};
    if (m->d_bar) {
        b.of = COSTATE_BARS_SENSITIVITIES;
        b.value[0] = d->dy0, b.bar[0] = row_of(m->d_bar, k, (size_t)columns(own, m) * w);
    } else if (m->dy0_bar || m->dp_bar) {
        b.of = COSTATE_BARS_GRADIENT;
        if (m->dy0_bar) b.value[0] = d->dy0, b.bar[0] = row_of(m->dy0_bar, k, n * w);
        if (m->dp_bar) b.value[1] = d->dp, b.bar[1] = row_of(m->dp_bar, k, np * w);
    }
    b.y = row_of(m->y_bar, k, n);
    b.psi = row_of(m->psi_bar, k, (size_t)own->nobj);
    b.row = row_of(m->row_bar, k, (size_t)m->rows * n);
    return costate_bars(own, &b);
}

/* From member k on, as many. */
static void no_bars(const costate_solver *s, const costate_members *m, int k, size_t count)
{
    const size_t n = (size_t)s->prob.n, w = cst__lanes_of(s, m->w, m->weights), all = (size_t)columns(s, m) * w;
    const size_t nobj = s->nobj > 0 ? (size_t)s->nobj : 0, rows = m->rows > 0 ? (size_t)m->rows * n : 0;
    cst__fill_nan(row_of(m->y_bar, k, n), count * n);
    cst__fill_nan(row_of(m->psi_bar, k, nobj), count * nobj);
    cst__fill_nan(row_of(m->dy0_bar, k, n * w), count * n * w);
    cst__fill_nan(row_of(m->dp_bar, k, (size_t)s->prob.np * w), count * (size_t)s->prob.np * w);
    cst__fill_nan(row_of(m->d_bar, k, all), count * all);
    cst__fill_nan(row_of(m->row_bar, k, rows), count * rows);
}

static void run_member(void *ctx, int worker, int k)
{
    const team *t = ctx;
    const costate_members *m = &t->m->of;
    const desk *d = &t->of[worker];
    costate_solver *own = d->solver;
    size_t n = (size_t)own->prob.n, np = (size_t)own->prob.np, w = (size_t)m->w;
    const double *p = row_in(m->p, k, np);
    double *y = row_of(m->y, k, n), *psi = row_of(m->psi, k, (size_t)own->nobj);
    double *dy0 = row_of(m->dy0, k, n * w), *dp = row_of(m->dp, k, np * w), *all = row_of(m->d, k, (size_t)columns(own, m) * w);
    memcpy(d->y, y, n * sizeof *y);
    int status = m->rows ? costate_output(own, m->rows, m->times, row_of(m->row, k, (size_t)m->rows * n), NULL) : 0;
    if (!status && all)
        status = costate_sensitivities(own, m->t0, m->t1, p, d->y, m->variables, m->variable, m->w, m->weights, d->dy0);
    else if (!status) status = costate_solve(own, m->t0, m->t1, p, d->y);
    if (!status && psi) status = costate_objectives(own, psi);
    if (!status && w && !all) status = costate_gradient(own, m->w, m->weights, d->dy0, dp ? d->dp : NULL);
    if (!status && wants_bars(m)) status = bars_of(own, m, d, k);
    memcpy(y, d->y, n * sizeof *y);
    if (!status && all) memcpy(all, d->dy0, (size_t)columns(own, m) * w * sizeof *all);
    else if (!status && w) memcpy(dy0, d->dy0, n * w * sizeof *dy0);
    if (!status && w && dp) memcpy(dp, d->dp, np * w * sizeof *dp);
    costate_member fared = {.status = status, .steps = own->stats.steps};
    snprintf(fared.message, sizeof fared.message, "%.*s", (int)sizeof fared.message - 1, own->message);
    if (w && !status) find_doubt(own, &fared);
    snprintf(fared.method, sizeof fared.method, "%s", own->stats.method);
    snprintf(fared.warning, sizeof fared.warning, "%s", status ? "" : own->warning);
    sized_give(member_of(t->m, k), t->m->member_size, &fared, sizeof fared);
    if (!status) return;
    cst__no_numbers(own, 1, y, NULL);
    cst__fill_nan(psi, psi ? (size_t)own->nobj : 0);
    cst__no_numbers(own, w, dy0, dp);
    cst__fill_nan(all, all ? (size_t)columns(own, m) * w : 0);
    cst__fill_nan(row_of(m->row, k, (size_t)m->rows * n), m->rows ? (size_t)m->rows * n : 0);
    no_bars(own, m, k, 1);
}

/* The pattern, if it has to be found, is that around the first member whose input is good. */
static int find_pattern(costate_solver *s, const costate_members *m)
{
    const int sought = s->automatic && !s->prob.jac && s->prob.pattern.format == COSTATE_DENSE; /* by a member, perhaps */
    for (int k = 0; (sought && !k) || (s->im && s->im->waiting && k < m->count); k++) {
        int status = cst__start(s, m->t0, m->t1, row_in(m->p, k, (size_t)s->prob.np), row_of(m->y, k, (size_t)s->prob.n));
        if (!status) status = s->automatic ? cst__auto_find_pattern(s) : cst__implicit_prepare(s);
        if (!s->automatic && (status == COSTATE_ERR_MEMORY || status == COSTATE_ERR_LINSOL)) return status;
    }
    return cst__begin(s);
}

static int create_worker(costate_solver *s, const costate_members *m, int threads, desk *d)
{
    const size_t n = cst__pad((size_t)s->prob.n), np = cst__pad((size_t)s->prob.np), w = (size_t)m->w;
    TRY(cst__worker_create(s, &d->solver));
    costate_solver *own = d->solver;
    size_t derivatives = m->d ? cst__pad((size_t)columns(s, m)) : n + np;
    d->y = cst__alloc(&s->alloc, n + derivatives * w, sizeof *d->y);
    if (!d->y) return cst__fail(s, COSTATE_ERR_MEMORY, "a member's derivatives");
    d->dy0 = d->y + n;
    d->dp = d->dy0 + n * w;
    own->opt.record = m->w > 0;
    own->opt.memory /= threads;
    own->opt.disk /= threads;
    if (!s->prob.observations) return 0;
    own->obs_step = cst__alloc(&own->alloc, (size_t)s->prob.observations, sizeof *own->obs_step);
    return own->obs_step ? 0 : cst__fail(s, COSTATE_ERR_MEMORY, "the list of %d observations", s->prob.observations);
}

static int deal(costate_solver *s, const members *m, int threads, desk *d)
{
    int count = m->of.count;
    for (int i = 0; i < threads; i++) TRY(create_worker(s, &m->of, threads, &d[i]));
    thread_pool *p = thread_pool_open(threads, &s->alloc);
    if (!p) return cst__fail(s, COSTATE_ERR_MEMORY, "%d threads", threads);
    thread_pool_run(p, threads, count, run_member, &(team){m, d});
    thread_pool_close(p);
    int failed = 0, first = -1;
    for (int k = count - 1; k >= 0; k--)
        if (member_of(m, k)->status) {
            failed++;
            first = k;
        }
    if (!failed) return 0;
    return cst__fail(s, COSTATE_ERR_MEMBERS, "%d of %d, the first being number %d: %s", failed, count, first,
                     costate_status_text(member_of(m, first)->status));
}

static int check(costate_solver *s, const costate_members *m)
{
    if (m->count < 1) return cst__fail(s, COSTATE_ERR_WIDTH, "%d members", m->count);
    if (!m->member || !m->y || (!m->p && s->prob.np))
        return cst__fail(s, COSTATE_ERR_NULL, "%s of the ensemble", !m->member ? "member" : !m->y ? "y" : "p");
    if (m->w < 0) return cst__fail(s, COSTATE_ERR_WIDTH, "w = %d", m->w);
    if (m->w && !m->dy0 && !m->d) return cst__fail(s, COSTATE_ERR_NULL, "dy0 of the ensemble");
    if (m->d && (!m->w || m->dy0 || m->dp))
        return cst__fail(s, COSTATE_ERR_WIDTH, "d of the ensemble with %s", m->w ? "dy0 or dp" : "w = 0");
    if (m->d && !m->variable && m->variables && m->variables != columns(s, m))
        return cst__fail(s, COSTATE_ERR_WIDTH, "%d variables without a list, but there are %d", m->variables, columns(s, m));
    if (m->d && m->variable && m->variables < 1) return cst__fail(s, COSTATE_ERR_WIDTH, "%d variables", m->variables);
    if ((m->dy0_bar && !m->dy0) || (m->dp_bar && !m->dp) || (m->d_bar && !m->d) || (m->row_bar && !m->rows))
        return cst__fail(s, COSTATE_ERR_NULL, "what bars of the ensemble are wanted of");
    if (m->rows < 0 || (m->rows && (!m->times || !m->row)))
        return cst__fail(s, COSTATE_ERR_NULL, "%d rows of the ensemble without times or place", m->rows);
    if (m->w && !cst__lanes_of(s, m->w, m->weights))
        return cst__fail(s, COSTATE_ERR_WIDTH, "w = %d without weights, but there are %d objectives", m->w, s->nobj);
    return 0;
}

static int ensemble(costate_solver *s, const members *all)
{
    const costate_members *m = &all->of;
    TRY(check(s, m));
    cst__loosen(s);
    s->have_run = s->have_tangent = s->recorded[PRIMAL] = s->recorded[JOINT] = 0;
    TRY(find_pattern(s, m));
    int64_t unit = (int64_t)(s->state * sizeof(double));
    int threads = cst__workers_threads(s);
    if (threads > m->count) threads = m->count;
    while (threads > 1 && m->w && s->opt.memory / threads / unit + s->opt.disk / threads / unit < LEAST_STATES) threads--;
    desk *d = cst__alloc(&s->alloc, (size_t)threads, sizeof *d);
    if (!d) return cst__fail(s, COSTATE_ERR_MEMORY, "%d threads", threads);
    memset(d, 0, (size_t)threads * sizeof *d);
    int status = deal(s, all, threads, d);
    for (int i = 0; i < threads; i++) {
        cst__release(&s->alloc, d[i].y);
        costate_free(d[i].solver);
    }
    cst__release(&s->alloc, d);
    return status;
}

/* Nothing was computed: no number of the caller's stays as it was, as far as the arrays are known. */
static void no_numbers(const costate_solver *s, const members *all, int status)
{
    const costate_members *m = &all->of;
    const costate_member fared = {.status = status};
    size_t count = m->count > 0 ? (size_t)m->count : 0;
    cst__no_numbers(s, count, m->y, NULL);
    cst__fill_nan(m->psi, s->nobj > 0 ? count * (size_t)s->nobj : 0);
    cst__no_numbers(s, count * cst__lanes_of(s, m->w, m->weights), m->dy0, m->dp);
    if (m->d && m->w > 0 && columns(s, m) > 0)
        cst__fill_nan(m->d, count * (size_t)columns(s, m) * cst__lanes_of(s, m->w, m->weights));
    if (m->row && m->rows > 0) cst__fill_nan(m->row, count * (size_t)m->rows * (size_t)s->prob.n);
    if (columns(s, m) >= 0) no_bars(s, m, 0, count);
    for (size_t k = 0; m->member && k < count; k++) sized_give(member_of(all, (int)k), all->member_size, &fared, sizeof fared);
}

int costate_ensemble_sized(costate_solver *s, const costate_members *m, size_t size, size_t member_size)
{
    members all = {.member_size = member_size};
    int status = cst__begin(s), newest = !m || sized_take(&all.of, sizeof all.of, m, size);
    if (!status && !m) status = cst__fail(s, COSTATE_ERR_NULL, "the members");
    if (!status && !newest) status = cst__fail(s, COSTATE_ERR_HEADER, "costate_members has %zu bytes", size);
    if (!status) status = ensemble(s, &all);
    if (s && m && status && status != COSTATE_ERR_MEMBERS) no_numbers(s, &all, status);
    return status;
}
