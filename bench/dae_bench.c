/* dae_bench.c - see dae_bench.h */
#include "dae_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The known derivatives: of heat by the exact solution of the equations in space, of Robertson's problem and the food web by
 * Radau IIA at tolerances down to 1e-12 and by extrapolation; 9 to 13 digits of them agree. */
enum { POINT = 2 * 20 * 10 + 2 * 10 }; /* c1 in the middle of the food web */
#define HEAT(i, j) (2 + (i) + 42 * (j))

static const dae_problem problems[] = {
    {"robertson_40",
     "problems/robertson_dae.c",
     NULL,
     40,
     {1e-2, 1e-6, 1e-2},
     {{0, 0, 129.77648286160}, {0, 1, -3.6263833732286e-4}, {0, 2, 6.0442934210095e-8}}},
    {"robertson_4e5",
     "problems/robertson_dae.c",
     NULL,
     4e5,
     {1e-2, 1e-6, 1e-2},
     {{0, 0, 300449.21370118}, {0, 1, -1.1973589238575}, {0, 2, 1.9956074382867e-4}}},
    {"food_web",
     "problems/food_web.c",
     "PREY",
     0.05,
     {1},
     {{0, 0, 393702224065.94},
      {0, 1, 187189657363.02},
      {0, 2 + POINT, 3008155199.8793},
      {1, 0, 3938.0335716718},
      {1, 1, 1872.3645196967}}},
    {"heat_dae",
     "problems/heat_dae.c",
     "GIVEN",
     0.16,
     {1},
     {{0, 0, -2.7267582833164},
      {0, 1, -2.7267582833164},
      {1, 0, -15.217818062708},
      {1, 1, -15.217818062708},
      {0, HEAT(20, 20), 0.0038538381624975},
      {0, HEAT(1, 1), 2.26158547489919e-05},
      {1, HEAT(20, 20), 0.0700736210532483},
      {1, HEAT(1, 1), 0.00127756205085361}}},
};

dae_case dae_open(int argc, char **argv, int order)
{
    if (argc < 5) bench_give_up("usage: program problem method rtol reps", "[option=value ...]");
    dae_case c = {.method = argv[2],
                  .rtol = atof(argv[3]),
                  .reps = atoi(argv[4]),
                  .options = argv + 5,
                  .forward = HUGE_VAL,
                  .gradient = HUGE_VAL};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (!strcmp(problems[i].name, argv[1])) c.of = &problems[i];
    if (!c.of) bench_give_up("no problem", argv[1]);
    if (!(c.rtol > 0) || c.reps < 1) bench_give_up("wrong rtol or reps for", argv[1]);
    char file[512];
    snprintf(file, sizeof file, "%s/%s", SOURCE_DIR, c.of->file);
    const costate_model_options o = {.order = order, .defines = c.of->define != NULL, .define = &c.of->define};
    if (costate_model_open(&c.model, file, &o)) bench_give_up("cannot open:", costate_model_message(c.model));
    c.q = costate_model_problem(c.model);
    c.about = costate_model_about(c.model);
    c.n = c.q->n, c.np = c.q->np, c.goals = c.q->objectives;
    const size_t n = (size_t)c.n, goals = (size_t)c.goals;
    c.atols = bench_alloc(2 * n + goals * (n + (size_t)c.np), sizeof(double));
    c.y = c.atols + n;
    c.dy = c.y + n;
    c.dp = c.dy + goals * n;
    for (size_t i = 0; i < n; i++) c.atols[i] = c.rtol * (i < 3 && c.of->atol[i] > 0 ? c.of->atol[i] : c.of->atol[0]);
    return c;
}

static double error_of(const dae_case *c)
{
    double worst = 0;
    for (const dae_known *k = c->of->known; k < c->of->known + DAE_KNOWN && k->value != 0; k++) {
        const double *row = k->at < c->np ? c->dp + k->at * c->goals : c->dy + (k->at - c->np) * c->goals;
        bench_widen(&worst, row[k->objective] / k->value - 1);
    }
    return worst;
}

void dae_report(dae_case *c, const dae_counts *k)
{
    printf("peer=%s method=%s linsol=%s problem=%s rtol=%.0e forward_ms=%.4f gradient_ms=%.4f err=%.2e steps=%ld backward=%ld\n",
           k->peer, c->method, k->linsol, c->of->name, c->rtol, 1e3 * c->forward, 1e3 * c->gradient, error_of(c), k->steps,
           k->backward);
}

void dae_close(dae_case *c)
{
    costate_model_close(c->model);
    free(c->atols);
}
