/* Slider-crank with a spring and a damper along the coupler, in the angle and its rate, the constraint solved in closed form. */
#include <costate/model.h>

typedef double realtype;
#define TWO 2.0
#define SQR(x) ((x) * (x))

typedef struct {
    realtype a;
    realtype J1, J2, m2;
    realtype k, c, l0, F;
} UserData;

static void force(const realtype *yy, realtype *Q, const UserData *data)
{
    realtype a, k, c, l0, F;
    realtype q, x, qd, xd;
    realtype s1, c1, s2, c2, s21, c21;
    realtype l2, l, ld, f, fl;

    a = data->a; k = data->k; c = data->c; l0 = data->l0; F = data->F;
    q = yy[0]; x = yy[1]; qd = yy[3]; xd = yy[4];
    const realtype pp = yy[2], pd = yy[5];

    s1 = sin(q); c1 = cos(q);
    s2 = sin(pp); c2 = cos(pp);
    s21 = s2 * c1 - c2 * s1;
    c21 = c2 * c1 + s2 * s1;

    l2 = SQR(x) - x * (c2 + a * c1) + (1.0 + SQR(a)) / 4.0 + a * c21 / TWO;
    l = sqrt(l2);
    ld = TWO * x * xd - xd * (c2 + a * c1) + x * (s2 * pd + a * s1 * qd) - a * s21 * (pd - qd) / TWO;
    ld /= TWO * l;

    f = k * (l - l0) + c * ld;
    fl = f / l;

    Q[0] = -fl * a * (s21 / TWO + x * s1) / TWO;
    Q[1] = fl * (c2 / TWO - x + a * c1 / TWO) + F;
    Q[2] = -fl * (x * s2 - a * s21 / TWO) / TWO - F * s2;
}

static int ressc(realtype t, const realtype *yval, const realtype *p, realtype *rval)
{
    UserData data;
    realtype Q[3];
    realtype a, J1, m2, J2;
    realtype q, qd, lam1, lam2, s1, c1, s2, c2;

    data.a = p[0]; data.J1 = 1.0; data.m2 = 1.0; data.J2 = 2.0;
    data.k = p[1]; data.c = p[2]; data.l0 = 1.0; data.F = p[3];
    a = data.a; J1 = data.J1; m2 = data.m2; J2 = data.J2;

    force(yval, Q, &data);

    q = yval[0]; qd = yval[3];
    lam1 = yval[6]; lam2 = yval[7];
    s1 = sin(q); c1 = cos(q);
    s2 = sin(yval[2]); c2 = cos(yval[2]);

    rval[0] = qd + a * s1 * yval[8] - a * c1 * yval[9];
    rval[1] = yval[4] + yval[8];
    rval[2] = yval[5] - s2 * yval[8] - c2 * yval[9];
    rval[3] = (Q[0] - a * s1 * lam1 + a * c1 * lam2) / J1;
    rval[4] = (Q[1] - lam1) / m2;
    rval[5] = (Q[2] + s2 * lam1 + c2 * lam2) / J2;
    rval[6] = yval[1] - c2 - a * c1;
    rval[7] = -s2 - a * s1;
    rval[8] = a * s1 * qd + yval[4] + s2 * yval[5];
    rval[9] = -a * c1 * qd - c2 * yval[5];
    (void)t;
    return 0;
}

COSTATE_MODEL(slider_crank, .states = 10, .params = 4, .t0 = 0, .t1 = 1,
              .y0 = COSTATE_VALUES(1.5, 0.9, -0.5, 0.2, 0.1, -0.3, 0.4, 0.3, 0.01, 0.02), .p = COSTATE_VALUES(0.5, 1.0, 1.0, 1.0),
              .rhs = ressc)
