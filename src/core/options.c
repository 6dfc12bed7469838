/* options.c - defaults, bounds and texts of the options, all from options.def. */
#include "core/create.h"

#include "base/sized.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum option_type { REAL, WHOLE, BYTES, TEXT } option_type;

typedef struct option_line {
    const char *name;
    option_type type;
    size_t at; /* in costate_options */
    double real, lo, hi;
    int64_t whole, least, most;
    const char *text, *choices, *help, *preset;
    option_affects affects;
} option_line;

static const option_line lines[] = {
#define COSTATE_REAL(id, def, lo_, hi_, affects_, help_)                                                                        \
    {.name = #id, .type = REAL, .at = offsetof(costate_options, id), .real = def, .lo = lo_, .hi = hi_, .help = help_,          \
     .preset = #def, .affects = AFFECTS_##affects_},
#define COSTATE_WHOLE(id, def, lo_, hi_, affects_, help_)                                                                       \
    {.name = #id, .type = WHOLE, .at = offsetof(costate_options, id), .whole = def, .least = lo_, .most = hi_, .help = help_,   \
     .preset = #def, .affects = AFFECTS_##affects_},
#define COSTATE_BYTES(id, def, lo_, hi_, affects_, help_)                                                                       \
    {.name = #id, .type = BYTES, .at = offsetof(costate_options, id), .whole = def, .least = lo_, .most = hi_, .help = help_,   \
     .preset = #def, .affects = AFFECTS_##affects_},
#define COSTATE_TEXT(id, def, choices_, affects_, help_)                                                                        \
    {.name = #id, .type = TEXT, .at = offsetof(costate_options, id), .text = def, .choices = choices_, .help = help_,           \
     .preset = def, .affects = AFFECTS_##affects_},
#include <costate/options.def>
};

#define MEMBER(type, options, line) ((type *)(void *)((char *)(options) + (line)->at))

costate_options cst__options_preset(const char *method)
{
    costate_options o;
    memset(&o, 0, sizeof o);
    for (int i = 0; i < OPTION_COUNT; i++) {
        const option_line *l = &lines[i];
        if (l->type == REAL) *MEMBER(double, &o, l) = l->real;
        else if (l->type == TEXT) *MEMBER(const char *, &o, l) = l->text;
        else *MEMBER(int64_t, &o, l) = l->whole;
    }
    if (method) o.method = method;
    return o;
}

void costate_defaults_sized(costate_options *options, size_t size, const char *method)
{
    const costate_options own = cst__options_preset(method);
    if (options) sized_give(options, size, &own, sizeof own);
}

int costate_option_sized(int i, costate_option_info *info, size_t size)
{
    static const char *const types[] = {"real", "whole", "bytes", "text"};
    if (i < 0 || i >= OPTION_COUNT || !info) return -1;
    const option_line *l = &lines[i];
    const costate_option_info own = {.name = l->name,
                                     .type = types[l->type],
                                     .preset = l->preset,
                                     .choices = l->choices ? l->choices : "",
                                     .help = l->help,
                                     .lo = l->type == REAL ? l->lo : (double)l->least,
                                     .hi = l->type == REAL ? l->hi : (double)l->most};
    sized_give(info, size, &own, sizeof own);
    return 0;
}

/* Is `value` one of "a|b|c"? */
static int chosen(const char *choices, const char *value)
{
    size_t len = strlen(value);
    for (const char *c = choices; c; c = strchr(c, '|')) {
        if (*c == '|') c++;
        if (!strncmp(c, value, len) && (c[len] == '|' || c[len] == 0)) return 1;
    }
    return 0;
}

static int check_line(costate_solver *s, const option_line *l)
{
    if (l->type == REAL) {
        double v = *MEMBER(double, &s->opt, l);
        int code = !strcmp(l->name, "rtol") || !strcmp(l->name, "atol") ? COSTATE_ERR_TOLERANCE : COSTATE_ERR_VALUE;
        if (!(v >= l->lo && v <= l->hi) || isinf(v))
            return cst__fail(s, code, "%s = %g is not in [%g, %g]", l->name, v, l->lo, l->hi);
    } else if (l->type == TEXT) {
        const char *v = *MEMBER(const char *, &s->opt, l);
        if (!v) return cst__fail(s, COSTATE_ERR_NULL, "option %s", l->name);
        if (l->choices[0] && !chosen(l->choices, v))
            return cst__fail(s, COSTATE_ERR_VALUE, "%s = \"%s\" is none of %s", l->name, v, l->choices);
    } else {
        int64_t v = *MEMBER(int64_t, &s->opt, l);
        int code = l->type == BYTES ? COSTATE_ERR_BUDGET : COSTATE_ERR_VALUE;
        if (v < l->least || v > l->most)
            return cst__fail(s, code, "%s = %lld is not in [%lld, %lld]", l->name, (long long)v, (long long)l->least,
                             (long long)l->most);
    }
    return 0;
}

int cst__options_check(costate_solver *s)
{
    const costate_options *o = &s->opt;
    for (int i = 0; i < OPTION_COUNT; i++) TRY(check_line(s, &lines[i]));
    if (!!o->allocator.alloc != !!o->allocator.release)
        return cst__fail(s, COSTATE_ERR_ALLOCATOR, "one of alloc and release is NULL");
    if (!o->atols && o->rtol == 0 && o->atol == 0) return cst__fail(s, COSTATE_ERR_TOLERANCE, "rtol and atol are both zero");
    if (o->hmax > 0 && o->hmin > o->hmax)
        return cst__fail(s, COSTATE_ERR_VALUE, "hmin = %g is larger than hmax = %g", o->hmin, o->hmax);
    if (o->step > 0 && o->h0 > 0)
        return cst__fail(s, COSTATE_ERR_VALUE, "h0 = %g has no meaning with fixed steps of %g", o->h0, o->step);
    for (int i = 0; o->atols && i < s->prob.n; i++) {
        char buffer[32];
        if (!(o->atols[i] >= 0) || isinf(o->atols[i]) || (o->rtol == 0 && o->atols[i] == 0))
            return cst__fail(s, COSTATE_ERR_TOLERANCE, "atols[%d] = %g (%s) with rtol = %g", i, o->atols[i],
                             cst__state_name(s, i, buffer), o->rtol);
    }
    return 0;
}

int cst__option_own(costate_solver *s, int i)
{
    if (lines[i].type != TEXT) return 0;
    const char **member = MEMBER(const char *, &s->opt, &lines[i]);
    size_t size = strlen(*member) + 1;
    char *copy = cst__alloc(&s->alloc, size, 1);
    if (!copy) return cst__fail(s, COSTATE_ERR_MEMORY, "option %s", lines[i].name);
    memcpy(copy, *member, size);
    cst__release(&s->alloc, s->texts[i]);
    s->texts[i] = copy;
    *member = copy;
    return 0;
}

option_affects cst__option_affects(int i)
{
    return lines[i].affects;
}

/* A whole number, for sizes with a suffix K, M, G or T (powers of 1024) and perhaps a fraction; 0 if `text` is one. */
static int parse_whole(const char *text, int bytes, int64_t *value)
{
    char *end;
    errno = 0;
    long long whole = strtoll(text, &end, 10);
    if (end != text && !*end && !errno) {
        *value = whole;
        return 0;
    }
    double v = strtod(text, &end), unit = 1;
    if (end == text || !bytes || !*end) return -1;
    switch (*end) {
    case 'K': case 'k': unit = 1024.0; break;
    case 'M': unit = 1048576.0; break;
    case 'G': unit = 1073741824.0; break;
    case 'T': unit = 1099511627776.0; break;
    default: return -1;
    }
    end += end[1] == 'i' ? 2 : 1;
    if (*end == 'B') end++;
    if (*end || !(fabs(v * unit) < 9e18)) return -1;
    *value = (int64_t)(v * unit);
    return 0;
}

static int find_option(const char *name)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (!strcmp(lines[i].name, name)) return i;
    return -1;
}

static int unknown(costate_solver *s, const char *name)
{
    char list[512] = "";
    for (int i = 0; i < OPTION_COUNT; i++) {
        size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", lines[i].name);
    }
    return cst__fail(s, COSTATE_ERR_OPTION, "\"%s\" is none of %s", name, list);
}

int cst__option_set(costate_solver *s, const char *name, const char *value, int *which)
{
    static const char *const kinds[] = {[REAL] = "number", [WHOLE] = "whole number", [BYTES] = "size"};
    *which = find_option(name);
    if (*which < 0) return unknown(s, name);
    const option_line *l = &lines[*which];
    char *end;
    int bad = 0;
    if (l->type == REAL) {
        *MEMBER(double, &s->opt, l) = strtod(value, &end);
        bad = end == value || *end;
    } else if (l->type == TEXT) *MEMBER(const char *, &s->opt, l) = value;
    else bad = parse_whole(value, l->type == BYTES, MEMBER(int64_t, &s->opt, l));
    return bad ? cst__fail(s, COSTATE_ERR_VALUE, "%s = \"%s\" is not a %s", name, value, kinds[l->type]) : 0;
}
