/* auto.c - see auto.h */
#include "core/auto.h"

#include "core/probe.h"
#include "core/rig.h"

#include <math.h>
#include <stdio.h>

enum { DOPRI5, RODAS4, RADAU2A, DOPRI853 };

const costate_table *cst__auto_table(int k)
{
    static const char *const names[METHODS_AUTO] = {[DOPRI5] = "dopri5", [RODAS4] = "rodas4", [RADAU2A] = "radau2a",
                                                     [DOPRI853] = "dopri853"};
    return costate_method_find(names[k]);
}

/* ---- which of the implicit ones ---------------------------------------------------------------------------------------- */

/* rodas4 has no iteration and one real matrix a step; radau2a's order pays at tight tolerances. Where they meet was measured on
 * the stiff problems of problems/ and examples/: between 1e-5 and 1e-6. The second order of rodas4 needs a product that
 * nobody but its user can give. */
static int preferred(const costate_solver *s)
{
    static const double meet = 3e-6;
    const costate_problem *q = &s->prob;
    if (cst__index2(s)) return RADAU2A;
    if (!q->vjp_dot2 || (q->running.eval && !q->running.vjp_dot2)) return RADAU2A;
    return s->opt.rtol > meet ? RODAS4 : RADAU2A;
}

int cst__auto_first(const costate_solver *s)
{
    return s->prob.mass || s->prob.steady ? preferred(s) : DOPRI5; /* explicit methods solve no equations */
}

/* What is made again because derivatives asked for it is often near round-off, which many steps do not reach. */
static int explicit_one(const costate_solver *s)
{
    static const double fine = 1e-9;
    return s->tight && s->opt.rtol < fine ? DOPRI853 : DOPRI5;
}

/* ---- what it costs ----------------------------------------------------------------------------------------------------- */

/* Operations of a step, sweep back included; f costs about what a product with its Jacobian does. */
static double relative_cost(const costate_solver *s, int k)
{
    const implicit *m = s->im;
    const double n = s->prob.n, values = m->jac.nnz ? (double)m->jac.nnz : 10 * n, f = 2 * values + 4 * n;
    const double explicit_step = 6 * f + 45 * n + 200, factor = 4 * m->ls.operations;
    const double colours = m->jac.colours ? m->jac.colours : 2;
    return ((k == RADAU2A ? 4 : 1) * factor + (colours + 20) * f + 100 * n + 1000) / explicit_step;
}

/* Steps of an implicit method on a smooth problem, as on the heat equation: rtol^(-1/5), 40 at 1e-6. */
double cst__auto_implicit_cost(costate_solver *s)
{
    const double steps = 40 * pow(fmax(s->opt.rtol, 1e-14) / 1e-6, -0.2);
    const int k = preferred(s), now = s->chosen;
    if (cst__rig_large(s)) return steps * 40;
    int status = cst__rig_use(s, k);
    if (!status) status = cst__implicit_prepare(s);
    const double cost = status ? INFINITY : steps * relative_cost(s, k);
    cst__begin(s);
    cst__rig_use(s, now);
    return cost;
}

int cst__auto_find_pattern(costate_solver *s)
{
    TRY(cst__rig_use(s, preferred(s)));
    return cst__implicit_prepare(s);
}

/* ---- a run ------------------------------------------------------------------------------------------------------------- */

/* No other method gets through where this was the end: what stopped the run was no step of the state. */
static int hopeless(const costate_solver *s, int status)
{
    switch (status) {
    case COSTATE_ERR_STEP:
    case COSTATE_ERR_MAX_STEPS:
    case COSTATE_ERR_RETRY:
    case COSTATE_ERR_NEWTON:
    case COSTATE_ERR_SINGULAR:
    case COSTATE_ERR_JACOBIAN:
    case COSTATE_ERR_GMRES: return 0;
    case COSTATE_ERR_NOT_FINITE: return s->stats.fail_component < 0; /* an objective, or a direction */
    default: return 1;
    }
}

/* Method k from t0 on. `leaves`: it may be given up, which is RUN_STIFF. *end: nobody else need try. */
static int try(costate_solver *s, tangent *tg, int k, int leaves, int *end)
{
    *end = 0;
    TRY(cst__rig_use(s, k)); /* one that cannot be had is passed over */
    int status = cst__restart(s);
    if (!status) status = cst__run_once(s, tg, leaves);
    *end = status == 0 || (status != RUN_STIFF && hopeless(s, status));
    return status;
}

