/* select.c - states, parameters and objectives by name. Variables are what derivatives are taken with respect to: the
 * parameters, and then the initial values, unless the model computes those. An initial value has the name of its state; where a
 * parameter has that name too, it is NAME(t0). */
#include "cli.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int cli_variables(const cli_session *s)
{
    return s->np + (s->initial ? s->n - s->problem.slopes : 0); /* those of slopes are guesses */
}

const char *cli_variable(const cli_session *s, int v)
{
    return v < s->np ? s->param[v] : s->start[v - s->np];
}

double cli_variable_value(const cli_session *s, int v)
{
    return v < s->np ? s->p[v] : s->y0[v - s->np];
}

char **cli_labels(const cli_session *s, const cli_choice *c)
{
    char **label = cli_take((size_t)c->count, sizeof *label);
    for (int k = 0; k < c->count; k++) {
        const int v = c->pick[k];
        label[k] = v < s->np ? cli_text("%s", s->param[v]) : cli_text("%s(t0)", s->state[v - s->np]);
    }
    return label;
}

void cli_labels_free(char **label, int count)
{
    for (int k = 0; k < count; k++) free(label[k]);
    free(label);
}

int *cli_library_variables(const cli_session *s, const cli_choice *c)
{
    int *list = cli_take((size_t)c->count, sizeof *list);
    for (int k = 0; k < c->count; k++) list[k] = c->pick[k] < s->np ? s->n + c->pick[k] : c->pick[k] - s->np;
    return list;
}

/* ---- finding ---------------------------------------------------------------------------------------------------------- */

typedef struct list { /* names to choose from */
    const char *what; /* "parameter" */
    int count;
    cli_namer *name;
    const void *context;
    int initial_from; /* names from here on may be followed by (t0) */
} list;

static const char *of_array(int i, const void *context)
{
    return ((const char *const *)context)[i];
}

static const char *of_variables(int i, const void *context)
{
    return cli_variable(context, i);
}

static int find(const list *l, const char *word, int length)
{
    const int bare = length > 4 && !memcmp(word + length - 4, "(t0)", 4) ? length - 4 : 0;
    for (int i = 0; i < l->count; i++) {
        const char *name = l->name(i, l->context);
        if (!strncmp(name, word, (size_t)length) && !name[length]) return i;
        if (bare && i >= l->initial_from && !strncmp(name, word, (size_t)bare) && !name[bare]) return i;
    }
    return -1;
}

static void describe_unknown(const cli_session *s, const list *l, const char *word, int length, char why[512])
{
    char some[256] = "";
    const int near = cli_nearest(word, length, l->count, l->name, l->context);
    if (near >= 0) {
        snprintf(why, 512, "there is no %s '%.*s' in %s; did you mean '%s'?", l->what, length, word, s->about.name,
                 l->name(near, l->context));
        return;
    }
    for (int i = 0; i < l->count && i < 8; i++) {
        const size_t used = strlen(some);
        snprintf(some + used, sizeof some - used, "%s%s%s", i ? ", " : "", l->name(i, l->context),
                 i == 7 && l->count > 8 ? ", ..." : "");
    }
    snprintf(why, 512, "there is no %s '%.*s' in %s%s%s", l->what, length, word, s->about.name,
             l->count ? ", but " : ", which has none", some);
}

static int unknown(const cli_session *s, const list *l, const char *word, int length)
{
    char why[512];
    describe_unknown(s, l, word, length, why);
    return cli_usage(s->request->command->name, "%s", why);
}

static list variables(const cli_session *s)
{
    return (list){s->initial ? "parameter or initial value" : "parameter", cli_variables(s), of_variables, s, s->np};
}

int cli_find_variable(const cli_session *s, const char *word, int length, char why[512])
{
    const list l = variables(s);
    const int i = find(&l, word, length);
    if (i < 0) describe_unknown(s, &l, word, length, why);
    return i;
}

/* ---- NAME=VALUE ------------------------------------------------------------------------------------------------------- */

/* Whether --param was given the name of a state, or --y0 that of a parameter; then it is told. */
static int elsewhere(const cli_session *s, const cli_option_info *info, const char *word, int length)
{
    const int state = !strcmp(info->name, "param"), param = !strcmp(info->name, "y0");
    const list other = {state ? "state" : "parameter", state ? s->n : s->np, of_array, state ? s->state : s->param, INT_MAX};
    if ((!state && !param) || find(&other, word, length) < 0) return 0;
    cli_usage(s->request->command->name, "'%.*s' is a %s of %s: --%s sets it", length, word, other.what, s->about.name,
              state ? "y0" : "param");
    return 1;
}

