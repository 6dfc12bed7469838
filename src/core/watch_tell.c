/* watch_tell.c - what was found about conditions in the text, in words. See watch.h. */
#include "core/watch.h"

#include "base/sized.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const names[] = {"rhs", "running", "terminal", "observe", "init"};

/* Appends to text. */
static void say(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(char *text, size_t size, const char *format, ...)
{
    va_list args;
    const size_t length = strlen(text);
    va_start(args, format);
    vsnprintf(text + length, size - length, format, args);
    va_end(args);
}

/* "y[0]' jumps from 1 to 2", or the slope of it. */
static void say_jump(const costate_solver *s, costate_switch *x, const char *what)
{
    char buffer[32];
    const int rhs = strcmp(x->function, names[WATCH_RHS]) == 0;
    if (rhs) say(x->text, sizeof x->text, "%s%s'", what, cst__state_name(s, x->component, buffer));
    else say(x->text, sizeof x->text, "%sthe integrand of objective %d", what, x->component);
    say(x->text, sizeof x->text, " jumps from %.4g to %.4g", x->from, x->to);
}

/* Of what derivatives are incomplete. */
static void say_movers(const costate_solver *s, costate_switch *x, const char *which)
{
    char buffer[32];
    say(x->text, sizeof x->text, "%s", which);
    for (int i = 0; i < x->params; i++)
        say(x->text, sizeof x->text, "%s%s", i == 0 ? " with respect to " : i + 1 < x->params ? ", " : " and ",
            cst__param_name(s, x->param[i], buffer));
    say(x->text, sizeof x->text, " lack what the moving of that time adds");
}

/* As many digits of a time as make seven of those within the run. */
static int digits_of(const costate_solver *s, double t)
{
    const double more = ceil(log10(fabs(t) / fabs(s->t1 - s->t0)));
    return more > 9 ? 16 : more > 0 ? 7 + (int)more : 7;
}

static void put_text(const costate_solver *s, costate_switch *x)
{
    const costate_guard *g = x->guard;
    const int digits = digits_of(s, x->t);
    char *text = x->text;
    const size_t size = sizeof x->text;
    snprintf(text, size, "%s:%d:%d: '%s' ", g->file, g->line, g->column, g->text);
    switch (x->effect) {
    case COSTATE_SWITCH_JUMP:
        say(text, size, "changes at t = %.*g, where ", digits, x->t);
        say_jump(s, x, "");
        say_movers(s, x, ": derivatives");
        say(text, size, "; make it a smooth transition, or hold what moves it fixed");
        break;
    case COSTATE_SWITCH_KINK:
        say(text, size, "changes at t = %.*g, where ", digits, x->t);
        say_jump(s, x, "the slope of ");
        say_movers(s, x, ": first derivatives are right, second derivatives");
        say(text, size, "; make it a smooth transition");
        break;
    case COSTATE_SWITCH_TOUCH:
        say(text, size, "comes nearer to changing at t = %.*g than the tolerance tells, and there ", digits, x->t);
        say_jump(s, x, "");
        say(text, size, ": derivatives are those of one side; tighten rtol and atol, or make it a smooth transition");
        break;
    default:
        say(text, size, "of %s is met at t = %.*g where it changes: derivatives are those of one side", x->function, digits,
            x->t);
    }
}

int costate_switches_sized(const costate_solver *s, int i, costate_switch *found, size_t size)
{
    if (!s || !s->watch || !s->watch->on || !s->have_run || i < 0 || !found) return -1;
    for (int k = 0; k < s->watch->count; k++) {
        const watched *w = &s->watch->at[k];
        if (!w->found.effect || i-- > 0) continue;
        costate_switch x = {.guard = w->guard, .function = names[w->function], .effect = (costate_switch_effect)w->found.effect,
                            .t = w->found.t, .changes = w->changes, .component = w->found.component, .from = w->found.from,
                            .to = w->found.to, .params = w->found.params};
        memcpy(x.param, w->found.param, sizeof x.param);
        put_text(s, &x);
        sized_give(found, size, &x, sizeof x);
        return 0;
    }
    return -1;
}
