/* agree.cpp - models of tests/corpus differentiated by costate diff and by ADOL-C, an independent tool: J d, J^T u, (J^T u)'
 * along a direction and f''(d1, d2) agree to 1e-12 at random points. ADOL-C runs the model's own text over its active numbers
 * (trace.cpp).
 *
 * Errors are taken in units: a row's is the sum of |f_ij| |x_j| over its entries, a column's is 1/|x_j|. */
#include <adolc/adolc.h>
#include <costate/diff.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

typedef std::vector<double> numbers;
typedef void trace_fn(short tape, int states, int params, const double *x, double *value);

#define MODEL(name) trace_fn trace_##name;
#include "models.def"
#undef MODEL

static double uniform() /* in (-1, 1) */
{
    static std::uint64_t state = 1234567;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

struct errors {
    double jvp, vjp, vjp_dot, jvp2;
};

struct comparison {
    const costate_problem *q;
    short tape;
    int n, np, columns;
    numbers x, size, row; /* the point; the columns' and the rows' units */

    double *y() { return &x[1]; }
    double *p() { return x.data() + 1 + n; }

    numbers direction() const
    {
        numbers d(x.size());
        for (int j = 0; j < columns; j++) d[(size_t)j] = uniform() * size[(size_t)j];
        return d;
    }

    /* ADOL-C: f, J d and f''(d, d) */
    void second(const numbers &d, numbers &f1, numbers &f2)
    {
        numbers f((size_t)n);
        double **xs = myalloc2(columns, 2), **fs = myalloc2(n, 2);
        for (int j = 0; j < columns; j++) xs[j][0] = d[(size_t)j], xs[j][1] = 0;
        hos_forward(tape, n, columns, 2, 0, x.data(), xs, f.data(), fs);
        for (int i = 0; i < n; i++) f1[(size_t)i] = fs[i][0], f2[(size_t)i] = 2 * fs[i][1];
        myfree2(xs), myfree2(fs);
    }

    /* ADOL-C: J^T u and its derivative along d */
    void adjoint(const numbers &d, const numbers &u, numbers &b, numbers &bd)
    {
        numbers f((size_t)n), f1((size_t)n), along = d, seed = u;
        double **z = myalloc2(columns, 2);
        fos_forward(tape, n, columns, 2, x.data(), along.data(), f.data(), f1.data());
        hos_reverse(tape, n, columns, 1, seed.data(), z);
        for (int j = 0; j < columns; j++) b[(size_t)j] = z[j][0], bd[(size_t)j] = z[j][1];
        myfree2(z);
    }

    double in_rows(const numbers &a, const numbers &b) const
    {
        double most = 0;
        for (size_t i = 0; i < a.size(); i++) most = std::max(most, std::fabs(a[i] - b[i]) / (row[i] > 0 ? row[i] : 1));
        return most;
    }

    double in_columns(const numbers &a, const numbers &b, double unit) const
    {
        double most = 0;
        for (size_t j = 1; j < a.size(); j++) most = std::max(most, std::fabs(a[j] - b[j]) * size[j] / unit);
        return most;
    }

    void units()
    {
        double **jac = myalloc2(n, columns);
        jacobian(tape, n, columns, x.data(), jac);
        row.assign((size_t)n, 0);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < columns; j++) row[(size_t)i] += std::fabs(jac[i][j]) * size[(size_t)j];
        myfree2(jac);
    }

    errors run()
    {
        const numbers d1 = direction(), d2 = direction();
        numbers plus = d1, minus = d1, u((size_t)n), a1((size_t)n), a2((size_t)n), a3((size_t)n), f1((size_t)n), fdd((size_t)n),
                exact((size_t)n);
        numbers b(x.size()), bd(x.size()), mb(x.size()), mbd(x.size());
        for (size_t j = 0; j < x.size(); j++) plus[j] += d2[j], minus[j] -= d2[j];
        for (size_t i = 0; i < u.size(); i++) u[i] = uniform() / (row[i] > 0 ? row[i] : 1);
        const int ny = 1 + n;
        errors e = {};

        second(d1, a1, a2);
        q->jvp(x[0], y(), p(), 1, &d1[0], &d1[1], d1.data() + ny, f1.data(), NULL);
        e.jvp = in_rows(f1, a1);

        second(plus, a1, a2);
        second(minus, a1, a3);
        for (size_t i = 0; i < exact.size(); i++) exact[i] = (a2[i] - a3[i]) / 4;
        q->jvp2(x[0], y(), p(), 1, &d1[0], &d1[1], d1.data() + ny, &d2[0], &d2[1], d2.data() + ny, fdd.data(), NULL);
        double most = 1;
        for (size_t i = 0; i < exact.size(); i++)
            most = std::max(most, std::max(std::fabs(a2[i]), std::fabs(a3[i])) / (row[i] > 0 ? row[i] : 1));
        e.jvp2 = in_rows(fdd, exact) / most;

        adjoint(d1, u, b, bd);
        q->vjp(x[0], y(), p(), 1, u.data(), &mb[1], mb.data() + ny, NULL);
        e.vjp = in_columns(mb, b, 1);
        std::fill(mb.begin(), mb.end(), 0);
        q->vjp_dot(x[0], y(), p(), 1, &d1[0], &d1[1], d1.data() + ny, u.data(), NULL, &mb[1], &mbd[1], mb.data() + ny,
                   mbd.data() + ny, NULL);
        e.vjp_dot = std::max(in_columns(mb, b, 1), in_columns(mbd, bd, std::max(1.0, in_columns(bd, numbers(x.size()), 1))));
        return e;
    }
};