/* One assignment; names are those of l, and value[i] is that of name i. */
static int assign(const cli_session *s, const list *l, const cli_option_info *info, const char *item, int length, double **value)
{
    const char *command = s->request->command->name, *equals = memchr(item, '=', (size_t)length);
    double x;
    if (!equals || equals == item)
        return cli_usage(command, "--%s takes %s, not '%.*s'", info->name, info->argument, length, item);
    const char *number = equals + 1;
    int name = (int)(equals - item), digits = length - name - 1;
    cli_trim(&item, &name);
    cli_trim(&number, &digits);
    const int i = find(l, item, name);
    if (i < 0) return elsewhere(s, info, item, name) ? EXIT_USAGE : unknown(s, l, item, name);
    if (cli_number(number, digits, &x))
        return cli_usage(command, "--%s %.*s: '%.*s' is not a finite number", info->name, length, item, digits, number);
    *value[i] = x;
    return EXIT_GOOD;
}

int cli_assign(cli_session *s, int option, double *of_params, double *of_states)
{
    cli_option_info info;
    cli_option(option, &info);
    const list l = of_params && of_states ? variables(s)
                   : of_params            ? (list){"parameter", s->np, of_array, s->param, s->np}
                                          : (list){"state", s->n, of_array, s->state, 0};
    double **value = cli_take((size_t)l.count, sizeof *value);
    for (int i = 0; i < l.count; i++) value[i] = of_params && i < s->np ? &of_params[i] : &of_states[of_params ? i - s->np : i];
    int code = EXIT_GOOD, length;
    const char *text, *item;
    for (int at = 0; !code && (text = cli_next(s->request, option, &at));)
        while (!code && (length = cli_item(&text, &item)) >= 0) code = assign(s, &l, &info, item, length, value);
    free(value);
    return code;
}

/* ---- lists of names --------------------------------------------------------------------------------------------------- */

static void add(cli_choice *c, char *chosen, int i)
{
    if (!chosen[i]) c->pick[c->count++] = i;
    chosen[i] = 1;
}

/* An item is a name, a pattern, or one of two words for many. */
static int choose(const cli_session *s, const list *l, const char *item, int length, char *chosen, cli_choice *c)
{
    char pattern[128];
    int found = 0;
    const int i = find(l, item, length);
    if (i >= 0) return add(c, chosen, i), EXIT_GOOD;
    snprintf(pattern, sizeof pattern, "%.*s", length, item);
    const int params = !strcmp(pattern, "params"), initial = !strcmp(pattern, "initial");
    const int variables_too = l->name == of_variables, glob = strpbrk(pattern, "*?") != NULL;
    for (int k = 0; k < l->count; k++)
        if ((variables_too && ((params && k < s->np) || (initial && k >= s->np))) ||
            (glob && !fnmatch(pattern, l->name(k, l->context), 0))) {
            add(c, chosen, k);
            found = 1;
        }
    return found ? EXIT_GOOD : unknown(s, l, item, length);
}

static int choose_all(cli_session *s, const list *l, int option, int preset, cli_choice *c)
{
    const char *text, *item;
    int code = EXIT_GOOD, length;
    char *chosen = cli_take((size_t)l->count, 1);
    *c = (cli_choice){.pick = cli_take((size_t)l->count, sizeof *c->pick)};
    for (int at = 0; !code && (text = cli_next(s->request, option, &at));)
        while (!code && (length = cli_item(&text, &item)) >= 0) code = choose(s, l, item, length, chosen, c);
    if (!cli_value(s->request, option))
        for (int i = 0; i < preset; i++) c->pick[c->count++] = i;
    free(chosen);
    return code;
}

int cli_choose_variables(cli_session *s, int all, cli_choice *c)
{
    const list l = variables(s);
    return choose_all(s, &l, OPT_WRT, all || !s->np ? l.count : s->np, c);
}

enum { MANY = 500 }; /* final states that nobody asked for */

int cli_choose_objectives(cli_session *s, cli_choice *c)
{
    const int by_default = s->objective[0] == s->state[0] && !cli_value(s->request, OPT_OBJECTIVE);
    *c = (cli_choice){0};
    if (by_default && s->objectives > MANY)
        return cli_usage(s->request->command->name,
                         "%s has no objectives, and its %d final states are too many\n"
                         "  try: --objective NAME,... ('*': all), a terminal function in the model, costate tangent",
                         s->about.name, s->objectives);
    const list l = {"objective", s->objectives, of_array, s->objective, s->objectives};
    return choose_all(s, &l, OPT_OBJECTIVE, l.count, c);
}

int cli_bars(const cli_session *s)
{
    return cli_value(s->request, OPT_BARS) != NULL;
}
