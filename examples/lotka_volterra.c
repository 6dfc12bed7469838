/* lotka_volterra.c - how many prey there are at the end, and what that depends on.
 *
 *     prey'     =  alpha prey - beta prey predator
 *     predator' = -gamma predator + delta prey predator
 *
 * Prints the final state, the gradient of prey(10) with respect to parameters and initial state, what it cost, and the
 * certificate that these numbers are the derivatives of what was computed. The derivative products are written by hand; they work
 * on blocks, w lanes innermost, and take NULL for what is zero (inputs) or not wanted (outputs). */
#include <costate/costate.h>

#include <stdio.h>

enum { PREY, PREDATOR, STATES };
enum { ALPHA, BETA, GAMMA, DELTA, PARAMS };

static double get(const double *block, int i)
{
    return block ? block[i] : 0;
}

static void add(double *block, int i, double value)
{
    if (block) block[i] += value;
}

/* ---- the model ---------------------------------------------------------------------------------------------------- */

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[PREY] = p[ALPHA] * y[PREY] - p[BETA] * y[PREY] * y[PREDATOR];
    f[PREDATOR] = -p[GAMMA] * y[PREDATOR] + p[DELTA] * y[PREY] * y[PREDATOR];
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    (void)t, (void)tdot, (void)data;
    const double prey = y[PREY], pred = y[PREDATOR];
    for (int l = 0; l < w; l++) {
        const double prey_ = get(ydot, PREY * w + l), pred_ = get(ydot, PREDATOR * w + l);
        const double meet = prey * pred, meet_ = prey_ * pred + prey * pred_;
        fdot[PREY * w + l] =
            get(pdot, ALPHA * w + l) * prey + p[ALPHA] * prey_ - get(pdot, BETA * w + l) * meet - p[BETA] * meet_;
        fdot[PREDATOR * w + l] =
            -get(pdot, GAMMA * w + l) * pred - p[GAMMA] * pred_ + get(pdot, DELTA * w + l) * meet + p[DELTA] * meet_;
    }
    return 0;
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)t, (void)data;
    const double prey = y[PREY], pred = y[PREDATOR], meet = prey * pred;
    for (int l = 0; l < w; l++) {
        const double u0 = u[PREY * w + l], u1 = u[PREDATOR * w + l];
        const double meetb = p[DELTA] * u1 - p[BETA] * u0; /* what reaches prey * pred */
        add(yb, PREY * w + l, p[ALPHA] * u0 + pred * meetb);
        add(yb, PREDATOR * w + l, -p[GAMMA] * u1 + prey * meetb);
        add(pb, ALPHA * w + l, prey * u0);
        add(pb, BETA * w + l, -meet * u0);
        add(pb, GAMMA * w + l, -pred * u1);
        add(pb, DELTA * w + l, meet * u1);
    }
    return 0;
}

/* vjp, and each of its lines differentiated: a trailing underscore is the derivative along the direction. */
static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    (void)tdot;
    const double prey = y[PREY], pred = y[PREDATOR], meet = prey * pred;
    for (int l = 0; l < w; l++) {
        const double prey_ = get(ydot, PREY * w + l), pred_ = get(ydot, PREDATOR * w + l), meet_ = prey_ * pred + prey * pred_;
        const double u0 = u[PREY * w + l], u0_ = get(udot, PREY * w + l);
        const double u1 = u[PREDATOR * w + l], u1_ = get(udot, PREDATOR * w + l);
        const double meetb = p[DELTA] * u1 - p[BETA] * u0;
        const double meetb_ = get(pdot, DELTA * w + l) * u1 + p[DELTA] * u1_ - get(pdot, BETA * w + l) * u0 - p[BETA] * u0_;
        add(ybdot, PREY * w + l, get(pdot, ALPHA * w + l) * u0 + p[ALPHA] * u0_ + pred_ * meetb + pred * meetb_);
        add(ybdot, PREDATOR * w + l, -get(pdot, GAMMA * w + l) * u1 - p[GAMMA] * u1_ + prey_ * meetb + prey * meetb_);
        add(pbdot, ALPHA * w + l, prey_ * u0 + prey * u0_);
        add(pbdot, BETA * w + l, -meet_ * u0 - meet * u0_);
        add(pbdot, GAMMA * w + l, -pred_ * u1 - pred * u1_);
        add(pbdot, DELTA * w + l, meet_ * u1 + meet * u1_);
    }
    return vjp(t, y, p, w, u, yb, pb, data);
}

