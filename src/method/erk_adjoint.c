/* erk_adjoint.c - transposed explicit Runge-Kutta step, on a block of w objectives; stages s..1.
 *
 *     w_i    = h (b_i lambda+ + sum_(j>i) a_ji u_j)                        (the h is drawn into w_i, so that seeds carry it)
 *     u_i    = f_y(T_i, Y_i)^T w_i + h b_i r_y(T_i, Y_i)^T omega
 *     lambda = lambda+ + sum u_i
 *     mu     = mu+ + sum f_p(T_i, Y_i)^T w_i + h b_i r_p(T_i, Y_i)^T omega
 *
 * The last one on the way back, u_1, is needed in the sum alone and is added to it straight away. docs/theory.md (9) - (12).
 * When vjp_points is there, the parameter parts of several steps are added in one pass over mu. */
#include "method/erk.h"

#include "base/kernels.h"

double *cst__erk_weigh(const erk *m, int i, size_t nw, int terms, const double *c, const double *const *v, double *w,
                       double *const *u, double *lambda)
{
    const double *others[ERK_MOST];
    int count = 0;
    if (i != m->first) {
        cst__combine(nw, NULL, terms, c, v, w);
        return memset(u[i], 0, nw * sizeof *u[i]);
    }
    for (int j = i + 1; j < m->s; j++)
        if (m->live[j]) others[count++] = u[j];
    cst__combine_and_add(nw, terms, c, v, w, count, others, lambda);
    return lambda;
}

int cst__erk_adjoint(costate_solver *s, const step *st, ablock *b)
{
    const erk *m = s->method;
    size_t n = (size_t)s->prob.n, nw = n * (size_t)b->w;
    double *w = b->work, *u[ERK_MOST], c[ERK_MOST];
    const double *v[ERK_MOST];
    double *at = w + nw; /* u_i of live stages but the first, then the seed of the running part */
    for (int i = m->first + 1; i < m->s; i++) {
        if (!m->live[i]) continue;
        u[i] = b->w == 1 ? m->k[i] : at;
        if (b->w > 1) at += nw;
    }
    double *seed = at;
    for (int i = m->s - 1; i >= 0; i--) {
        if (!m->live[i]) continue;
        double t = erk_time(m, st, i), weight = st->h * s->table->b[i];
        const double *y = erk_stage(m, st, i, s->state);
        int terms = row_terms(&m->at[i], st->h, u, c, v, 0);
        if (weight != 0) {
            c[terms] = weight;
            v[terms++] = b->lambda;
        }
        if (b->capacity) {
            w = b->pu_store + (size_t)b->points * nw;
            b->pt[b->points] = t;
            b->pu[b->points] = w;
            b->py[b->points] = b->py_copy ? memcpy(b->py_copy + (size_t)b->points * n, y, n * sizeof *y) : y;
            b->points++;
        }
        double *sum = cst__erk_weigh(m, i, nw, terms, c, v, w, u, b->lambda);
        TRY(deriv_vjp(&s->d, t, y, s->p, b->w, w, sum, b->capacity ? NULL : b->mu));
        if (b->omega && weight != 0 && s->d.running.fn.eval) {
            for (int o = 0; o < s->nobj * b->w; o++) seed[o] = weight * b->omega[o];
            TRY(cst__of(s, "running's vjp", s->d.running.fn.vjp(0, t, y, s->p, b->w, seed, sum, b->mu, s->d.running.data)));
        }
    }
    return 0;
}
