/* program.c - a program of a user's, built by run.py against the header as it is, against an older one whose structs lack their
 * last members, and against a newer one whose structs have one more, `future`. Its structs have guards behind them. */
#include <costate/costate.h>
#include <stdio.h>
#include <string.h>

enum { GUARD = 64, MEMBERS = 3, FILL = 0x5a };

#define GUARDED(type) \
    struct {          \
        type it;      \
        unsigned char guard[GUARD]; \
    }
#define SET_GUARD(x) memset(&(x), FILL, sizeof(x))

static int failures;

static void expect(int good, const char *what)
{
    if (!good) printf("failed: %s\n", what), failures++;
}

static void intact(const unsigned char *guard, const char *what)
{
    for (int i = 0; i < GUARD; i++) expect(guard[i] == FILL, what);
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = -p[0] * y[0];
    return 0;
}

static const costate_problem decay = {.n = 1, .np = 1, .rhs = rhs};

/* What the calls fill is filled, and nothing behind it. */
static void fills(costate_solver *s)
{
    GUARDED(costate_stats) stats;
    GUARDED(costate_certificate) certificate;
    GUARDED(costate_option_info) info;
    GUARDED(costate_linsol_info) linsol;
    const double p[] = {2}, y[] = {1};
    SET_GUARD(stats), SET_GUARD(certificate), SET_GUARD(info), SET_GUARD(linsol);
    expect(!costate_check(s, 0, 1, p, y, &certificate.it) && certificate.it.holds, "the certificate");
    intact(certificate.guard, "behind the certificate");
    expect(!costate_get_stats(s, &stats.it) && stats.it.steps > 0 && !strcmp(stats.it.method, "dopri5"), "the statistics");
    intact(stats.guard, "behind the statistics");
    expect(!costate_option(1, &info.it) && !strcmp(info.it.name, "rtol"), "an option");
    intact(info.guard, "behind an option");
    expect(!costate_linsol(1, &linsol.it) && !strcmp(linsol.it.name, "dense") && linsol.it.formats, "a linear solver");
    intact(linsol.guard, "behind a linear solver");
#ifdef NEWER
    expect(!stats.it.future && !certificate.it.future && !info.it.future, "what the library does not know is zero");
#endif
}

static void ensemble(costate_solver *s)
{
    GUARDED(costate_member) last;
    costate_member member[MEMBERS];
    double y[] = {1, 1, 1}, p[] = {1, 2, 3};
    const costate_members all = {.count = MEMBERS, .t1 = 1, .p = p, .y = y, .member = member};
    memset(member, FILL, sizeof member);
    SET_GUARD(last);
    expect(!costate_ensemble(s, &all), "the ensemble");
    for (int k = 0; k < MEMBERS; k++) expect(!member[k].status && member[k].steps > 0, "a member");
    const costate_members one = {.count = 1, .t1 = 1, .p = p, .y = y, .member = &last.it};
    expect(!costate_ensemble(s, &one), "the ensemble of one");
    intact(last.guard, "behind a member");
}

/* A table of its own: what an older program leaves out is not read from behind it. */
static void table(void)
{
    static const double a[] = {0, 0, 1, 0}, b[] = {0.5, 0.5}, e[] = {-0.5, 0.5};
    GUARDED(costate_table) heun;
    SET_GUARD(heun);
    heun.it = (costate_table){
        .name = "heun", .family = COSTATE_ERK, .stages = 2, .order = 2, .embedded_order = 1, .a = a, .b = b, .e = e};
    costate_options options = costate_defaults(NULL);
    options.table = &heun.it;
    costate_solver *s = NULL;
    double y[] = {1}, p[] = {2};
    expect(!costate_create(&s, &decay, &options) && !costate_solve(s, 0, 1, p, y), "a table of one's own");
    costate_free(s);
}

#ifdef NEWER
static void refused(const costate_problem *problem, const costate_options *options, const char *name)
{
    costate_solver *s = NULL;
    expect(costate_create(&s, problem, options) == -19, name);
    expect(strstr(costate_message(s), name) != NULL, costate_message(s));
    costate_free(s);
}

static void newer(void)
{
    costate_problem problem = decay;
    problem.future = 1;
    refused(&problem, NULL, "costate_problem");
    costate_options options = costate_defaults(NULL);
    options.future = 1;
    refused(&decay, &options, "costate_options");
    options = costate_defaults("rodas4");
    const costate_linear_solver own = {.name = "own", .future = 1};
    options.linear_solver = &own;
    refused(&decay, &options, "costate_linear_solver");
    options = costate_defaults("rodas4");
    const costate_preconditioner near = {.future = 1};
    options.preconditioner = &near;
    refused(&decay, &options, "costate_preconditioner");
    const costate_table heun = {.name = "heun", .future = 1};
    options = costate_defaults(NULL);
    options.table = &heun;
    refused(&decay, &options, "costate_table");
}
#endif

int main(void)
{
    GUARDED(costate_options) options;
    SET_GUARD(options);
    options.it = costate_defaults("dopri5");
    intact(options.guard, "behind the options");
    costate_solver *s = NULL;
    double p[] = {2}, y[] = {1}, lambda[] = {1}, mu[1];
    int status = costate_create(&s, &decay, &options.it);
    if (!status) status = costate_solve(s, 0, 1, p, y);
    if (!status) status = costate_adjoint(s, 1, lambda, mu);
    expect(!status, costate_message(s));
    printf("%.15g %.15g %.15g\n", y[0], lambda[0], mu[0]);
    fills(s);
    ensemble(s);
    table();
#ifdef NEWER
    newer();
#endif
    costate_free(s);
    return failures != 0;
}
