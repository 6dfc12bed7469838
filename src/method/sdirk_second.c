/* sdirk_second.c - the transposed singly diagonally implicit step differentiated along a block of directions.
 *
 *     S_i    = (f_yy Ydot_i + f_yp pdot)^T h w_i + h b_i (r_yy Ydot_i + r_yp pdot)^T omega
 *     (shift I - f_y(T_i, Y_i))^T wdot_i = shift (b_i lambdadot+ + sum_(j>i) a_ji udot_j) + S_i / h
 *     udot_i = f_y^T h wdot_i + S_i,        lambdadot = lambdadot+ + sum udot_i
 *     mudot  = mudot+ + sum f_p^T h wdot_i + (f_py Ydot_i + f_pp pdot)^T h w_i + h b_i (r_py Ydot_i + r_pp pdot)^T omega
 *
 * beside w_i, u_i and lambda of sdirk_adjoint.c; docs/theory.md (45), (46). A vjp_dot with a seed that does not move gives
 * u_i, S_i and its like for mudot; only then wdot_i is known, for which a vjp gives the rest. Lane l has its own objective and
 * direction. */
#include "method/sdirk.h"

#include "base/kernels.h"

int cst__sdirk_second(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b)
{
    const sdirk *m = s->method;
    const deriv_function *r = &s->d.running;
    size_t nw = (size_t)s->prob.n * (size_t)b->w;
    double *u[SDIRK_MOST], *udot[SDIRK_MOST], ones[SDIRK_MOST];
    double *w = b->work + 2 * (size_t)m->s * nw, *scratch = w + nw, *oseed = scratch + ITERATE_WORK * nw;
    const double *wv = w;
    (void)ydot; /* no stage is at y itself */
    for (int i = m->s - 1; i >= 0; i--) {
        double t = sdirk_time(m, st, i);
        const double *y = sdirk_stage(s, st->stages, i, 1), *yd = sdirk_stage(s, dstages, i, b->w);
        u[i] = b->work + 2 * (size_t)i * nw;
        udot[i] = u[i] + nw;
        ones[i] = 1;
        memset(u[i], 0, 2 * nw * sizeof *u[i]);
        if (b->omega && r->fn.eval) {
            for (int o = 0; o < s->nobj * b->w; o++) oseed[o] = st->h * s->table->b[i] * b->omega[o];
            int rc = r->fn.vjp_dot(0, t, y, s->p, b->w, NULL, yd, b->pdot, oseed, NULL, u[i], udot[i], b->mu, b->mu_dot, r->data);
            TRY(cst__of(s, "running's vjp_dot", rc));
        }
        cst__sdirk_gather(s, st, i, b->w, b->lambda, u, u[i], w);
        TRY(cst__sdirk_linear(s, st, i, 1, b->w, w, scratch));
        cst__combine(nw, NULL, 1, &st->h, &wv, w);
        TRY(deriv_vjp_dot(&s->d, t, y, s->p, b->w, NULL, yd, b->pdot, w, NULL, u[i], udot[i], b->mu, b->mu_dot));
        cst__sdirk_gather(s, st, i, b->w, b->lambda_dot, udot, udot[i], w);
        TRY(cst__sdirk_linear(s, st, i, 1, b->w, w, scratch));
        cst__combine(nw, NULL, 1, &st->h, &wv, w);
        TRY(deriv_vjp(&s->d, t, y, s->p, b->w, w, udot[i], b->mu_dot));
    }
    cst__combine(nw, b->lambda, m->s, ones, (const double *const *)u, b->lambda);
    cst__combine(nw, b->lambda_dot, m->s, ones, (const double *const *)udot, b->lambda_dot);
    return 0;
}
