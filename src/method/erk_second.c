/* erk_second.c - the transposed step differentiated along a block of directions: one vjp_dot per stage gives it all.
 *
 *     wdot_i    = h (b_i lambdadot+ + sum_(j>i) a_ji udot_j)
 *     udot_i    = f_y^T wdot_i + (f_yy Ydot_i + f_yp pdot)^T w_i + h b_i (r_yy Ydot_i + r_yp pdot)^T omega
 *     lambdadot = lambdadot+ + sum udot_i,       mudot likewise with f_p, f_py, f_pp
 *
 * beside w_i, u_i and lambda of erk_adjoint.c. Lane l has its own objective and its own direction. */
#include "method/erk.h"

#include "base/kernels.h"

int cst__erk_second(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b)
{
    const erk *m = s->method;
    size_t n = (size_t)s->prob.n, nw = n * (size_t)b->w;
    double *w = b->work, *wdot = w + nw, *u[ERK_MOST], *udot[ERK_MOST], c[ERK_MOST];
    const double *v[ERK_MOST];
    for (int i = 0; i < m->s; i++) {
        u[i] = w + 2 * (size_t)(i + 1) * nw;
        udot[i] = u[i] + nw;
    }
    double *seed = w + 2 * (size_t)(m->s + 1) * nw;
    for (int i = m->s - 1; i >= 0; i--) {
        if (!m->live[i]) continue;
        double t = erk_time(m, st, i), weight = st->h * s->table->b[i];
        const double *y = erk_stage(m, st, i, s->state), *yd = m->slot[i] < 0 ? ydot : dstages + (size_t)m->slot[i] * nw;
        int terms = row_terms(&m->at[i], st->h, u, c, v, 0);
        c[terms] = weight;
        v[terms] = b->lambda;
        double *sum = cst__erk_weigh(m, i, nw, terms + 1, c, v, w, u, b->lambda);
        row_terms(&m->at[i], st->h, udot, c, v, 0);
        v[terms] = b->lambda_dot;
        double *sum_dot = cst__erk_weigh(m, i, nw, terms + 1, c, v, wdot, udot, b->lambda_dot);
        TRY(deriv_vjp_dot(&s->d, t, y, s->p, b->w, NULL, yd, b->pdot, w, wdot, sum, sum_dot, b->mu, b->mu_dot));
        if (b->omega && weight != 0 && s->d.running.fn.eval) {
            for (int o = 0; o < s->nobj * b->w; o++) seed[o] = weight * b->omega[o];
            TRY(cst__of(s, "running's vjp_dot",
                        s->d.running.fn.vjp_dot(0, t, y, s->p, b->w, NULL, yd, b->pdot, seed, NULL, sum, sum_dot, b->mu,
                                                b->mu_dot, s->d.running.data)));
        }
    }
    return 0;
}
