/* firk_second.c - the transposed fully implicit step differentiated along a block of directions. Beside w_i and lambda of
 * firk_adjoint.c, with (.) for the derivative along (0, Ydot_i, pdot):
 *
 *     (I - h a_ij J_i)^T wdot = gdot,   gdot_i = b_i lambdadot+ + sum_j a_ji c_j,   c_j = h (J_j.)^T w_j + h b_j (r_y.)^T omega
 *     lambdadot = lambdadot+ + sum_j h J_j^T wdot_j + c_j
 *     mudot     = mudot+ + sum_j h f_p^T wdot_j + h (f_p.)^T w_j + h b_j (r_p.)^T omega
 *
 * One vjp_dot per stage gives c_j and what belongs to w_j, one vjp what belongs to wdot_j; the matrix is that of the first
 * order. docs/theory.md (55), (56). */
#include "method/firk.h"

#include "base/kernels.h"

enum { S = FIRK_STAGES };

typedef struct parts {
    firk_back first; /* w, and what both solves share */
    double *wdot[S], *c[S], *seed;
} parts;

static parts cut(const costate_solver *s, const ablock *b)
{
    size_t nw = (size_t)s->prob.n * (size_t)b->w;
    double *at = b->work;
    parts p;
    firk_cut(at, nw, p.first.w);
    firk_cut(at += S * nw, nw, p.first.g);
    firk_cut(at += S * nw, nw, p.first.r);
    firk_cut(at += S * nw, nw, p.first.v);
    firk_cut(at += S * nw, nw, p.wdot);
    firk_cut(at += S * nw, nw, p.c);
    p.first.q = at += S * nw;
    p.seed = at + S * nw;
    return p;
}

int cst__firk_second(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b)
{
    const firk *m = s->method;
    const deriv_function *r = &s->d.running;
    size_t nw = (size_t)s->prob.n * (size_t)b->w;
    int running = b->omega && r->fn.eval;
    double *y[S], *yd[S];
    parts p = cut(s, b);
    (void)ydot;
    firk_cut(st->stages, (size_t)s->prob.n, y);
    firk_cut(dstages, nw, yd);
    for (int j = 0; j < S; j++) {
        memset(p.first.r[j], 0, nw * sizeof *p.first.r[j]);
        memset(p.c[j], 0, nw * sizeof *p.c[j]);
        if (!running) continue;
        for (int o = 0; o < s->nobj * b->w; o++) p.seed[o] = st->h * m->b[j] * b->omega[o];
        TRY(cst__of(s, "running's vjp_dot",
                    r->fn.vjp_dot(0, firk_time(m, st, j), y[j], s->p, b->w, NULL, yd[j], b->pdot, p.seed, NULL, p.first.r[j],
                                  p.c[j], b->mu, b->mu_dot, r->data)));
    }
    cst__firk_gather(s, nw, b->lambda, running ? p.first.r : NULL, p.first.g);
    TRY(cst__firk_back_solve(s, st, b->w, &p.first));
    for (int j = 0; j < S; j++) {
        cst__combine(nw, NULL, 1, &st->h, (const double *const *)&p.first.w[j], p.first.v[0]);
        TRY(deriv_vjp_dot(&s->d, firk_time(m, st, j), y[j], s->p, b->w, NULL, yd[j], b->pdot, p.first.v[0], NULL, b->lambda,
                          p.c[j], b->mu, b->mu_dot));
    }
    firk_back dot = p.first;
    memcpy(dot.w, p.wdot, sizeof dot.w);
    cst__firk_gather(s, nw, b->lambda_dot, p.c, dot.g);
    TRY(cst__firk_back_solve(s, st, b->w, &dot));
    for (int j = 0; j < S; j++) {
        cst__combine(nw, NULL, 1, &st->h, (const double *const *)&dot.w[j], dot.v[0]);
        TRY(deriv_vjp(&s->d, firk_time(m, st, j), y[j], s->p, b->w, dot.v[0], b->lambda_dot, b->mu_dot));
    }
    return 0;
}
