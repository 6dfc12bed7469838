/* compute.c - a command's work with a solver: made, watched, asked what it cost, and reported if it fails. */
#include "cli.h"

/* For those who name an explicit method on a stiff model, and only wait. */
void cli_stiff_hint(cli_session *s)
{
    enum { MANY = 500 }; /* steps that are worth a hint */
    const costate_stats *a = &s->stats;
    if (*s->choice || a->steps < MANY || 2 * a->limited < a->steps) return;
    cli_warn(&s->out,
             "the model is stiff: %lld of %lld steps of %s are due to its stability, not to the tolerance; try --method auto",
             (long long)a->limited, (long long)a->steps, s->method);
}

int cli_compute(cli_session *s, cli_work *work, void *context)
{
    costate_solver *solver = NULL;
    int code = EXIT_GOOD;
    progress_start(s->request, s->request->command->bit == CLI_CHECK ? "checking" : "integrating");
    progress_follow(&s->problem, s->t0, s->t1);
    int status = cli_solver(s, &solver);
    if (!status && s->found.wanted > 0) status = cli_attain(s, solver);
    if (!status) status = work(s, solver, context);
    if (!status || status == COSTATE_CHECK_FAILED) cli_switch_warnings(s, solver);
    progress_stop();
    costate_get_stats(solver, &s->stats);
    snprintf(s->linsol, sizeof s->linsol, "%s", s->stats.linsol);
    snprintf(s->method, sizeof s->method, "%s", s->stats.method);
    snprintf(s->choice, sizeof s->choice, "%s", s->stats.choice);
    snprintf(s->adjusted, sizeof s->adjusted, "%s", s->stats.start);
    if (!status && *s->adjusted) cli_warn(&s->out, "initial values were made consistent: %s", s->adjusted);
    if (!status && *s->stats.warning) cli_warn(&s->out, "%s", s->stats.warning);
    if (status) code = status == COSTATE_CHECK_FAILED ? EXIT_CHECK : cli_failed(s, solver, status);
    costate_free(solver);
    return code;
}
