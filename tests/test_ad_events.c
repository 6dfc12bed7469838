/* test_ad_events.c - what costate diff makes of a model with events: the functions see the mode, the number of the event and how
 * often it was there, and their products, for every number of lanes, are those of differences and of each other. */
#include "support.h"

#include <costate/diff.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 3, NP = 4, OBJECTIVES = 2, EVENTS = 2, TIMED = 2, ALL = EVENTS + TIMED, MODES = 2, W = 9 };

static char root[64] = "/tmp/test_ad_events-XXXXXX";
static costate_model *model;
static const costate_problem *q;

/* Everything depends on all there is. */
static const char text[] =
    "#include <costate/model.h>\n"
    "enum { A, B };\n"
    "static void init(const double *p, double *y0) { y0[0] = p[0]; y0[1] = p[1] * p[2]; y0[2] = 1; }\n"
    "static void rhs(int mode, double t, const double *y, const double *p, double *f, void *data) {\n"
    "    f[0] = mode == B ? p[0] * y[1] * sin(t) : y[0] * y[1];\n"
    "    if (mode == A) f[1] = y[0] * cos(p[1] * t) + exp(p[2] * y[1]);\n"
    "    else f[1] = p[3] * y[0] * y[0] * t;\n"
    "    f[2] = y[0] - (mode == A ? p[0] : p[1]) * y[2] * y[2]; }\n"
    "static void running(int mode, double t, const double *y, const double *p, double *r) {\n"
    "    r[0] = p[mode] * y[0] * sin(t * p[0]); r[1] = y[1] * y[2] * t * t; }\n"
    "static void terminal(double t, const double *y, const double *p, double *g) {\n"
    "    g[0] = y[0] * exp(-t * p[3]); g[1] = sin(t * y[1]) * p[1]; }\n"
    "static void event(int mode, double t, const double *y, const double *p, double *e) {\n"
    "    e[0] = mode == A ? y[0] * sin(t) - p[1] * y[1] : 1; e[1] = exp(p[2] * t) - y[2] * y[1] - mode; }\n"
    "static void reset(int k, int mode, double t, const double *y, const double *p, double *ynew) {\n"
    "    if (k == 0) ynew[0] = -p[0] * y[0] * sin(t);\n"
    "    if (k == 2) ynew[1] += p[1] * y[2] * t * t;\n"
    "    if (k == 3) { ynew[2] = (mode + 2) * p[2] * t; ynew[0] += ynew[2] * y[1]; } }\n"
    "static void on_event(int k, int i, int mode, double t, const double *y, const double *p, double *g) {\n"
    "    g[0] = (k + 1) * (i + 2) * t * t * y[0] * p[0]; g[1] = mode * sin(t * y[1]) + i * p[3] * t * t; }\n"
    "static void event_times(const double *p, double *tau) { tau[0] = p[0] * p[1]; tau[1] = exp(p[2]); }\n"
    "static int next_mode(int k, int mode, double t, const double *y, const double *p) {\n"
    "    if (k == 3 && y[0] > p[0]) return COSTATE_STOP;\n"
    "    return k == 0 ? 1 - mode : k + 10 * mode; }\n"
    "COSTATE_MODEL(modal, .states = 3, .params = 4, .objectives = 2, .p = COSTATE_VALUES(0.7, 0.4, 0.3, 0.2), .t0 = 0, .t1 = 3,\n"
    "    .init = init, .rhs = rhs, .running = running, .terminal = terminal, .events = 2, .event = event,\n"
    "    .direction = COSTATE_VALUES(-1, 0), .timed_events = 2, .event_times = event_times, .reset = reset,\n"
    "    .on_event = on_event, .next_mode = next_mode, .first_mode = 1,\n"
    "    .event_names = COSTATE_NAMES(\"one\", \"two\", \"dose\", \"other dose\"))\n";

static int open_all(void **state)
{
    (void)state;
    char file[100];
    assert_non_null(mkdtemp(root));
    snprintf(file, sizeof file, "%s/modal.c", root);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && !fclose(f));
    if (costate_model_open(&model, file, &(costate_model_options){.cache = "none", .flags = "-O0"}))
        fail_msg("%s", costate_model_message(model));
    assert_string_equal(costate_model_warnings(model), "");
    q = costate_model_problem(model);
    unlink(file);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    costate_model_close(model);
    return rmdir(root);
}

/* ---- a function, with what is given to it ------------------------------------------------------------------------------ */

typedef struct subject {
    const char *name;
    const costate_function *fn;     /* NULL: the right-hand side */
    costate_function_jvp2 *jvp2;    /* NULL: none */
    int k, rows, mode;
} subject;

