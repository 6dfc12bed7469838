/* create.c - making, changing and freeing a solver. All memory of a run is one block carved into vectors; only the log of steps and the
 * trajectory grow while it runs. */
#include "core/create.h"

#include "base/sparsity.h"
#include "core/workers.h"
#include "method/method.h"
#include "tableau/tableau.h"

#include <math.h>
#include <stdio.h>

static int check_problem(costate_solver *s)
{
    costate_problem *p = &s->prob;
    if (p->n <= 0) return cst__fail(s, COSTATE_ERR_N, "n = %d", p->n);
    if (p->np < 0) return cst__fail(s, COSTATE_ERR_NP, "np = %d", p->np);
    if (!p->rhs) return cst__fail(s, COSTATE_ERR_RHS, "costate_problem.rhs is NULL");
    s->has_objective = p->terminal.eval || p->running.eval || p->observe.eval;
    if (p->objectives < 0) return cst__fail(s, COSTATE_ERR_OBJECTIVES, "objectives = %d", p->objectives);
    if (p->objectives > 0 && !s->has_objective)
        return cst__fail(s, COSTATE_ERR_OBJECTIVES, "objectives = %d, but none of terminal, running and observe has an eval", p->objectives);
    if (s->has_objective && p->objectives == 0) p->objectives = 1;
    if (p->observations < 0) return cst__fail(s, COSTATE_ERR_OBJECTIVES, "observations = %d", p->observations);
    if (!p->observe.eval != !p->observations)
        return cst__fail(s, COSTATE_ERR_OBJECTIVES, "observations = %d, observe.eval is %s", p->observations, p->observe.eval ? "set" : "NULL");
    if (p->observations && !p->observe_at) return cst__fail(s, COSTATE_ERR_OBJECTIVES, "observe_at is NULL");
    s->nobj = s->has_objective ? p->objectives : p->n;
    char why[160] = "";
    int status = pattern_check(&p->pattern, p->n, why, sizeof why);
    return status ? cst__fail(s, status, "%s", why) : 0;
}

/* The user's table, checked, or the named one. */
static int find_table(costate_solver *s, const costate_table **table)
{
    char text[512] = "";
    *table = s->opt.table ? s->opt.table : costate_method_find(s->opt.method);
    if (s->opt.table) {
        int status = tableau_check(s->opt.table, text, sizeof text);
        if (status) return cst__fail(s, status, "%s", text);
    }
    if (*table && !(*table)->e && s->opt.step == 0)
        return cst__fail(s, COSTATE_ERR_TABLE, "it has no error estimate, so option step must give the step size");
    if (*table) return 0;
    for (int i = 0; i < costate_method_count(); i++) {
        size_t len = strlen(text);
        snprintf(text + len, sizeof text - len, "%s%s", i ? ", " : "", costate_method(i)->name);
    }
    return cst__fail(s, COSTATE_ERR_METHOD, "\"%s\" is none of %s", s->opt.method, text);
}

static int choose_method(costate_solver *s)
{
    TRY(find_table(s, &s->table));
    s->fam = s->own_fam ? s->own_fam : cst__family(s->table->family);
    s->stats.method = s->table->name ? s->table->name : "user";
    return s->fam->open(s);
}

/* One block for all vectors of a run. */
static int carve(costate_solver *s)
{
    s->live = (size_t)s->prob.n + (s->fam->history_doubles ? s->fam->history_doubles(s) : 0);
    s->state = s->live + (s->fam->carry_doubles ? s->fam->carry_doubles(s) : 0);
    size_t n = cst__pad(s->state), np = cst__pad((size_t)s->prob.np), m = cst__pad((size_t)s->nobj);
    size_t stages = cst__pad(s->fam->stage_doubles(s));
    double *at = s->work = cst__alloc(&s->alloc, 7 * n + np + stages + 2 * m, sizeof(double));
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "the vectors of %d states and %d parameters", s->prob.n, s->prob.np);
    double **vectors[] = {&s->atol, &s->y0, &s->yend, &s->y, &s->ynew, &s->f, &s->fnew};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, at += n) *vectors[i] = at;
    s->p = at;
    s->stages = at += np;
    s->psi = at += stages;
    s->psi_row = at += m;
    for (int i = 0; i < s->prob.n; i++) s->atol[i] = s->opt.atols ? s->opt.atols[i] : s->opt.atol;
    return 0;
}

