/* y' = -p y, y(0) = 1: how does y(1) depend on p and on y(0)? */
#include <costate/costate.h>
#include <stdio.h>

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = -p[0] * y[0];
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)t, (void)data;
    for (int l = 0; l < w; l++) {
        if (yb) yb[l] += -p[0] * u[l];
        if (pb) pb[l] += -y[0] * u[l];
    }
    return 0;
}

int main(void)
{
    costate_problem problem = {.n = 1, .np = 1, .rhs = rhs, .vjp = vjp};
    costate_options options = costate_defaults("dopri5");
    options.rtol = 1e-10;
    costate_solver *s = NULL;
    double p[] = {2}, y[] = {1}, lambda[] = {1}, mu[1];
    int status = costate_create(&s, &problem, &options);
    if (!status) status = costate_solve(s, 0, 1, p, y);
    if (!status) status = costate_adjoint(s, 1, lambda, mu);
    if (!status) printf("y(1) = %.6f, dy(1)/dp = %.6f, dy(1)/dy(0) = %.6f\n", y[0], mu[0], lambda[0]);
    else fprintf(stderr, "%s\n", costate_message(s));
    costate_free(s);
    return status ? 1 : 0;
}
