/* create.c - making, changing and freeing a solver. All memory of a run is one block carved into vectors; only the log of
 * steps and the trajectory grow while it runs. */
#include "core/create.h"

#include "base/sized.h"
#include "base/sparsity.h"
#include "core/auto.h"
#include "core/events.h"
#include "core/halved.h"
#include "core/rig.h"
#include "core/watch.h"
#include "core/workers.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

/* Variables are numbered by an int. Sizes that are refused tell nothing about arrays: none of them is written. */
static int check_sizes(costate_solver *s)
{
    costate_problem *p = &s->prob;
    const int n = p->n, np = p->np;
    if (n > 0 && np >= 0 && np <= INT_MAX - n) return 0;
    p->np = 0;
    if (n <= 0 || np >= 0) p->n = 0;
    if (n <= 0) return cst__fail(s, COSTATE_ERR_N, "n = %d", n);
    if (np < 0) return cst__fail(s, COSTATE_ERR_NP, "np = %d", np);
    return cst__fail(s, COSTATE_ERR_NP, "n + np = %lld, and at most %d can be counted", (long long)n + np, INT_MAX);
}

/* The mass says which states are algebraic; .index can only add that it is of index 2. */
static int check_index(costate_solver *s)
{
    const costate_problem *p = &s->prob;
    char one[32];
    for (int i = 0; p->index && i < p->n - p->slopes; i++) {
        const double index = p->index[i];
        const int algebraic = p->mass && p->mass[i] == 0;
        if (index != 0 && index != 1 && index != 2)
            return cst__fail(s, COSTATE_ERR_INDEX, "the index of %s is %g, and not 0, 1 or 2", cst__state_name(s, i, one), index);
        if (algebraic == (index > 0)) continue;
        return cst__fail(s, COSTATE_ERR_INDEX, "the index of %s is %g, but %s", cst__state_name(s, i, one), index,
                         !algebraic  ? p->slopes ? "its slope is in the residual" : "its mass is not zero"
                         : p->slopes ? "its slope is nowhere in the residual"
                                     : "its mass is zero");
    }
    return 0;
}

static int check_problem(costate_solver *s)
{
    costate_problem *p = &s->prob;
    TRY(check_sizes(s));
    if (!p->rhs) return cst__fail(s, COSTATE_ERR_RHS, "costate_problem.rhs is NULL");
    s->has_objective = p->terminal.eval || p->running.eval || p->observe.eval || p->on_event.eval;
    if (p->objectives < 0) return cst__fail(s, COSTATE_ERR_OBJECTIVES, "objectives = %d", p->objectives);
    if (p->objectives > 0 && !s->has_objective)
        return cst__fail(s, COSTATE_ERR_OBJECTIVES,
                         "objectives = %d, but none of terminal, running, observe and on_event has an eval", p->objectives);
    if (s->has_objective && p->objectives == 0) p->objectives = 1;
    if (p->observations < 0) return cst__fail(s, COSTATE_ERR_OBJECTIVES, "observations = %d", p->observations);
    if (!p->observe.eval != !p->observations)
        return cst__fail(s, COSTATE_ERR_OBJECTIVES, "observations = %d, observe.eval is %s", p->observations,
                         p->observe.eval ? "set" : "NULL");
    if (p->observations && !p->observe_at) return cst__fail(s, COSTATE_ERR_OBJECTIVES, "observe_at is NULL");
    if (p->slopes && (2 * (int64_t)p->slopes != p->n || !p->mass))
        return cst__fail(s, COSTATE_ERR_MASS, "slopes = %d of %d states, mass is %s: they are half of all, and there is a mass",
                         p->slopes, p->n, p->mass ? "set" : "NULL");
    s->nobj = s->has_objective ? p->objectives : p->n - p->slopes;
    char buffer[32];
    for (int i = 0; p->mass && i < p->n; i++)
        if (!isfinite(p->mass[i]))
            return cst__fail(s, COSTATE_ERR_MASS, "the mass of %s is %g", cst__state_name(s, i, buffer), p->mass[i]);
    TRY(check_index(s));
    if (p->steady != 0 && p->steady != 1)
        return cst__fail(s, COSTATE_ERR_STEADY, "costate_problem.steady is %d, and not 0 or 1", p->steady);
    if (p->steady && cst__index2(s))
        return cst__fail(s, COSTATE_ERR_STEADY,
                         "there are variables of index 2: with all slopes given, constraints cannot be satisfied");
    TRY(cst__events_check(s));
    char why[160] = "";
    int status = pattern_check(&p->pattern, p->n, why, sizeof why);
    return status ? cst__fail(s, status, "%s", why) : 0;
}

