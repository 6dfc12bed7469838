/* rig.c - see rig.h */
#include "core/rig.h"

#include "core/auto.h"
#include "core/workers.h"
#include "tableau/tableau.h"

#include <stdio.h>

/* ---- one --------------------------------------------------------------------------------------------------------------- */

static int no_such_method(costate_solver *s)
{
    char text[512] = "auto";
    for (int i = 0; i < costate_method_count(); i++) {
        size_t len = strlen(text);
        snprintf(text + len, sizeof text - len, ", %s", costate_method(i)->name);
    }
    return cst__fail(s, COSTATE_ERR_METHOD, "\"%s\" is none of %s", s->opt.method, text);
}

/* Implicit methods take any M that is not singular; algebraic equations hold at the end of a step only if that is a stage. */
static int takes(const costate_solver *s, const costate_table *table)
{
    int algebraic = 0;
    for (int i = 0; i < s->prob.n; i++) algebraic |= s->prob.mass[i] == 0;
    if (table->family == COSTATE_ERK || (algebraic && !tableau_stiffly_accurate(table))) return 0;
    return table->family != COSTATE_ROS || !cst__index2(s);
}

static int takes_no_mass(costate_solver *s, const costate_table *table)
{
    char text[512] = "auto";
    for (int i = 0; i < costate_method_count(); i++) {
        size_t len = strlen(text);
        if (takes(s, costate_method(i))) snprintf(text + len, sizeof text - len, ", %s", costate_method(i)->name);
    }
    const char *what = table->family == COSTATE_ERK ? s->prob.slopes ? "" : " with a mass matrix"
                       : !tableau_stiffly_accurate(table)
                           ? " with algebraic equations: it is not stiffly accurate"
                           : " with variables of index 2: it solves linear systems only, and loses its order";
    return cst__fail(s, COSTATE_ERR_MASS, "%s does not solve %s%s; those that do are %s",
                     table->name ? table->name : "the user's method", s->prob.slopes ? "F(t, y, y', p) = 0" : "M y' = f", what,
                     text);
}

/* The user's table, the named one, or that of the method whose turn it is. */
int cst__rig_find(costate_solver *s, const costate_table **table)
{
    char text[512] = "";
    const char *name = s->opt.method;
    const int automatic = !strcmp(name, "auto");
    *table = s->opt.table ? s->opt.table : automatic ? cst__auto_table(s->chosen) : costate_method_find(name);
    if (!*table) return no_such_method(s);
    if (s->opt.table) {
        int status = tableau_check(s->opt.table, text, sizeof text);
        if (status) return cst__fail(s, status, "%s", text);
    }
    if (s->prob.mass && !automatic && !takes(s, *table)) return takes_no_mass(s, *table);
    if (s->prob.steady && !automatic && (*table)->family == COSTATE_ERK)
        return cst__fail(s, COSTATE_ERR_STEADY, "%s solves no equations, and f(t0, y) = 0 is one",
                         (*table)->name ? (*table)->name : "the user's method");
    if (!(*table)->e && s->opt.step == 0)
        return cst__fail(s, COSTATE_ERR_TABLE, "it has no error estimate, so option step must give the step size");
    return 0;
}

/* One block for all vectors of a run. */
static int carve(costate_solver *s)
{
    s->live = (size_t)s->prob.n + (s->fam->history_doubles ? s->fam->history_doubles(s) : 0);
    s->state = s->live + (s->fam->carry_doubles ? s->fam->carry_doubles(s) : 0);
    s->block = s->fam->shares ? cst__record_block(s) : 1;
    size_t n = cst__pad(s->state), np = cst__pad((size_t)s->prob.np), m = cst__pad((size_t)s->nobj);
    size_t stages = cst__pad(s->fam->stage_doubles(s)), terms = s->has_objective ? m : 0;
    const size_t units = cst__index2(s) ? cst__pad((size_t)s->prob.n) : 0;
    double *at = s->work = cst__alloc(&s->alloc, 7 * n + units + np + stages + m + terms, sizeof(double));
    if (!at) return cst__fail(s, COSTATE_ERR_MEMORY, "the vectors of %d states and %d parameters", s->prob.n, s->prob.np);
    double **vectors[] = {&s->atol, &s->y0, &s->yend, &s->y, &s->ynew, &s->f, &s->fnew};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, at += n) *vectors[i] = at;
    s->unit = units ? at : NULL;
    s->unit_h = 0;
    s->p = at += units;
    s->stages = at += np;
    s->psi = at += stages;
    s->psi_row = at += m;
    return 0;
}

