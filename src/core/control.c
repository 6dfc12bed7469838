/* control.c - see control.h */
#include "core/control.h"

#include <math.h>

static control_kind choose(const costate_solver *s)
{
    char first = s->opt.control[0];
    if (first == 'a') return s->table->family == COSTATE_ERK ? PI : GUSTAFSSON;
    return first == 'e' ? ELEMENTARY : first == 'p' ? PI : GUSTAFSSON;
}

void cst__control_start(control *c, const costate_solver *s)
{
    const costate_table *tb = s->table;
    int order = tb->order < tb->embedded_order ? tb->order : tb->embedded_order;
    *c = (control){.kind = choose(s),
                   .k = order + 1,
                   .safety = s->opt.safety,
                   .facmin = s->opt.facmin,
                   .facmax = s->opt.facmax};
}

double cst__control_factor(control *c, double h, double err, int accepted)
{
    const double least = 1e-10; /* an error of zero says nothing beyond "grow" */
    if (err < least) err = least;
    double fac = c->safety * pow(err, -1 / c->k);
    if (accepted && c->err_old > 0 && c->kind == PI) {
        double beta = 0.2 / c->k;
        fac *= pow(err, 0.75 * beta) * pow(c->err_old, beta);
    } else if (accepted && c->err_old > 0 && c->kind == GUSTAFSSON) {
        double predicted = c->safety * (h / c->h_old) * pow(c->err_old / (err * err), 1 / c->k);
        if (predicted < fac) fac = predicted;
    }
    double most = c->rejected || !accepted ? 1 : c->facmax;
    fac = fac < c->facmin ? c->facmin : fac > most ? most : fac;
    c->rejected = !accepted;
    if (accepted) {
        c->h_old = h;
        c->err_old = err > 1e-4 ? err : 1e-4;
    }
    return fac;
}