typedef struct account { /* of the first failure, and who else failed */
    int status;
    const char *method;
    costate_stats stats;
    char reason[512], others[128];
} account;

static void append(char *text, size_t size, const char *format, const char *what)
{
    const size_t length = strlen(text);
    snprintf(text + length, size - length, format, what);
}

static void note(costate_solver *s, account *a, int status)
{
    const char *name = s->stats.method;
    if (!s->choice[0]) snprintf(s->choice, sizeof s->choice, "%s fails (%s)", name, costate_status_text(status));
    if (!a->status) {
        *a = (account){.status = status, .method = name, .stats = s->stats};
        const char *colon = strstr(s->reason, ": "); /* behind the general words, which come again */
        snprintf(a->reason, sizeof a->reason, "%.500s", colon ? colon + 2 : s->reason);
        snprintf(a->others, sizeof a->others, "%s", name);
        return;
    }
    if (!strstr(a->others, name)) append(a->others, sizeof a->others, ", %s", name);
}

/* Directions that steer the steps must not steer the choice. */
static int chooses_apart(const costate_solver *s, const tangent *tg)
{
    return cst__probe_wanted(s) || (tg && tg->control && s->opt.step == 0);
}

static int choose_and_run(costate_solver *s, tangent *tg)
{
    const int best = preferred(s), other = cst__index2(s) || best == RODAS4 ? RADAU2A : RODAS4;
    const int plain = explicit_one(s), order[] = {plain, best, other, plain};
    account a = {0};
    int status = 0, stiff = 0, end;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (s->implicit && i == 0) continue;
        if ((s->prob.mass || s->prob.steady) && (order[i] == plain || (i == 2 && other == best))) continue;
        if (i == 3 && !stiff) break; /* it has failed before */
        status = try(s, tg, order[i], i == 0, &end);
        if (status == 0 && cst__auto_first(s) != DOPRI5 && !s->choice[0])
            snprintf(s->choice, sizeof s->choice, "the problem has a %s, which explicit methods do not take",
                     s->prob.mass ? "mass matrix" : "steady start");
        if (status == 0 && a.status) append(s->choice, sizeof s->choice, "; tried before: %s", a.others);
        if (end && (!status || !a.status || status == COSTATE_ERR_CALLBACK)) return status;
        stiff |= status == RUN_STIFF;
        if (status != RUN_STIFF) note(s, &a, status);
        if (end) break; /* the first failure says more */
        cst__begin(s);
    }
    s->stats.method = a.method;
    s->stats.steps = a.stats.steps;
    s->stats.rejected = a.stats.rejected;
    return cst__fail_at(s, a.status, a.stats.fail_t, a.stats.fail_h, a.stats.fail_step, a.stats.fail_stage,
                        a.stats.fail_component, "%s (tried: %s)", a.reason, a.others);
}

static int run_as_asked(costate_solver *s, tangent *tg)
{
    s->choice[0] = 0;
    if (!s->automatic) return cst__run_once(s, tg, 0);
    if (!chooses_apart(s, tg)) return choose_and_run(s, tg);
    const int64_t record = s->opt.record, probe = s->opt.probe;
    const output out = s->out;
    s->opt.record = s->opt.probe = 0;
    s->out = (output){0};
    int status = choose_and_run(s, NULL);
    s->opt.record = record;
    s->opt.probe = probe;
    s->out = out;
    s->have_run = 0;
    if (!status) status = cst__restart(s);
    return status ? status : cst__run_once(s, tg, 0);
}

int cst__run(costate_solver *s, tangent *tg)
{
    s->warning[0] = 0;
    int status = run_as_asked(s, tg);
    while (status && s->ev && cst__events_release(s, status)) {
        char words[sizeof s->warning];
        memcpy(words, s->warning, sizeof words);
        cst__begin(s);
        status = cst__restart(s);
        if (!status) status = run_as_asked(s, tg);
        if (!status && !s->warning[0]) memcpy(s->warning, words, sizeof words);
    }
    return status;
}
