/* sdirk_adjoint.c - transposed singly diagonally implicit step, on a block of w objectives; stages s..1.
 *
 *     (shift I - f_y(T_i, Y_i))^T w_i = shift (b_i lambda+ + sum_(j>i) a_ji u_j) + b_i r_y(T_i, Y_i)^T omega
 *     u_i    = f_y(T_i, Y_i)^T h w_i + h b_i r_y(T_i, Y_i)^T omega
 *     lambda = lambda+ + sum u_i
 *     mu     = mu+ + sum f_p(T_i, Y_i)^T h w_i + h b_i r_p(T_i, Y_i)^T omega
 *
 * docs/theory.md (43), (44). When vjp_points is there, the parameter parts of several
 * steps are added in one pass over mu. */
#include "method/sdirk.h"

#include "base/kernels.h"

void cst__sdirk_gather(const costate_solver *s, const step *st, int i, int lanes, const double *lambda, double *const *u,
                       const double *ry, double *w)
{
    const sdirk *m = s->method;
    double c[ROW_MOST + 2], shift = sdirk_shift(m, st);
    const double *v[ROW_MOST + 2];
    int terms = row_terms(&m->at[i], shift, u, c, v, 0);
    c[terms] = shift * s->table->b[i];
    v[terms++] = lambda;
    if (ry) {
        c[terms] = 1 / st->h;
        v[terms++] = ry;
    }
    cst__combine((size_t)s->prob.n * (size_t)lanes, NULL, terms, c, v, w);
}

/* Where h w_i goes: to the points whose parameter part is put off, or to scratch. */
static double *seed_at(const costate_solver *s, ablock *b, double t, const double *y, double *scratch)
{
    size_t n = (size_t)s->prob.n, at = (size_t)b->points;
    if (!b->capacity) return scratch;
    double *seed = b->pu_store + at * n * (size_t)b->w;
    b->pt[at] = t;
    b->pu[at] = seed;
    b->py[at] = b->py_copy ? memcpy(b->py_copy + at * n, y, n * sizeof *y) : y;
    b->points++;
    return seed;
}

int cst__sdirk_adjoint(costate_solver *s, const step *st, ablock *b)
{
    const sdirk *m = s->method;
    const deriv_function *r = &s->d.running;
    size_t nw = (size_t)s->prob.n * (size_t)b->w;
    double *u[SDIRK_MOST], ones[SDIRK_MOST], *w = b->work + (size_t)m->s * nw;
    double *scratch = w + nw, *oseed = scratch + ITERATE_WORK * nw;
    const double *wv = w;
    int running = b->omega && r->fn.eval;
    memset(b->work, 0, (size_t)m->s * nw * sizeof *b->work); /* the u_i */
    for (int i = m->s - 1; i >= 0; i--) {
        double t = sdirk_time(m, st, i);
        const double *y = sdirk_stage(s, st->stages, i, 1);
        u[i] = b->work + (size_t)i * nw;
        ones[i] = 1;
        if (running) {
            for (int o = 0; o < s->nobj * b->w; o++) oseed[o] = st->h * s->table->b[i] * b->omega[o];
            TRY(cst__of(s, "running's vjp", r->fn.vjp(0, t, y, s->p, b->w, oseed, u[i], b->mu, r->data)));
        }
        cst__sdirk_gather(s, st, i, b->w, b->lambda, u, running ? u[i] : NULL, w);
        TRY(cst__sdirk_linear(s, st, i, 1, b->w, w, scratch));
        double *seed = seed_at(s, b, t, y, scratch);
        cst__combine(nw, NULL, 1, &st->h, &wv, seed);
        TRY(deriv_vjp(&s->d, t, y, s->p, b->w, seed, u[i], b->capacity ? NULL : b->mu));
    }
    cst__combine(nw, b->lambda, m->s, ones, (const double *const *)u, b->lambda);
    return 0;
}
