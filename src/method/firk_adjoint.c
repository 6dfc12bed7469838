/* firk_adjoint.c - transposed fully implicit step, on a block of objectives. With J_i = f_y(T_i, Y_i):
 *
 *     w_i    = b_i lambda+ + sum_j a_ji u_j,   u_j = h J_j^T w_j + h b_j r_y(T_j, Y_j)^T omega
 *     lambda = lambda+ + sum_j u_j,            mu  = mu+ + sum_j h f_p(T_j, Y_j)^T w_j + h b_j r_p(T_j, Y_j)^T omega
 *
 * The system is solved for w, (I - h a_ij J_i)^T w = g with g_i = b_i lambda+ + sum_j a_ji h b_j r_y^T omega, and one vjp per
 * stage gives the rest. Direct: the tangent's matrix, transposed. Iterated: the step's real and complex factors, transposed, on
 * the residual (1/h) A^-T (g - w) + J_i^T w_i, which needs vjp at the stages and no matrices there. Where the Jacobian changes
 * too much along the step for that, factors with the one of the middle stage do, at a quarter of the price of the direct way.
 * docs/theory.md (53), (54), (59). */
#include "method/firk.h"

#include "base/kernels.h"

static int iterated(costate_solver *s, const step *st, int middle, int lanes, const firk_back *p, newton_verdict *v)
{
    firk *m = s->method;
    size_t nw = (size_t)s->prob.n * (size_t)lanes;
    firk_system q = {.w = lanes, .transposed = 1, .h = st->h, .q = p->q};
    newton n = firk_sweep(s);
    double *y[FIRK_STAGES], c[FIRK_STAGES];
    firk_cut(st->stages, (size_t)s->prob.n, y);
    TRY(middle ? cst__firk_middle_matrices(s, st) : cst__firk_matrices(s, st, s->log.note[st->n]));
    for (int i = 0; i < FIRK_STAGES; i++) {
        for (int j = 0; j < FIRK_STAGES; j++) c[j] = -m->transposed.x[i][j] / st->h;
        cst__combine(nw, NULL, FIRK_STAGES, c, (const double *const *)p->g, p->r[i]);
        memset(p->w[i], 0, nw * sizeof *p->w[i]);
        q.base[i] = p->r[i];
        q.f[i] = p->v[i];
        q.x[i] = p->w[i];
    }
    TRY(cst__firk_correct(s, &q, 1));
    do {
        for (int i = 0; i < FIRK_STAGES; i++) {
            memset(q.f[i], 0, nw * sizeof *q.f[i]);
            TRY(deriv_vjp(&s->d, firk_time(m, st, i), y[i], s->p, lanes, q.x[i], q.f[i], NULL));
        }
        TRY(cst__firk_correct(s, &q, 0));
        *v = cst__firk_judge(s, &q, st->y, &n);
    } while (*v == NEWTON_AGAIN);
    return 0;
}

int cst__firk_back_solve(costate_solver *s, const step *st, int lanes, const firk_back *p)
{
    const firk *m = s->method;
    int matrix_free = m->im.ls.ops->matrix_free;
    int iterate = matrix_free || cst__implicit_iterates(s, 1);
    if (iterate && m->im.ls.ops->light) {
        const int rc = cst__firk_matrices(s, st, s->log.note[st->n]);
        if (rc && rc != STEP_MATRIX) return rc;
        iterate = rc || !firk_light_enough(s, 1);
    }
    if (iterate) {
        int rc = 0;
        for (int middle = 0; middle < 2; middle++) {
            newton_verdict v = NEWTON_FAILS;
            rc = iterated(s, st, middle, lanes, p, &v);
            if (rc ? rc != STEP_MATRIX : v == NEWTON_DONE) return rc;
        }
        if (matrix_free) return rc ? rc : STEP_NEWTON;
        s->stats.fallbacks++;
    }
    return cst__firk_coupled_solve(s, st, 1, lanes, p->g, p->q, p->w);
}

/* f_y^T (h w_i) into lambda and f_p^T (h w_i) into mu, or its point put off. */
static int spread(costate_solver *s, const step *st, ablock *b, const firk_back *p)
{
    const firk *m = s->method;
    size_t n = (size_t)s->prob.n, nw = n * (size_t)b->w;
    double *y[FIRK_STAGES];
    firk_cut(st->stages, n, y);
    for (int i = 0; i < FIRK_STAGES; i++) {
        double t = firk_time(m, st, i), *seed = b->capacity ? b->pu_store + (size_t)b->points * nw : p->v[0];
        cst__combine(nw, NULL, 1, &st->h, (const double *const *)&p->w[i], seed);
        TRY(deriv_vjp(&s->d, t, y[i], s->p, b->w, seed, b->lambda, b->capacity ? NULL : b->mu));
        if (!b->capacity) continue;
        b->pt[b->points] = t;
        b->pu[b->points] = seed;
        b->py[b->points] = b->py_copy ? memcpy(b->py_copy + (size_t)b->points * n, y[i], n * sizeof *y[i]) : y[i];
        b->points++;
    }
    return 0;
}

void cst__firk_gather(const costate_solver *s, size_t count, double *lambda, double *const r[FIRK_STAGES],
                      double *const g[FIRK_STAGES])
{
    const firk *m = s->method;
    const double *v[] = {r ? r[0] : NULL, r ? r[1] : NULL, r ? r[2] : NULL, lambda}, one[] = {1, 1, 1};
    for (int i = 0; i < FIRK_STAGES; i++) {
        double c[] = {m->a[0][i], m->a[1][i], m->a[2][i], m->b[i]};
        if (r) cst__combine(count, NULL, FIRK_STAGES + 1, c, v, g[i]);
        else cst__combine(count, NULL, 1, c + FIRK_STAGES, v + FIRK_STAGES, g[i]);
    }
    if (r) cst__combine(count, lambda, FIRK_STAGES, one, v, lambda);
}

int cst__firk_adjoint(costate_solver *s, const step *st, ablock *b)
{
    const firk *m = s->method;
    const deriv_function *r = &s->d.running;
    size_t nw = (size_t)s->prob.n * (size_t)b->w;
    int running = b->omega && r->fn.eval;
    double *y[FIRK_STAGES], *at = b->work;
    firk_back p;
    firk_cut(st->stages, (size_t)s->prob.n, y);
    firk_cut(at, nw, p.w);
    firk_cut(at += FIRK_STAGES * nw, nw, p.g);
    firk_cut(at += FIRK_STAGES * nw, nw, p.r);
    firk_cut(at += FIRK_STAGES * nw, nw, p.v);
    p.q = at += FIRK_STAGES * nw;
    double *seed = at + FIRK_STAGES * nw;
    for (int j = 0; running && j < FIRK_STAGES; j++) {
        memset(p.r[j], 0, nw * sizeof *p.r[j]);
        for (int o = 0; o < s->nobj * b->w; o++) seed[o] = st->h * m->b[j] * b->omega[o];
        TRY(cst__of(s, "running's vjp", r->fn.vjp(0, firk_time(m, st, j), y[j], s->p, b->w, seed, p.r[j], b->mu, r->data)));
    }
    cst__firk_gather(s, nw, b->lambda, running ? p.r : NULL, p.g);
    TRY(cst__firk_back_solve(s, st, b->w, &p));
    return spread(s, st, b, &p);
}
