/* ad_bench.c - what the derivatives that costate diff writes cost: time per seed over the time of the user's own right-hand side,
 * compiled from the same file with -O3 -march=native. Processor time, least of many short rounds, in which all that is timed
 * takes turns. usage: ad_bench [case ...] */
#include "bench.h"

#include <costate/diff.h>
#include <costate/model.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 80, LANES = 8, LINE = 8, APART = 9 * LINE }; /* LINE, APART: doubles */

static const struct bench_model {
    const char *name, *file, *define;
    double one, four; /* goals for vjp with one lane and with four, per seed; vjp_dot should take at most 2.5 times vjp's time */
} models[] = {
    {"glv 10", "problems/glv.c", "N=10", 1.5, 0.9},
    {"glv 50", "problems/glv.c", "N=50", 0.9, 0.6},
    {"glv 100", "problems/glv.c", "N=100", 0.7, 0.5},
    {"glv 200", "problems/glv.c", "N=200", 0.6, 0.45},
    {"brusselator", "bench/models/brusselator_interior.c", "M=100", 1.2, 0.6},
    {"periodic", "problems/brusselator_2d.c", "M=100", 1.5, 1},
    {"cbm4", "problems/cbm4.c", "CBM4", 1.2, 0.3},
};

typedef void user_rhs(double t, const double *y, const double *p, double *f);

typedef struct setting {
    const costate_problem *f;
    user_rhs *rhs;
    double *y, *p, *u, *yb, *pb, *ydot, *pdot, *udot, *ybdot, *pbdot;
} setting;

/* ---- what is timed ----------------------------------------------------------------------------------------------------- */

static void call_user(const setting *s, int w)
{
    (void)w;
    s->rhs(0, s->y, s->p, s->yb);
}

static void call_rhs(const setting *s, int w)
{
    (void)w;
    s->f->rhs(0, s->y, s->p, s->yb, s->f->data);
}

static void call_vjp(const setting *s, int w)
{
    s->f->vjp(0, s->y, s->p, w, s->u, s->yb, s->pb, s->f->data);
}

static void call_dot(const setting *s, int w) /* as Hessian products call it: all outputs but pb */
{
    s->f->vjp_dot(0, s->y, s->p, w, NULL, s->ydot, s->pdot, s->u, s->udot, s->yb, s->ybdot, NULL, s->pbdot, s->f->data);
}

static void call_dots(const setting *s, int w) /* all four outputs */
{
    s->f->vjp_dot(0, s->y, s->p, w, NULL, s->ydot, s->pdot, s->u, s->udot, s->yb, s->ybdot, s->pb, s->pbdot, s->f->data);
}

enum { USER, RHS, VJP, VJP4, VJP8, DOT, DOT4, DOTS, DOTS4, TIMED };

static const struct timed {
    void (*call)(const setting *, int);
    int w;
} timed[TIMED] = {
    [USER] = {call_user, 1}, [RHS] = {call_rhs, 1},  [VJP] = {call_vjp, 1},   [VJP4] = {call_vjp, 4},   [VJP8] = {call_vjp, 8},
    [DOT] = {call_dot, 1},   [DOT4] = {call_dot, 4}, [DOTS] = {call_dots, 1}, [DOTS4] = {call_dots, 4},
};

static double seconds(const struct timed *x, const setting *s, long calls)
{
    double began = bench_now();
    for (long i = 0; i < calls; i++) x->call(s, x->w);
    return bench_now() - began;
}

/* Seconds of a call and lane. */
static void measure(const setting *s, double best[TIMED])
{
    long calls[TIMED];
    for (int k = 0; k < TIMED; k++) {
        best[k] = INFINITY;
        for (calls[k] = 1; seconds(&timed[k], s, calls[k]) < 1e-3;) calls[k] *= 2;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < TIMED; k++) {
            double took = seconds(&timed[k], s, calls[k]) / (double)calls[k] / timed[k].w;
            if (took < best[k]) best[k] = took;
        }
}

/* ---- a model ----------------------------------------------------------------------------------------------------------- */