static void fill_atol(costate_solver *s, const double *atols)
{
    for (int i = 0; i < s->prob.n; i++) s->atol[i] = atols ? atols[i] : s->opt.atol;
    if (atols) s->opt.atols = s->atol;
}

static int open_derivatives(costate_solver *s)
{
    int status = deriv_open(&s->d, &s->prob, (int)s->opt.lanes, &s->alloc, &s->stats);
    if (status) return cst__fail(s, status, "scratch for finite differences");
    s->stats.derivatives = s->d.text;
    return 0;
}

int cst__furnish(costate_solver *s)
{
    TRY(cst__events_open(s));
    TRY(open_derivatives(s));
    TRY(cst__rig_open(s));
    fill_atol(s, s->opt.atols);
    return 0;
}

/* The last run is forgotten, and what depends on options that affect this much is closed. */
static void dismantle(costate_solver *s, option_affects what)
{
    if (s->back) s->back_close(s->back);
    s->back = NULL;
    cst__workers_forget(s);
    if (what > AFFECTS_RUN) cst__halved_close(s);
    s->have_run = s->have_tangent = s->recorded[PRIMAL] = s->recorded[JOINT] = 0;
    cst__rigs_close(s, what);
    if (what >= AFFECTS_ALL) deriv_close(&s->d);
}

/* Opens it again; stores and threads open when they are needed. `atols` are as in the options. */
static int assemble(costate_solver *s, option_affects what, const double *atols)
{
    if (what >= AFFECTS_ALL) TRY(cst__events_open(s));
    if (what >= AFFECTS_ALL) TRY(open_derivatives(s));
    if (what >= AFFECTS_METHOD) {
        s->chosen = cst__auto_first(s);
        TRY(cst__rig_open(s));
    }
    fill_atol(s, atols);
    return 0;
}

/* ---- making ---------------------------------------------------------------------------------------------------------- */

static int newer(costate_solver *s, const char *name, size_t size, size_t own)
{
    s->prob.n = s->prob.np = 0; /* not known either */
    return cst__fail(s, COSTATE_ERR_HEADER, "its %s has %zu bytes, that of version %s has %zu, and the rest is not zero", name,
                     size, COSTATE_VERSION, own);
}

/* The program's structs as this library has them. */
static int take_structs(costate_solver *s, const costate_problem *problem, const costate_sizes *z)
{
    costate_options *o = &s->opt;
    struct {
        const char *name;
        void *own;
        size_t own_size;
        const void *given;
        size_t size;
    } parts[] = {
        {"costate_problem", &s->prob, sizeof s->prob, problem, z->problem},
        {"costate_table", &s->own.table, sizeof s->own.table, o->table, z->table},
        {"costate_linear_solver", &s->own.linear_solver, sizeof s->own.linear_solver, o->linear_solver, z->linear_solver},
        {"costate_preconditioner", &s->own.preconditioner, sizeof s->own.preconditioner, o->preconditioner, z->preconditioner}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].given && !sized_take(parts[i].own, parts[i].own_size, parts[i].given, parts[i].size))
            return newer(s, parts[i].name, parts[i].size, parts[i].own_size);
    if (o->table) o->table = &s->own.table;
    if (o->linear_solver) o->linear_solver = &s->own.linear_solver;
    if (o->preconditioner) o->preconditioner = &s->own.preconditioner;
    return 0;
}

static int create(costate_solver *s, const costate_problem *problem, const costate_sizes *sizes)
{
    if (!problem) return cst__fail(s, COSTATE_ERR_NULL, "problem");
    TRY(take_structs(s, problem, sizes));
    TRY(check_problem(s));
    TRY(cst__options_check(s));
    for (int i = 0; i < OPTION_COUNT; i++) TRY(cst__option_own(s, i));
    TRY(assemble(s, AFFECTS_ALL, s->opt.atols));
    if (!s->prob.observations) return 0;
    s->obs_step = cst__alloc(&s->alloc, (size_t)s->prob.observations, sizeof *s->obs_step);
    return s->obs_step ? 0 : cst__fail(s, COSTATE_ERR_MEMORY, "the list of %d observations", s->prob.observations);
}