static errors compare(const costate_model *m, trace_fn *trace, short tape)
{
    const costate_problem *q = costate_model_problem(m);
    const costate_model_info about = costate_model_about(m);
    errors worst = {};
    for (int point = 0; point < 5; point++) {
        comparison c = {q, tape, q->n, q->np, 1 + q->n + q->np, numbers((size_t)(1 + q->n + q->np)), {}, {}};
        numbers f((size_t)q->n);
        c.x[0] = about.t0 + (about.t1 - about.t0) * (0.5 + 0.4 * uniform());
        for (int j = 1; j < c.columns; j++)
            c.x[(size_t)j] = (j <= q->n ? about.y0[j - 1] : about.p[j - 1 - q->n]) * (1 + 0.1 * uniform());
        for (double x : c.x) c.size.push_back(std::fabs(x) > 1e-3 ? std::fabs(x) : 1e-3);
        trace(tape, q->n, q->np, c.x.data(), f.data());
        c.units();
        const errors e = c.run();
        worst = {std::max(worst.jvp, e.jvp), std::max(worst.vjp, e.vjp), std::max(worst.vjp_dot, e.vjp_dot),
                 std::max(worst.jvp2, e.jvp2)};
    }
    return worst;
}

int main()
{
    static const struct {
        const char *name;
        trace_fn *trace;
    } models[] = {
#define MODEL(name) {#name, trace_##name},
#include "models.def"
#undef MODEL
    };
    int failed = 0;
    short tape = 0;
    std::printf("%-24s %10s %10s %10s %10s\n", "", "J d", "J^T u", "(J^T u)'", "f''(d, d)");
    for (const auto &x : models) {
        const std::string path = std::string(CORPUS "/") + x.name + ".c";
        costate_model *m = NULL;
        costate_model_options options = {};
        options.order = 2;
        options.flags = "-O1";
        if (costate_model_open(&m, path.c_str(), &options)) {
            std::printf("%s\n%s\n", x.name, costate_model_message(m));
            failed = 1;
        } else {
            const errors e = compare(m, x.trace, ++tape);
            std::printf("%-24s %10.1e %10.1e %10.1e %10.1e\n", x.name, e.jvp, e.vjp, e.vjp_dot, e.jvp2);
            if (!(e.jvp <= 1e-12 && e.vjp <= 1e-12 && e.vjp_dot <= 1e-12 && e.jvp2 <= 1e-12)) failed = 1;
        }
        costate_model_close(m);
    }
    return failed;
}
