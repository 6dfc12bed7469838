/* The same question as main.c's, about a model that is differentiated, compiled and loaded: load MODEL.c */
#include <costate/costate.h>
#include <costate/diff.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    costate_model *m = NULL;
    if (argc != 2 || costate_model_open(&m, argv[1], NULL)) {
        fprintf(stderr, "%s", argc == 2 ? costate_model_message(m) : "usage: load MODEL.c\n");
        costate_model_close(m);
        return 1;
    }
    costate_model_info about = costate_model_about(m);
    costate_options options = costate_defaults("dopri5");
    options.rtol = 1e-10;
    costate_solver *s = NULL;
    double y[] = {about.y0[0]}, lambda[] = {1}, mu[1];
    int status = costate_create(&s, costate_model_problem(m), &options);
    if (!status) status = costate_solve(s, about.t0, about.t1, about.p, y);
    if (!status) status = costate_adjoint(s, 1, lambda, mu);
    if (!status) printf("y(1) = %.6f, dy(1)/dp = %.6f, dy(1)/dy(0) = %.6f\n", y[0], mu[0], lambda[0]);
    else fprintf(stderr, "%s\n", costate_message(s));
    costate_free(s);
    costate_model_close(m);
    return status ? 1 : 0;
}
