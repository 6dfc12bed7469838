/* control.c - see control.h */
#include "method/control.h"

#include <math.h>

static const double refused = 0.25; /* the factor where there is no error to go by */

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
                   .facmax = s->opt.facmax,
                   .hmin = s->opt.hmin};
}

/* In logarithms: all three follow from log err^(-1/k) and its last value. */
static double factor(control *c, double h, double err, int accepted)
{
    const double least = 1e-10, least_old = 1e-4; /* an error of zero says nothing beyond "grow" */
    double rise = -log(err > least ? err : least) / c->k;
    int history = accepted && c->h_old != 0;
    double fac = c->safety * exp(history && c->kind == PI ? 0.85 * rise - 0.2 * c->rise_old : rise);
    if (history && c->kind == GUSTAFSSON) {
        double ratio = h / c->h_old * exp(rise - c->rise_old);
        if (ratio < 1) fac *= ratio;
    }
    double most = c->rejected || !accepted ? 1 : c->facmax;
    fac = fac < c->facmin ? c->facmin : fac > most ? most : fac;
    if (accepted) {
        double high = -log(least_old) / c->k;
        c->h_old = h;
        c->rise_old = rise < high ? rise : high;
    }
    return fac;
}

double cst__control_size(control *c, double h, const outcome *o)
{
    double size = fabs(h) * (isnan(o->err) ? refused : factor(c, h, o->err, o->accepted));
    c->rejected = !o->accepted;
    return copysign(size < c->hmin && (o->accepted || fabs(h) > c->hmin) ? c->hmin : size, h);
}
