/* A counter-current heat exchanger with wall; the cold side is indexed backwards, unsigned and size_t counters. */
#include <costate/model.h>
#include <stddef.h>
enum { SEG = 10 };
struct fluid { double flow, inlet, film; };

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *hot = y, *wall = hot + SEG, *cold = wall + SEG;
    double *dhot = f, *dwall = f + SEG, *dcold = f + 2 * SEG;
    struct fluid a = {p[0], 360.0 + 5.0 * sin(0.1 * t), p[2]}, b = {.flow = p[1], .inlet = 290.0, .film = p[3]};

    for (size_t i = 0; i < SEG; ++i) {
        size_t back = SEG - 1 - i;
        double viscosity = exp(-0.01 * (hot[i] - 330.0));
        double ha = a.film * pow(viscosity, -0.14);
        dhot[i] = a.flow * ((i == 0 ? a.inlet : hot[i - 1]) - hot[i]) - ha * (hot[i] - wall[i]);
        dcold[back] = b.flow * ((i == 0 ? b.inlet : cold[back + 1]) - cold[back]) - b.film * (cold[back] - wall[back]);
    }
    for (unsigned i = 0; i < SEG; i++) {
        dwall[i] = p[4] * (hot[i] - wall[i]) - p[4] * (wall[i] - cold[i]);
        if (i != 0u && i != SEG - 1u) dwall[i] += p[5] * (wall[i + 1] - 2 * wall[i] + wall[i - 1]);
    }
}

static void init(const double *p, double *y)
{
    for (int i = 0; i < SEG; i++) y[i] = 355 - i, y[SEG + i] = 330 - i, y[2 * SEG + i] = 310 - i;
}

COSTATE_MODEL(heat_exchanger, .states = 3 * SEG, .params = 6, .t0 = 0, .t1 = 10,
              .p = COSTATE_VALUES(1.0, 1.2, 0.8, 0.7, 0.5, 0.1), .init = init, .rhs = rhs)
