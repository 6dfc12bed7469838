/* Channel flow with the k-epsilon model: eddy viscosity at faces, wall values from the friction velocity, three interleaved
 * fields. */
#include <costate/model.h>
#define NY 12
enum { U, K, EPSILON, NF };
enum { C_MU, C1, C2, SIGMA_K, SIGMA_E, DPDX, NU, UTAU };
#define at(a, j, v) (a)[NF * (j) + (v)]

static double eddy(double k, double e, const double *p) { return p[C_MU] * k * k / e; }

static void rhs(double t, const double *q, const double *p, double *f)
{
    const double h = 1.0 / NY, kappa = 0.41;
    const double kw = p[UTAU] * p[UTAU] / sqrt(p[C_MU]), ew = p[UTAU] * p[UTAU] * p[UTAU] / (kappa * 0.5 * h);

    for (int j = 0; j < NY; j++) {
        double u = at(q, j, U), k = at(q, j, K), e = at(q, j, EPSILON);
        double um, km, em, up, kp, ep;

        if (j == 0) {
            um = -u + 2 * p[UTAU] / kappa * log(0.5 * h * p[UTAU] / p[NU] * 9.0);
            km = 2 * kw - k;
            em = ew;
        } else {
            um = at(q, j - 1, U);
            km = at(q, j - 1, K);
            em = at(q, j - 1, EPSILON);
        }
        if (j == NY - 1) up = u, kp = k, ep = e;
        else {
            up = at(q, j + 1, U);
            kp = at(q, j + 1, K);
            ep = at(q, j + 1, EPSILON);
        }
        const double nut = eddy(k, e, p), nu_m = p[NU] + 0.5 * (nut + eddy(km, em, p)),
                     nu_p = p[NU] + 0.5 * (nut + eddy(kp, ep, p));
        const double shear = (up - um) / (2 * h), production = nut * shear * shear;

        at(f, j, U) = -p[DPDX] + (nu_p * (up - u) - nu_m * (u - um)) / (h * h);
        at(f, j, K) = production - e + (nu_p * (kp - k) - nu_m * (k - km)) / (p[SIGMA_K] * h * h);
        at(f, j, EPSILON) = (p[C1] * production - p[C2] * e) * e / k + (nu_p * (ep - e) - nu_m * (e - em)) / (p[SIGMA_E] * h * h);
    }
}

static void init(const double *p, double *q)
{
    for (int j = 0; j < NY; j++) {
        double y = (j + 0.5) / NY;
        at(q, j, U) = 1.0 + 0.3 * log(1 + 20 * y);
        at(q, j, K) = 0.02 * (1.2 - y);
        at(q, j, EPSILON) = 0.01 / (0.2 + y);
    }
}

COSTATE_MODEL(k_epsilon, .states = NF * NY, .params = 8, .t0 = 0, .t1 = 1,
    .p = COSTATE_VALUES(0.09, 1.44, 1.92, 1.0, 1.3, -0.0025, 1e-4, 0.05), .init = init, .rhs = rhs)