int cst__furnish(costate_solver *s)
{
    int status = deriv_open(&s->d, &s->prob, (int)s->opt.lanes, &s->alloc, &s->stats);
    if (status) return cst__fail(s, status, "scratch for finite differences");
    s->stats.derivatives = s->d.text;
    TRY(choose_method(s));
    return carve(s);
}

/* Everything that depends on the options; the opposite of dismantle. */
static int assemble(costate_solver *s)
{
    TRY(cst__options_check(s));
    TRY(cst__options_own(s));
    TRY(cst__furnish(s));
    if (!s->prob.observations) return 0;
    s->obs_step = cst__alloc(&s->alloc, (size_t)s->prob.observations, sizeof *s->obs_step);
    return s->obs_step ? 0 : cst__fail(s, COSTATE_ERR_MEMORY, "the list of %d observations", s->prob.observations);
}

static void dismantle(costate_solver *s)
{
    s->have_run = s->have_tangent = 0;
    cst__workers_close(s);
    for (int i = 0; i < 2; i++) {
        traj_close(s->tr[i]);
        s->tr[i] = NULL;
        s->recorded[i] = 0;
    }
    if (s->fam) s->fam->close(s);
    s->fam = NULL;
    deriv_close(&s->d);
    cst__release(&s->alloc, s->obs_step);
    cst__release(&s->alloc, s->work);
    s->obs_step = NULL;
    s->work = NULL;
}

int costate_create(costate_solver **out, const costate_problem *problem, const costate_options *options)
{
    return cst__create(out, problem, options, NULL);
}

int cst__create(costate_solver **out, const costate_problem *problem, const costate_options *options, const family *own)
{
    if (!out) return COSTATE_ERR_NULL;
    *out = NULL;
    costate_options opt = options ? *options : costate_defaults(NULL);
    int half = !opt.allocator.alloc != !opt.allocator.release;
    costate_allocator alloc = half ? (costate_allocator){0} : opt.allocator;
    costate_solver *s = cst__alloc(&alloc, 1, sizeof *s);
    if (!s) return COSTATE_ERR_MEMORY;
    memset(s, 0, sizeof *s);
    s->alloc = cst__guard(&s->guard, &alloc);
    s->opt = opt;
    s->own_fam = own;
    s->stats.method = s->stats.derivatives = s->stats.linsol = s->stats.sensitivities = "";
    s->stats.tier = "none";
    *out = s;
    cst__begin(s);
    if (!problem) return s->broken = cst__fail(s, COSTATE_ERR_NULL, "problem");
    s->prob = *problem;
    int status = check_problem(s);
    if (!status) status = assemble(s);
    if (!status && opt.atols) s->opt.atols = s->atol;
    return s->broken = status;
}

int costate_set(costate_solver *s, const char *name, const char *value)
{
    TRY(cst__begin(s));
    if (!name || !value) return cst__fail(s, COSTATE_ERR_NULL, "name or value of the option");
    costate_options old = s->opt;
    int status = cst__option_set(s, name, value);
    if (!status) status = cst__options_check(s);
    const costate_table *table;
    if (!status) status = find_table(s, &table);
    if (status) { /* the solver stays as it was */
        s->opt = old;
        return status;
    }
    /* Per-component tolerances live in the block that is about to go. */
    double *atols = NULL;
    if (s->opt.atols) {
        atols = cst__alloc(&s->alloc, (size_t)s->prob.n, sizeof *atols);
        if (!atols) return s->broken = cst__fail(s, COSTATE_ERR_MEMORY, "tolerances");
        memcpy(atols, s->opt.atols, (size_t)s->prob.n * sizeof *atols);
        s->opt.atols = atols;
    }
    dismantle(s);
    status = assemble(s);
    if (!status && atols) s->opt.atols = s->atol;
    cst__release(&s->alloc, atols);
    return s->broken = status;
}

void costate_free(costate_solver *s)
{
    if (!s) return;
    dismantle(s);
    for (int i = 0; i < OPTION_COUNT; i++) cst__release(&s->alloc, s->texts[i]);
    cst__log_free(s);
    cst__release(&s->alloc, s->psidot.at);
    cst__release(&s->alloc, s->sweep.at);
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

int costate_get_stats(const costate_solver *s, costate_stats *stats)
{
    if (!s || !stats) return COSTATE_ERR_NULL;
    *stats = s->stats;
    return 0;
}
