/* Masses on springs hanging between a fixed point and one that is moved; vectors as rows, an inline norm. */
#include <costate/model.h>
#define LINKS 7
#define INNER (LINKS - 1)
typedef double point[3];

static inline double norm(const double d[3]) { return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]); }

static void rhs(double t, const double *y, const double *p, double *f)
{
    const point *pos = (const point *)y, *vel = (const point *)(y + 3 * INNER);
    point acc[INNER];
    const point end = {1.5 + p[3] * sin(t), 0.2, p[4]};

    for (int i = 0; i < INNER; i++) {
        acc[i][0] = -p[2] * vel[i][0];
        acc[i][1] = -p[2] * vel[i][1];
        acc[i][2] = -p[2] * vel[i][2] - 9.81;
    }
    for (int link = 0; link < LINKS; link++) {
        point d;
        for (int a = 0; a < 3; a++) {
            const double head = link == LINKS - 1 ? end[a] : pos[link][a];
            const double tail = link == 0 ? 0.0 : pos[link - 1][a];
            d[a] = head - tail;
        }
        const double length = norm(d), tension = p[0] * (1.0 - p[1] / length);
        for (int a = 0; a < 3; a++) {
            if (link < LINKS - 1) acc[link][a] -= tension * d[a];
            if (link > 0) acc[link - 1][a] += tension * d[a];
        }
    }
    for (int i = 0; i < INNER; i++)
        for (int a = 0; a < 3; a++) {
            f[3 * i + a] = vel[i][a];
            f[3 * (INNER + i) + a] = acc[i][a];
        }
}

static void init(const double *p, double *y)
{
    for (int i = 0; i < INNER; i++) {
        y[3 * i] = 0.2 * (i + 1); y[3 * i + 1] = 0.03 * i; y[3 * i + 2] = -0.3 + 0.02 * (i - 3) * (i - 3);
        for (int a = 0; a < 3; a++) y[3 * (INNER + i) + a] = 0.1 * a - 0.05 * i;
    }
}

COSTATE_MODEL(hanging_chain, .states = 6 * INNER, .params = 5, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(200.0, 0.15, 0.5, 0.2, -0.1),
              .init = init, .rhs = rhs)