int cst__rig_open(costate_solver *s)
{
    s->automatic = !s->opt.table && !s->own_fam && !strcmp(s->opt.method, "auto");
    if (!s->automatic) s->chosen = 0;
    TRY(cst__rig_find(s, &s->table));
    s->fam = s->own_fam ? s->own_fam : cst__family(s->table->family);
    s->stats.method = s->table->name ? s->table->name : "user";
    TRY(s->fam->open(s));
    return carve(s);
}

static void close_one(costate_solver *s, option_affects what)
{
    if (what >= AFFECTS_WORKERS) cst__workers_close(s);
    for (int i = 0; what >= AFFECTS_TRAJECTORY && i < 2; i++) {
        traj_close(s->tr[i]);
        s->tr[i] = NULL;
    }
    if (what < AFFECTS_METHOD) return;
    if (s->fam) s->fam->close(s);
    cst__release(&s->alloc, s->work);
    s->rig = (rig){0};
}

/* ---- several ----------------------------------------------------------------------------------------------------------- */

enum { LARGE = 100000 }; /* states from which on a method that is not in use gives up its memory */

int cst__rig_large(const costate_solver *s)
{
    return s->prob.n >= LARGE;
}

/* The others, one after the other: each is in use while it is closed. */
static void close_idle(costate_solver *s, option_affects what)
{
    const rig used = s->rig;
    for (int k = 0; k < METHODS_AUTO; k++) {
        s->rig = s->idle[k];
        close_one(s, what);
        s->idle[k] = s->rig;
    }
    s->rig = used;
}

void cst__rigs_close(costate_solver *s, option_affects what)
{
    close_idle(s, what);
    close_one(s, what);
    if (what >= AFFECTS_METHOD) s->chosen = 0;
}

void cst__rigs_forget(costate_solver *s)
{
    for (int k = 0; k < METHODS_AUTO; k++)
        for (int i = 0; i < 2; i++) {
            traj_close(s->idle[k].tr[i]);
            s->idle[k].tr[i] = NULL;
        }
}

int64_t cst__rigs_hold(const costate_solver *s)
{
    int64_t sum = 0;
    for (int k = 0; k < METHODS_AUTO; k++)
        for (int i = 0; i < 2; i++) {
            traj_info info = {0};
            if (s->idle[k].tr[i]) traj_get_info(s->idle[k].tr[i], &info);
            sum += info.memory;
        }
    return sum;
}

/* What all methods have in common is taken along. */
static int take_along(costate_solver *s, const rig *from)
{
    size_t n = (size_t)s->prob.n * sizeof(double);
    if (!s->fam) TRY(cst__rig_open(s));
    memcpy(s->atol, from->atol, n);
    memcpy(s->y0, from->y0, n);
    if (s->prob.np) memcpy(s->p, from->p, (size_t)s->prob.np * sizeof *s->p);
    if (s->opt.atols) s->opt.atols = s->atol;
    return 0;
}

int cst__rig_use(costate_solver *s, int k)
{
    const int before = s->chosen;
    if (k == before) return 0;
    const rig from = s->rig;
    s->rig = s->idle[k];
    s->idle[k] = (rig){0};
    s->chosen = k;
    int status = take_along(s, &from);
    s->idle[before] = from;
    if (status) { /* it cannot be had: the one before stays */
        close_one(s, AFFECTS_METHOD);
        s->rig = s->idle[before];
        s->idle[before] = (rig){0};
        s->chosen = before;
    } else if (cst__rig_large(s)) close_idle(s, AFFECTS_METHOD);
    s->recorded[PRIMAL] = s->recorded[JOINT] = 0;
    s->stats.method = s->table->name ? s->table->name : "user";
    s->stats.linsol = s->im && s->im->ls.ops ? s->im->ls.name : "";
    s->stats.jac_nnz = s->im ? (int64_t)s->im->jac.nnz : 0;
    s->stats.colours = s->im ? s->im->jac.colours : 0;
    return status;
}