/* The user's function as the user would compile it; its library stays loaded. */
static user_rhs *compile_user(const char *file, const char *define)
{
    char object[] = "/tmp/costate-ad-bench-XXXXXX", command[1024];
    int fd = mkstemp(object);
    if (fd < 0) return NULL;
    close(fd);
    snprintf(command, sizeof command, "%s -O3 -march=native -fPIC -shared -w -D%s -I%s/include %s -o %s -lm",
             getenv("CC") ? getenv("CC") : "cc", define, SOURCE_DIR, file, object);
    void *handle = system(command) == 0 ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(object);
    const costate_descriptor *d = handle ? dlsym(handle, "costate_model_descriptor") : NULL;
    union {
        const void *object;
        user_rhs *code;
    } f = {d ? d->rhs : NULL};
    return f.code;
}

/* The next vector of a workspace. Vectors begin at different places of their pages, as the library's do, which lie one behind the
 * other, too: where they begin at the same one, elements with the same index drive each other out of the nearest cache. */
static double *numbers(double **room, size_t count, double size)
{
    double *a = *room;
    for (size_t i = 0; i < count; i++) a[i] = size * (1 + 0.3 * sin(0.01 * (double)i));
    *room += (count + LINE - 1) / LINE * LINE + APART;
    return a;
}

static void goal(const char *model, const char *what, double measured, double most)
{
    printf("goal: %s, %s: at most %.2f: %.2f: %s\n", model, what, most, measured, measured <= most ? "met" : "MISSED");
}

static void report(const struct bench_model *b, const setting *s)
{
    double x[TIMED];
    measure(s, x);
    printf("%-12s %10.1f %6.2f %6.2f (%.2f) %6.2f (%.2f) %6.2f %8.2f %5.2f %6.2f %5.2f\n", b->name, 1e9 * x[USER],
           x[RHS] / x[USER], x[VJP] / x[USER], b->one, x[VJP4] / x[USER], b->four, x[VJP8] / x[USER], x[DOT] / x[VJP],
           x[DOT4] / x[VJP4], x[DOTS] / x[VJP], x[DOTS4] / x[VJP4]);
    goal(b->name, "vjp", x[VJP] / x[USER], b->one);
    goal(b->name, "vjp, 4 lanes", x[VJP4] / x[USER], b->four);
    goal(b->name, "vjp_dot over vjp", x[DOT] / x[VJP], 2.5);
    goal(b->name, "vjp_dot over vjp, 4 lanes", x[DOT4] / x[VJP4], 2.5);
    fflush(stdout);
}

static int run(const struct bench_model *b)
{
    char file[512];
    snprintf(file, sizeof file, "%s/%s", SOURCE_DIR, b->file);
    costate_model *m = NULL;
    if (costate_model_open(&m, file, &(costate_model_options){.order = 2, .defines = 1, .define = &b->define})) {
        fprintf(stderr, "%s\n", costate_model_message(m));
        costate_model_close(m);
        return 1;
    }
    const costate_problem *f = costate_model_problem(m);
    const size_t n = (size_t)f->n, np = (size_t)f->np;
    const double rate = strcmp(b->name, "cbm4") ? 1e-3 : 1;
    double *const block = bench_alloc(n + np + 5 * n * LANES + 3 * np * LANES + 10 * (LINE + APART), sizeof *block),
                  *room = block;
    setting s = {.f = f, .rhs = compile_user(file, b->define), .y = numbers(&room, n, 1), .p = numbers(&room, np, rate)};
    s.u = numbers(&room, n * LANES, 1), s.udot = numbers(&room, n * LANES, 1), s.ydot = numbers(&room, n * LANES, 1);
    s.yb = numbers(&room, n * LANES, 0), s.ybdot = numbers(&room, n * LANES, 0), s.pdot = numbers(&room, np * LANES, 1e-3);
    s.pb = numbers(&room, np * LANES, 0), s.pbdot = numbers(&room, np * LANES, 0);
    if (s.rhs) report(b, &s);
    free(block);
    costate_model_close(m);
    return !s.rhs;
}

int main(int argc, char **argv)
{
    int failed = 0;
    printf("per seed over the user's rhs; goals in parentheses; vjp_dot over vjp (goal 2.5), as Hessian products call it, and "
           "with pb too\n");
    printf("%-12s %10s %6s %13s %13s %6s %8s %5s %7s %5s\n", "", "rhs, ns", "again", "vjp", "4 lanes", "8", "vjp_dot", "4",
           "with pb", "4");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        int wanted = argc < 2;
        for (int k = 1; k < argc; k++) wanted |= strncmp(argv[k], models[i].name, strlen(argv[k])) == 0;
        if (wanted) failed |= run(&models[i]);
    }
    return failed;
}