typedef struct point {
    double t, y[N], p[NP];
} point;

static costate_modal modal;
static const point at = {0.8, {0.6, -0.4, 1.1}, {0.7, 0.4, 0.3, 0.2}};

static void eval(const subject *s, const point *x, double *g)
{
    modal = (costate_modal){.mode = s->mode};
    memcpy(g, x->y, sizeof x->y); /* what reset finds */
    assert_int_equal(s->fn ? s->fn->eval(s->k, x->t, x->y, x->p, g, &modal) : q->rhs(x->t, x->y, x->p, g, &modal), 0);
}

static void jvp(const subject *s, const point *x, int w, const double *t, const double *y, const double *p, double *out)
{
    modal = (costate_modal){.mode = s->mode};
    assert_int_equal(s->fn ? s->fn->jvp(s->k, x->t, x->y, x->p, w, t, y, p, out, &modal)
                           : q->jvp(x->t, x->y, x->p, w, t, y, p, out, &modal), 0);
}

static void vjp(const subject *s, const point *x, int w, const double *u, double *yb, double *pb)
{
    modal = (costate_modal){.mode = s->mode};
    assert_int_equal(s->fn ? s->fn->vjp(s->k, x->t, x->y, x->p, w, u, yb, pb, &modal)
                           : q->vjp(x->t, x->y, x->p, w, u, yb, pb, &modal), 0);
}

static void vjp_dot(const subject *s, const point *x, int w, const double *t, const double *y, const double *p, const double *u,
                    const double *udot, double *yb, double *ybdot, double *pb, double *pbdot)
{
    modal = (costate_modal){.mode = s->mode};
    assert_int_equal(s->fn ? s->fn->vjp_dot(s->k, x->t, x->y, x->p, w, t, y, p, u, udot, yb, ybdot, pb, pbdot, &modal)
                           : q->vjp_dot(x->t, x->y, x->p, w, t, y, p, u, udot, yb, ybdot, pb, pbdot, &modal), 0);
}

static point moved(double h, const double *t, const double *y, const double *p, int w, int l)
{
    point x = at;
    x.t += h * t[l];
    for (int i = 0; i < N; i++) x.y[i] += h * y[i * w + l];
    for (int i = 0; i < NP; i++) x.p[i] += h * p[i * w + l];
    return x;
}

/* Central differences at h and h/2, extrapolated. */
static double slope(double wide, double narrow)
{
    return (4 * narrow - wide) / 3;
}

static double number(void)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

static void randoms(double *x, int count)
{
    for (int i = 0; i < count; i++) x[i] = number();
}

static void near(const subject *s, const char *what, int w, double is, double should, double tolerance)
{
    if (!(fabs(is - should) <= tolerance * (1 + fabs(should))))
        fail_msg("%s, k %d, mode %d, %d lanes: %s is %.15g, not %.15g", s->name, s->k, s->mode, w, what, is, should);
}

static const double h = 1e-3;

/* Lane l of jvp, vjp and vjp_dot for w of them. */
static void check(const subject *s, int w)
{
    double t[W], y[N * W], p[NP * W], u[N * W], udot[N * W], out[N * W], yb[N * W], pb[NP * W], ybd[N * W], pbd[NP * W];
    double yb2[N * W], pb2[NP * W];
    randoms(t, w), randoms(y, N * w), randoms(p, NP * w), randoms(u, N * w), randoms(udot, N * w);
    memset(yb, 0, sizeof yb), memset(pb, 0, sizeof pb), memset(ybd, 0, sizeof ybd), memset(pbd, 0, sizeof pbd);
    memset(yb2, 0, sizeof yb2), memset(pb2, 0, sizeof pb2);
    jvp(s, &at, w, t, y, p, out);
    vjp(s, &at, w, u, yb, pb);
    vjp_dot(s, &at, w, t, y, p, u, udot, yb2, ybd, pb2, pbd);
    for (int l = 0; l < w; l++) {
        double g[4][N], left = 0, right = 0;
        for (int j = 0; j < 4; j++) {
            const point x = moved((j & 1 ? -1 : 1) * (j & 2 ? h / 2 : h), t, y, p, w, l);
            eval(s, &x, g[j]);
        }
        for (int i = 0; i < s->rows; i++)
            near(s, "jvp", w, out[i * w + l], slope((g[0][i] - g[1][i]) / (2 * h), (g[2][i] - g[3][i]) / h), 1e-9);
        double still[NP * W] = {0}, plain[N * W];
        jvp(s, &at, w, &still[0], y, p, plain); /* no time: what vjp is the transpose of */
        for (int i = 0; i < s->rows; i++) left += u[i * w + l] * plain[i * w + l];
        for (int i = 0; i < N; i++) right += yb[i * w + l] * y[i * w + l];
        for (int i = 0; i < NP; i++) right += pb[i * w + l] * p[i * w + l];
        near(s, "the identity of vjp", w, right, left, 1e-14);
        for (int i = 0; i < N; i++) near(s, "yb of vjp_dot", w, yb2[i * w + l], yb[i * w + l], 1e-14);
        for (int i = 0; i < NP; i++) near(s, "pb of vjp_dot", w, pb2[i * w + l], pb[i * w + l], 1e-14);
        double dy[4][N] = {{0}}, dp[4][NP] = {{0}};
        for (int j = 0; j < 4; j++) {
            const double by = (j & 1 ? -1 : 1) * (j & 2 ? h / 2 : h);
            const point x = moved(by, t, y, p, w, l);
            double seed[N];
            for (int i = 0; i < N; i++) seed[i] = u[i * w + l] + by * udot[i * w + l];
            vjp(s, &x, 1, seed, dy[j], dp[j]);
        }
        for (int i = 0; i < N; i++)
            near(s, "ybdot", w, ybd[i * w + l], slope((dy[0][i] - dy[1][i]) / (2 * h), (dy[2][i] - dy[3][i]) / h), 1e-9);
        for (int i = 0; i < NP; i++)
            near(s, "pbdot", w, pbd[i * w + l], slope((dp[0][i] - dp[1][i]) / (2 * h), (dp[2][i] - dp[3][i]) / h), 1e-9);
    }
}

