/* A neural differential equation: two tanh layers, weights in the parameter vector read through two-dimensional views. */
#include <costate/model.h>
#define IN 4
#define HID 12
#define W1 0
#define B1 (W1 + HID * IN)
#define W2 (B1 + HID)
#define B2 (W2 + IN * HID)
#define NPAR (B2 + IN)

static void dense(int rows, int cols, const double *w, const double *b, const double *x, double *out)
{
    for (int i = 0; i < rows; i++) {
        double s = b[i];
        for (int j = 0; j < cols; j++) s += w[i * cols + j] * x[j];
        out[i] = s;
    }
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    double hidden[HID];
    dense(HID, IN, p + W1, p + B1, y, hidden);
    for (int i = 0; i < HID; i++) hidden[i] = tanh(hidden[i]);
    dense(IN, HID, p + W2, p + B2, hidden, f);
}

static void defaults(double *p)
{
    unsigned s = 12345;
    for (int i = 0; i < NPAR; i++) {
        s = s * 1664525u + 1013904223u;
        p[i] = (s >> 8) / 16777216.0 - 0.5;
    }
}

static void loss(double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
    for (int i = 0; i < IN; i++) g[0] += (y[i] - 0.1 * i) * (y[i] - 0.1 * i);
    double ridge = 0;
    for (int k = 0; k < NPAR; k++) ridge += p[k] * p[k];
    g[0] += 1e-3 * ridge;
}

COSTATE_MODEL(neural_ode, .states = IN, .params = NPAR, .objectives = 1, .t0 = 0, .t1 = 1,
              .y0 = COSTATE_VALUES(0.5, -0.3, 0.8, 0.1), .defaults = defaults, .rhs = rhs, .terminal = loss)