static int create_with(costate_solver **out, const costate_problem *problem, const costate_options *options,
                       const costate_sizes *sizes, const family *own)
{
    if (!out) return COSTATE_ERR_NULL;
    *out = NULL;
    if (!sizes) return COSTATE_ERR_NULL;
    costate_sizes known = COSTATE_SIZES;
    int newest = sized_take(&known, sizeof known, sizes, sizes->sizes);
    costate_options opt = cst__options_preset(NULL);
    if (options) newest &= sized_take(&opt, sizeof opt, options, known.options);
    int half = !opt.allocator.alloc != !opt.allocator.release;
    costate_allocator alloc = half ? (costate_allocator){0} : opt.allocator;
    costate_solver *s = cst__alloc(&alloc, 1, sizeof *s);
    if (!s) return COSTATE_ERR_MEMORY;
    memset(s, 0, sizeof *s);
    s->alloc = cst__guard(&s->guard, &alloc);
    s->opt = opt;
    s->own_fam = own;
    s->stats.method = s->stats.derivatives = s->stats.linsol = s->stats.sensitivities = s->stats.adjoint_method = "";
    s->stats.tier = "none";
    s->stats.choice = s->choice;
    s->stats.warning = s->warning;
    s->stats.start = s->start;
    *out = s;
    cst__begin(s);
    return s->broken = newest ? create(s, problem, &known) : newer(s, "costate_options", known.options, sizeof opt);
}

int costate_create_sized(costate_solver **out, const costate_problem *problem, const costate_options *options,
                         const costate_sizes *sizes)
{
    return create_with(out, problem, options, sizes, NULL);
}

int cst__create(costate_solver **out, const costate_problem *problem, const costate_options *options, const family *own)
{
    const costate_sizes sizes = COSTATE_SIZES;
    return create_with(out, problem, options, &sizes, own);
}

/* ---- changing -------------------------------------------------------------------------------------------------------- */

static int change(costate_solver *s, int which)
{
    const option_affects what = cst__option_affects(which);
    const double *given = s->opt.atols; /* in the block of vectors, which may be about to go */
    double *atols = NULL;
    if (given && what >= AFFECTS_METHOD) {
        atols = cst__alloc(&s->alloc, (size_t)s->prob.n, sizeof *atols);
        if (!atols) return cst__fail(s, COSTATE_ERR_MEMORY, "tolerances");
        memcpy(atols, given, (size_t)s->prob.n * sizeof *atols);
        given = atols;
    }
    dismantle(s, what);
    int status = assemble(s, what, given);
    cst__release(&s->alloc, atols);
    return status;
}

int costate_set(costate_solver *s, const char *name, const char *value)
{
    TRY(cst__begin(s));
    cst__loosen(s);
    s->looked = 0;
    if (!name || !value) return cst__fail(s, COSTATE_ERR_NULL, "name or value of the option");
    costate_options old = s->opt;
    const costate_table *table;
    int which, status = cst__option_set(s, name, value, &which);
    if (!status) status = cst__options_check(s);
    if (!status) status = cst__rig_find(s, &table);
    if (!status) status = cst__option_own(s, which);
    if (!status) return s->broken = change(s, which);
    s->opt = old; /* the solver stays as it was */
    return status;
}

void costate_free(costate_solver *s)
{
    if (!s) return;
    dismantle(s, AFFECTS_ALL);
    cst__watch_close(s);
    cst__events_close(s);
    cst__release(&s->alloc, s->obs_step);
    for (int i = 0; i < OPTION_COUNT; i++) cst__release(&s->alloc, s->texts[i]);
    cst__log_free(s);
    cst__release(&s->alloc, s->psidot.at);
    cst__release(&s->alloc, s->sweep.at);
    cst__release(&s->alloc, s->of_start.at);
    cst__release(&s->alloc, s->block_states.at);
    cst__release(&s->alloc, s->of_constraint.at);
    cst__release(&s->alloc, s->probe.at);
    cst__release(&s->alloc, s->of_probe.at);
    costate_allocator alloc = cst__unguard(&s->guard, &s->alloc);
    cst__release(&alloc, s);
}

int costate_output(costate_solver *s, int count, const double *times, double *y, double *ydot)
{
    TRY(cst__begin(s));
    if (count < 0) return cst__fail(s, COSTATE_ERR_TIMES, "count = %d output times", count);
    if (count && (!times || !y)) return cst__fail(s, COSTATE_ERR_NULL, "times or y of the output");
    s->out = (output){count, times, y, ydot};
    return 0;
}

int costate_get_stats_sized(const costate_solver *s, costate_stats *stats, size_t size)
{
    if (!s || !stats) return COSTATE_ERR_NULL;
    sized_give(stats, size, &s->stats, sizeof s->stats);
    return 0;
}