/* ---- the objective: prey at the end -------------------------------------------------------------------------------- */

static int end(int k, double t, const double *y, const double *p, double *g, void *data)
{
    (void)k, (void)t, (void)p, (void)data;
    g[0] = y[PREY];
    return 0;
}

static int end_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                   const double *pdot, double *gdot, void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)tdot, (void)pdot, (void)data;
    for (int l = 0; l < w; l++) gdot[l] = get(ydot, PREY * w + l);
    return 0;
}

static int end_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)pb, (void)data;
    for (int l = 0; l < w; l++) add(yb, PREY * w + l, u[l]);
    return 0;
}

static int end_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                       const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                       double *pbdot, void *data)
{
    (void)tdot, (void)ydot, (void)pdot, (void)pbdot;
    for (int l = 0; l < w; l++) add(ybdot, PREY * w + l, get(udot, l));
    return end_vjp(k, t, y, p, w, u, yb, pb, data);
}

/* ---- the run ------------------------------------------------------------------------------------------------------- */

static const char *const state_names[STATES] = {"prey", "predator"};
static const char *const param_names[PARAMS] = {"alpha", "beta", "gamma", "delta"};
static const double start[STATES] = {10, 5}, p[PARAMS] = {1.1, 0.4, 0.4, 0.1}, t0 = 0, t1 = 10;

static void print(const double *y, const double *dy0, const double *dp, const costate_stats *stats)
{
    printf("state at t = %g\n", t1);
    for (int i = 0; i < STATES; i++) printf("    %-16s %18.12f\n", state_names[i], y[i]);
    printf("\ngradient of prey(%g)\n", t1);
    for (int i = 0; i < PARAMS; i++) printf("    d/d %-12s %18.12f\n", param_names[i], dp[i]);
    for (int i = 0; i < STATES; i++) {
        char label[32];
        snprintf(label, sizeof label, "%s(%g)", state_names[i], t0);
        printf("    d/d %-12s %18.12f\n", label, dy0[i]);
    }
    printf("\n%s: %lld steps, %lld rejected; calls: %lld rhs, %lld vjp\n", stats->method, (long long)stats->steps,
           (long long)stats->rejected, (long long)stats->rhs, (long long)stats->vjp);
}

static int run(costate_solver *s)
{
    double y[STATES] = {start[PREY], start[PREDATOR]}, dy0[STATES], dp[PARAMS];
    costate_stats stats;
    int status = costate_solve(s, t0, t1, p, y);
    if (!status) status = costate_gradient(s, 1, NULL, dy0, dp);
    if (!status) status = costate_get_stats(s, &stats);
    if (status) return status;
    print(y, dy0, dp, &stats);

    costate_certificate certificate;
    status = costate_check(s, t0, t1, p, start, &certificate);
    if (!status || status == COSTATE_CHECK_FAILED) printf("\n%s\n", certificate.text);
    return status;
}

int main(void)
{
    const costate_problem problem = {
        .n = STATES,
        .np = PARAMS,
        .rhs = rhs,
        .jvp = jvp,
        .vjp = vjp,
        .vjp_dot = vjp_dot,
        .objectives = 1,
        .terminal = {.eval = end, .jvp = end_jvp, .vjp = end_vjp, .vjp_dot = end_vjp_dot},
        .state_names = state_names,
        .param_names = param_names,
    };
    costate_options options = costate_defaults("dopri5");
    options.rtol = 1e-9;

    costate_solver *s = NULL;
    int status = costate_create(&s, &problem, &options);
    if (!status) status = run(s);
    if (status) fprintf(stderr, "%s: %s\n", costate_status_text(status), costate_message(s));
    costate_free(s);
    return status ? 1 : 0;
}