static void check_jvp2(const subject *s, int w)
{
    double t[W], y[N * W], p[NP * W], t2[W], y2[N * W], p2[NP * W], out[N * W];
    randoms(t, w), randoms(y, N * w), randoms(p, NP * w), randoms(t2, w), randoms(y2, N * w), randoms(p2, NP * w);
    modal = (costate_modal){.mode = s->mode};
    assert_int_equal(s->fn ? s->jvp2(s->k, at.t, at.y, at.p, w, t, y, p, t2, y2, p2, out, &modal)
                           : q->jvp2(at.t, at.y, at.p, w, t, y, p, t2, y2, p2, out, &modal), 0);
    for (int l = 0; l < w; l++) {
        double d[4][N], y1[N], p1[NP];
        for (int i = 0; i < N; i++) y1[i] = y[i * w + l];
        for (int i = 0; i < NP; i++) p1[i] = p[i * w + l];
        for (int j = 0; j < 4; j++) {
            const point x = moved((j & 1 ? -1 : 1) * (j & 2 ? h / 2 : h), t2, y2, p2, w, l);
            jvp(s, &x, 1, &t[l], y1, p1, d[j]);
        }
        for (int i = 0; i < s->rows; i++)
            near(s, "jvp2", w, out[i * w + l], slope((d[0][i] - d[1][i]) / (2 * h), (d[2][i] - d[3][i]) / h), 1e-9);
    }
}

