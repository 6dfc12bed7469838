/* switches.c - warnings about conditions in the model's text that make derivatives doubtful (costate_switches). */
#include "cli.h"

enum { TOLD = 5 }; /* that are told in full */

/* 1: derivatives that were asked for lack something. Kinks take nothing from first ones, and a time that certain parameters alone
 * move takes nothing from others. */
static int concerns(const cli_session *s, const costate_switch *x)
{
    const int second = s->request->command->bit & (CLI_HESSIAN | CLI_CHECK);
    if (x->effect == COSTATE_SWITCH_KINK && !second) return 0;
    if (x->params < 0 || !s->wrt) return 1;
    for (int i = 0; i < x->params; i++)
        for (int k = 0; k < s->wrt->count; k++)
            if (s->wrt->pick[k] == x->param[i]) return 1;
    return 0;
}

void cli_switch_warnings(cli_session *s, const costate_solver *solver)
{
    costate_switch x;
    int count = 0;
    if (!(s->request->command->bit & (CLI_GRADIENT | CLI_TANGENT | CLI_HESSIAN | CLI_CHECK))) return;
    for (int i = 0; costate_switches(solver, i, &x) == 0; i++)
        if (concerns(s, &x) && count++ < TOLD) cli_warn(&s->out, "%s", x.text);
    if (count > TOLD) cli_warn(&s->out, "%d more conditions of the model make derivatives doubtful", count - TOLD);
}
