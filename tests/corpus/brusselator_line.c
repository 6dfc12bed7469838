/* Brusselator on a line, three species interleaved by an IDX macro, ends held fixed. */
#include <costate/model.h>

#define IDX(x, v) (3 * (x) + v)
#define N 21
typedef double realtype;

static const struct { long int n; realtype dx; } udata = {N, 1.0 / (N - 1)};

static void start(const realtype *p, realtype *data)
{
    const realtype a = p[0], b = p[1];
    for (int i = 0; i < N; i++) {
        data[IDX(i, 0)] = a + 0.1 * sin(3.14159265358979 * i * udata.dx);
        data[IDX(i, 1)] = b / a + 0.1 * sin(3.14159265358979 * i * udata.dx);
        data[IDX(i, 2)] = b + 0.1 * sin(3.14159265358979 * i * udata.dx);
    }
}

static int f(realtype t, const realtype *Ydata, const realtype *p, realtype *dYdata)
{
    const long n = udata.n;
    const realtype a = p[0], b = p[1], ep = p[2], dx = udata.dx;
    const realtype uconst = p[3] / dx / dx, vconst = p[4] / dx / dx, wconst = p[5] / dx / dx;
    realtype u, ul, ur, v, vl, vr, w, wl, wr;
    long i;

    for (i = 0; i < 3 * n; ++i) dYdata[i] = 0.0;
    for (i = 1; i < n - 1; i++) {
        u  = Ydata[IDX(i, 0)];
        ul = Ydata[IDX(i - 1, 0)];
        ur = Ydata[IDX(i + 1, 0)];
        v  = Ydata[IDX(i, 1)];
        vl = Ydata[IDX(i - 1, 1)];
        vr = Ydata[IDX(i + 1, 1)];
        w  = Ydata[IDX(i, 2)];
        wl = Ydata[IDX(i - 1, 2)];
        wr = Ydata[IDX(i + 1, 2)];

        dYdata[IDX(i, 0)] = (ul - 2.0 * u + ur) * uconst + a - (w + 1.0) * u + v * u * u;
        dYdata[IDX(i, 1)] = (vl - 2.0 * v + vr) * vconst + w * u - v * u * u;
        dYdata[IDX(i, 2)] = (wl - 2.0 * w + wr) * wconst + (b - w) / ep - w * u;
    }
    dYdata[IDX(0, 0)] = dYdata[IDX(0, 1)] = dYdata[IDX(0, 2)] = 0.0;
    dYdata[IDX(n - 1, 0)] = dYdata[IDX(n - 1, 1)] = dYdata[IDX(n - 1, 2)] = 0.0;
    (void)t;
    return 0;
}

COSTATE_MODEL(brusselator_line, .states = 3 * N, .params = 6, .t0 = 0, .t1 = 10,
    .p = COSTATE_VALUES(0.6, 2.0, 1e-3, 0.025, 0.025, 0.025), .init = start, .rhs = f)
