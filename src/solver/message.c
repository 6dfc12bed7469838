/* message.c - every failure says what, where and what to try; the general words come from errors.def. */
#include "solver/solver.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct error_text {
    int code;
    const char *what, *advice;
} error_text;

static const error_text errors[] = {
#define COSTATE_ERROR(name, code, what, advice) {code, what, advice},
#include <costate/errors.def>
#undef COSTATE_ERROR
};

static const error_text *find(int code)
{
    static const error_text unknown = {0, "unknown status", "use a code of errors.def"};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code) return &errors[i];
    return &unknown;
}

static int in_order(const costate_solver *s, const double *times, int count)
{
    int k = 1;
    while (k < count && !((times[k] - times[k - 1]) * (s->t1 - s->t0) < 0)) k++;
    return k >= count;
}

/* What to try. To those whose method is implicit already another one is no advice, nor is it to sort what is in order. */
static const char *advice(const costate_solver *s, int code)
{
    const int implicit = s->table && s->table->family != COSTATE_ERK;
    if (implicit && code == COSTATE_ERR_STEP)
        return "loosen the tolerances, or look for a singularity or a jump of the right-hand side there";
    if (implicit && code == COSTATE_ERR_MAX_STEPS) return "raise max_steps, or loosen the tolerances";
    if (code == COSTATE_ERR_TIMES && in_order(s, s->prob.observe_at, s->prob.observations) &&
        in_order(s, s->out.times, s->out.count))
        return "choose t0 and t1 so that all of them lie between";
    return find(code)->advice;
}

const char *costate_status_text(int status)
{
    return find(status)->what;
}

const char *costate_message(const costate_solver *s)
{
    return s ? s->message : "out of memory: no solver was made; try: freeing memory or a smaller problem";
}

const char *costate_reason(const costate_solver *s)
{
    return s ? s->reason : "out of memory: no solver was made";
}

const char *costate_advice(const costate_solver *s)
{
    return !s ? "freeing memory or a smaller problem" : s->status ? advice(s, s->status) : "";
}

static void compose(costate_solver *s, int code, const char *format, va_list args)
{
    const error_text *e = find(code);
    size_t size = sizeof s->reason;
    int len = snprintf(s->reason, size, "%s: ", e->what);
    if (len > 0 && (size_t)len < size) vsnprintf(s->reason + len, size - (size_t)len, format, args);
    snprintf(s->message, sizeof s->message, "%s; try: %s", s->reason, advice(s, code));
    s->status = code;
}

int cst__fail_at(costate_solver *s, int code, double t, double h, int64_t n, int stage, int component, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    compose(s, code, format, args);
    va_end(args);
    s->stats.fail_t = t;
    s->stats.fail_h = h;
    s->stats.fail_step = n;
    s->stats.fail_stage = stage;
    s->stats.fail_component = component;
    return code;
}

int cst__fail(costate_solver *s, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    compose(s, code, format, args);
    va_end(args);
    s->stats.fail_t = s->stats.fail_h = NAN;
    s->stats.fail_step = s->stats.fail_stage = s->stats.fail_component = -1;
    return code;
}

static const char *name(const char *const *names, int i, char letter, char buffer[32])
{
    if (names && names[i]) return names[i];
    snprintf(buffer, 32, "%c[%d]", letter, i);
    return buffer;
}

const char *cst__state_name(const costate_solver *s, int i, char buffer[32])
{
    const int states = s->prob.n - s->prob.slopes;
    char of[32];
    if (i < states) return name(s->prob.state_names, i, 'y', buffer);
    snprintf(buffer, 32, "%.30s'", name(s->prob.state_names, i - states, 'y', of));
    return buffer;
}

const char *cst__equation(const costate_solver *s, int i, char buffer[64])
{
    char one[32];
    const int states = s->prob.n - s->prob.slopes;
    if (i < states) snprintf(buffer, 64, "the algebraic equation of %s", cst__state_name(s, i, one));
    else snprintf(buffer, 64, "residual[%d]", i - states);
    return buffer;
}

const char *cst__param_name(const costate_solver *s, int i, char buffer[32])
{
    return name(s->prob.param_names, i, 'p', buffer);
}

enum { NAMED = 3 };

name_list cst__names(char *text, size_t size, int equations)
{
    text[0] = 0;
    return (name_list){text, size, 0, equations};
}

void cst__names_add(const costate_solver *s, name_list *l, int i)
{
    const size_t at = strlen(l->text);
    char one[64];
    if (l->count++ < NAMED)
        snprintf(l->text + at, l->size - at, "%s%s", l->count > 1 ? ", " : "",
                 l->equations ? cst__equation(s, i, one) : cst__state_name(s, i, one));
}

void cst__names_end(const name_list *l)
{
    const size_t at = strlen(l->text);
    if (l->count > NAMED) snprintf(l->text + at, l->size - at, " and %d more", l->count - NAMED);
}