static void every_product(void **state)
{
    (void)state;
    for (int mode = 0; mode < MODES; mode++)
        for (int k = 0; k < ALL; k++) {
            const subject list[] = {{"rhs", NULL, NULL, 0, N, mode},
                                    {"running", &q->running, q->jvp2_of.running, 0, OBJECTIVES, mode},
                                    {"terminal", &q->terminal, q->jvp2_of.terminal, 0, OBJECTIVES, mode},
                                    {"event", &q->event, q->jvp2_of.event, 0, EVENTS, mode},
                                    {"reset", &q->reset, q->jvp2_of.reset, k, N, mode},
                                    {"on_event", &q->on_event, q->jvp2_of.on_event, k + 3 * ALL, OBJECTIVES, mode},
                                    {"event_times", &q->event_times, NULL, 0, TIMED, mode}};
            for (size_t i = 0; i < sizeof list / sizeof *list; i++)
                for (int w = 1; w <= W; w += w == 5 ? 3 : 1) {
                    check(&list[i], w);
                    if (list[i].jvp2 || !list[i].fn) check_jvp2(&list[i], w);
                }
            for (int i = 0; i < 6; i++) assert_true(list[i].jvp2 || !list[i].fn);
        }
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

static void the_mode_is_seen(void **state)
{
    (void)state;
    const point x = at;
    double f[N], e[EVENTS], g[OBJECTIVES], ynew[N], tau[TIMED];
    modal = (costate_modal){.mode = 1};
    assert_int_equal(q->rhs(x.t, x.y, x.p, f, &modal), 0);
    assert_true(fabs(f[0] - x.p[0] * x.y[1] * sin(x.t)) < 1e-15);
    modal.mode = 0;
    assert_int_equal(q->rhs(x.t, x.y, x.p, f, &modal), 0);
    assert_true(fabs(f[0] - x.y[0] * x.y[1]) < 1e-15);
    assert_int_equal(q->rhs(x.t, x.y, x.p, f, NULL), 0); /* no data: mode 0 */
    assert_true(fabs(f[0] - x.y[0] * x.y[1]) < 1e-15);
    modal.mode = 1;
    assert_int_equal(q->event.eval(0, x.t, x.y, x.p, e, &modal), 0);
    assert_true(e[0] == 1 && fabs(e[1] - (exp(x.p[2] * x.t) - x.y[2] * x.y[1] - 1)) < 1e-15);
    const int k = 2, i = 5;
    assert_int_equal(q->on_event.eval(k + ALL * i, x.t, x.y, x.p, g, &modal), 0);
    assert_true(fabs(g[0] - 3 * 7 * x.t * x.t * x.y[0] * x.p[0]) < 1e-14);
    memcpy(ynew, x.y, sizeof ynew);
    assert_int_equal(q->reset.eval(1, x.t, x.y, x.p, ynew, &modal), 0); /* nothing changes */
    assert_memory_equal(ynew, x.y, sizeof ynew);
    assert_int_equal(q->reset.eval(3, x.t, x.y, x.p, ynew, &modal), 0);
    assert_true(fabs(ynew[2] - 3 * x.p[2] * x.t) < 1e-15 && fabs(ynew[0] - x.y[0] - ynew[2] * x.y[1]) < 1e-15);
    assert_true(ynew[1] == x.y[1]);
    assert_int_equal(q->event_times.eval(0, 0, NULL, x.p, tau, &modal), 0);
    assert_true(fabs(tau[0] - x.p[0] * x.p[1]) < 1e-16 && fabs(tau[1] - exp(x.p[2])) < 1e-15);
}

static void modes_follow(void **state)
{
    (void)state;
    const double low[N] = {0}, high[N] = {2, 0, 0};
    modal = (costate_modal){.mode = 1};
    assert_int_equal(q->next_mode(0, 0, low, at.p, &modal), 0);
    assert_int_equal(q->next_mode(1, 0, low, at.p, &modal), 11);
    assert_int_equal(q->next_mode(3, 0, low, at.p, &modal), 13);
    assert_int_equal(q->next_mode(3, 0, high, at.p, &modal), COSTATE_STOP);
    modal.mode = 0;
    assert_int_equal(q->next_mode(0, 0, low, at.p, &modal), 1);
}

static void what_the_problem_says(void **state)
{
    (void)state;
    assert_int_equal(q->events, EVENTS);
    assert_int_equal(q->timed_events, TIMED);
    assert_int_equal(q->first_mode, 1);
    assert_int_equal(q->held + q->timed_held, 0);
    assert_true(q->direction[0] == -1 && q->direction[1] == 0);
    assert_string_equal(q->event_names[3], "other dose");
    assert_null(q->event_at);
}

/* A Jacobian's pattern has the entries of all modes: f[0] depends on y[0] in mode A alone, f[2] on y[2] in both. */
static void pattern_of_all_modes(void **state)
{
    (void)state;
    const int *colptr, *rowind;
    int entry[N][N] = {{0}}, params[NP][N] = {{0}};
    assert_int_equal(costate_model_pattern(model, 0, &colptr, &rowind), 0);
    for (int j = 0; j < N; j++)
        for (int i = colptr[j]; i < colptr[j + 1]; i++) entry[j][rowind[i]] = 1;
    const int wanted[N][N] = {{1, 1, 1}, {1, 1, 0}, {0, 0, 1}};
    assert_memory_equal(entry, wanted, sizeof entry);
    assert_int_equal(costate_model_pattern(model, 1, &colptr, &rowind), 0);
    for (int j = 0; j < NP; j++)
        for (int i = colptr[j]; i < colptr[j + 1]; i++) params[j][rowind[i]] = 1;
    assert_true(params[0][0] && params[1][1] && params[3][1] && params[0][2] && params[1][2]);
    for (modal = (costate_modal){0}; modal.mode < MODES; modal.mode++) { /* the values are those of the mode */
        double jac[N * N] = {0}, f[N];
        assert_non_null(q->jac);
        assert_int_equal(q->pattern.format, COSTATE_DENSE); /* so many entries */
        assert_int_equal(q->jac(at.t, at.y, at.p, jac, &modal), 0);
        for (int j = 0; j < N; j++) {
            double y[N] = {0};
            y[j] = 1;
            assert_int_equal(q->jvp(at.t, at.y, at.p, 1, NULL, y, NULL, f, &modal), 0);
            for (int i = 0; i < N; i++) assert_true(fabs(jac[i + N * j] - f[i]) < 1e-14);
        }
    }
}

/* ---- what is refused ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *functions, *members, *message;
} refused[] = {
    {"", ".events = 1,", "the model has .events but no .event"},
    {"static void event(double t, const double *y, const double *p, double *e) { e[0] = y[0]; }\n", ".event = event,",
     "the model has .event but no .events"},
    {"static void event(double t, const double *y, const double *p, double *e) { e[0] = y[0]; }\n",
     ".events = 1, .event = event, .direction = COSTATE_VALUES(1, -1),", ".direction has 2 values, but .events is 1"},
    {"static void times(const double *p, double *tau) { tau[0] = p[0]; }\n", ".event_times = times,",
     "the model has .event_times but no .timed_events"},
    {"", ".timed_events = 2,", "the model has .timed_events but not their times"},
    {"", ".timed_events = 2, .event_at = COSTATE_VALUES(1),", ".event_at has 1 value, but .timed_events is 2"},
    {"static void times(const double *p, double *tau) { tau[0] = p[0]; }\n",
     ".timed_events = 1, .event_at = COSTATE_VALUES(1), .event_times = times,", "the times of events are given twice"},
    {"static void event(double t, const double *y, const double *p, double *e) { e[0] = y[0]; }\n",
     ".events = 1, .event = event, .event_names = COSTATE_NAMES(\"a\", \"b\"),",
     ".event_names has 2 values, but .events + .timed_events is 1"},
    {"static void reset(int k, double t, const double *y, const double *p, double *ynew) { ynew[0] = 0; }\n", ".reset = reset,",
     "the model has .reset but no events"},
    {"static void init(int mode, const double *p, double *y0) { y0[0] = mode; }\n", ".init = init,", "'init' has no mode"},
    {"static void terminal(int mode, double t, const double *y, const double *p, double *g) { g[0] = mode; }\n",
     ".terminal = terminal,", "'terminal' has a mode, and a model without events has none"},
    {"static void times(int mode, const double *p, double *tau) { tau[0] = p[0]; }\n",
     ".timed_events = 1, .event_times = times,", "'times' has no mode"},
    {"", ".timed_events = 1, .event_at = COSTATE_VALUES(1), .first_mode = -1,", ".first_mode is -1"},
    {"static double next(int k, double t, const double *y, const double *p) { return 0; }\n",
     ".timed_events = 1, .event_at = COSTATE_VALUES(1), .next_mode = next,", "returns a double"},
    {"static void on(int k, double t, const double *y, const double *p, double *g) { g[0] = 0; }\n",
     ".timed_events = 1, .event_at = COSTATE_VALUES(1), .on_event = on,", "are not those of .on_event"},
    {"static void on(int k, int i, double t, const double *y, const double *p, double *g) { if (k == 0) g[0] = 0; }\n",
     ".timed_events = 2, .event_at = COSTATE_VALUES(1, 2), .on_event = on,", "g[0] is not written"},
};

static void refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char file[100];
        snprintf(file, sizeof file, "%s/bad.c", root);
        FILE *f = fopen(file, "w");
        assert_non_null(f);
        fprintf(f, "#include <costate/model.h>\n"
                   "static void rhs(double t, const double *y, const double *p, double *f) { f[0] = -p[0] * y[0]; }\n%s"
                   "COSTATE_MODEL(bad, .states = 1, .params = 1, %s .p = COSTATE_VALUES(1), .t0 = 0, .t1 = 1, %s .rhs = rhs)\n",
                refused[i].functions, strstr(refused[i].functions, " init(") ? "" : ".y0 = COSTATE_VALUES(1),",
                refused[i].members);
        assert_int_equal(fclose(f), 0);
        costate_model *m = NULL;
        const int status = costate_model_open(&m, file, &(costate_model_options){.cache = "none"});
        const char *message = costate_model_message(m);
        if (status != COSTATE_MODEL_REFUSED || !strstr(message, refused[i].message) || !strstr(message, "bad.c:"))
            fail_msg("%s: %d: %s", refused[i].message, status, message);
        costate_model_close(m);
        unlink(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mode_is_seen),      cmocka_unit_test(modes_follow), cmocka_unit_test(what_the_problem_says),
        cmocka_unit_test(pattern_of_all_modes),  cmocka_unit_test(every_product), cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
