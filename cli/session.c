/* session.c - a model with the values of the command line, ready to be integrated. */
#include "cli.h"
#include "plot.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------------ */

/* Names as given, or letter[i]. */
static const char **named(int count, const char *const *given, char letter, char ***made)
{
    const char **name = cli_take((size_t)count, sizeof *name);
    for (int i = 0; i < count; i++) name[i] = given && given[i] ? given[i] : (*(*made)++ = cli_text("%c[%d]", letter, i));
    return name;
}

/* Those of slopes that are states: x' of x. */
static void slopes_named(cli_session *s, char ***made)
{
    const int states = s->n - s->problem.slopes;
    const char **all = cli_take((size_t)s->n, sizeof *all);
    memcpy(all, s->state, (size_t)states * sizeof *all);
    for (int i = states; i < s->n; i++) all[i] = *(*made)++ = cli_text("%s'", all[i - states]);
    free(s->state);
    s->state = all;
}

static int is_param(const cli_session *s, const char *name)
{
    for (int k = 0; k < s->np; k++)
        if (!strcmp(s->param[k], name)) return 1;
    return 0;
}

static void name_all(cli_session *s)
{
    const costate_problem *q = &s->problem;
    const int own = q->terminal.eval || q->running.eval || q->observe.eval || q->on_event.eval;
    s->objectives = own ? q->objectives : q->n - q->slopes;
    char **next = s->made = cli_take(2 * (size_t)s->n + (size_t)s->np + (size_t)s->objectives, sizeof *next);
    s->state = named(s->n - q->slopes, q->state_names, 'y', &next);
    slopes_named(s, &next);
    s->param = named(s->np, q->param_names, 'p', &next);
    s->start = cli_take((size_t)s->n, sizeof *s->start);
    for (int i = 0; i < s->n; i++) { /* names that were made up differ */
        const int both = q->state_names && i < s->n - q->slopes && q->param_names && is_param(s, s->state[i]);
        s->start[i] = both ? (*next++ = cli_text("%s(t0)", s->state[i])) : s->state[i];
    }
    s->objective = named(s->objectives, own ? s->about.objective_names : s->state, 'g', &next);
}

/* ---- values ----------------------------------------------------------------------------------------------------------- */

static double *copy(int count, const double *from)
{
    double *to = cli_take((size_t)count, sizeof *to);
    if (count) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

static int time_option(cli_session *s, int option, double *t)
{
    cli_option_info info;
    const char *value = cli_value(s->request, option);
    cli_option(option, &info);
    if (value && cli_number(value, (int)strlen(value), t))
        return cli_usage(s->request->command->name, "--%s: '%s' is not a finite number", info.name, value);
    return EXIT_GOOD;
}

/* --atol NAME=NUMBER,...: the others keep the default. It does not go with a number for all. */
static int tolerances(cli_session *s)
{
    char preset[32];
    const int option = cli_library_option("atol");
    const char *text;
    int named = 0;
    for (int at = 0; (text = cli_next(s->request, option, &at));) named |= strchr(text, '=') != NULL;
    if (!named) return EXIT_GOOD;
    s->atols = cli_take((size_t)s->n, sizeof *s->atols);
    for (int k = 0; k < s->n; k++) s->atols[k] = s->about.atol > 0 ? s->about.atol : strtod(cli_preset(option, preset), NULL);
    return cli_assign(s, option, NULL, s->atols);
}

static int values(cli_session *s)
{
    s->y0 = copy(s->n, s->about.y0);
    s->p = copy(s->np, s->about.p);
    s->t0 = s->about.t0;
    s->t1 = s->about.t1;
    if (cli_value(s->request, OPT_Y0) && !s->initial)
        return cli_usage(s->request->command->name,
                         "%s computes its initial state from the parameters (init): --param changes those", s->about.name);
    int code = cli_assign(s, OPT_PARAM, s->p, NULL);
    if (!code) code = cli_assign(s, OPT_Y0, NULL, s->y0);
    if (!code) code = time_option(s, OPT_T0, &s->t0);
    if (!code) code = time_option(s, OPT_T1, &s->t1);
    if (!code && s->t0 == s->t1)
        code = cli_usage(s->request->command->name, "t0 and t1 are both %.17g: there is nothing to integrate%s", s->t0,
                         s->about.t0 == s->about.t1 ? "; the model's .t1 or --t1 says where it ends" : "");
    return code ? code : tolerances(s);
}

/* ---- points of time --------------------------------------------------------------------------------------------------- */

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int falling(const void *a, const void *b)
{
    return rising(b, a);
}

static int listed_times(cli_session *s)
{
    const char *command = s->request->command->name, *text, *item;
    const double least = s->t0 < s->t1 ? s->t0 : s->t1, most = s->t0 < s->t1 ? s->t1 : s->t0;
    int length;
    size_t room = 0;
    for (int at = 0; (text = cli_next(s->request, OPT_AT, &at));) room += strlen(text);
    s->times = cli_take(room, sizeof *s->times);
    for (int at = 0; (text = cli_next(s->request, OPT_AT, &at));)
        while ((length = cli_item(&text, &item)) >= 0) {
            double *t = &s->times[s->rows++];
            if (cli_number(item, length, t)) return cli_usage(command, "--at: '%.*s' is not a finite number", length, item);
            if (*t < least || *t > most)
                return cli_usage(command, "--at %.*s is outside of the run from %.17g to %.17g", length, item, s->t0, s->t1);
        }
    qsort(s->times, (size_t)s->rows, sizeof *s->times, s->t0 < s->t1 ? rising : falling);
    return EXIT_GOOD;
}

static int output_times(cli_session *s)
{
    const char *command = s->request->command->name, *points = cli_value(s->request, OPT_POINTS);
    double count;
    if (points && cli_value(s->request, OPT_AT)) return cli_usage(command, "--points or --at, not both");
    if (cli_value(s->request, OPT_AT)) return listed_times(s);
    if (!points) return EXIT_GOOD;
    if (cli_number(points, (int)strlen(points), &count) || count < 2 || count > 1e8 || count != (int)count)
        return cli_usage(command, "--points: '%s' is not a whole number from 2 on", points);
    s->rows = (int)count;
    s->times = cli_take((size_t)s->rows, sizeof *s->times);
    for (int k = 0; k < s->rows; k++) s->times[k] = k == s->rows - 1 ? s->t1 : s->t0 + (s->t1 - s->t0) * k / (s->rows - 1);
    return EXIT_GOOD;
}

/* Those asked for, and between them good ones to draw: fewer of a model so large that all would not fit into memory. */
static void add_drawn_times(cli_session *s)
{
    double fine[PLOT_TIMES];
    const int count = plot_times(s->t0, s->t1, fine), sign = s->t0 < s->t1 ? 1 : -1;
    const int every = 1 + (int)((double)s->n * count / 2e7);
    double *all = cli_take((size_t)s->rows + (size_t)count, sizeof *all);
    for (int i = 0, k = 0; i < s->rows || k < count;) {
        const int next = i < s->rows && (k >= count || sign * (s->times[i] - fine[k]) <= 0);
        const double t = next ? s->times[i] : fine[k];
        if (next) s->asked[i++] = s->drawn;
        const int kept = next || k % every == 0 || k == count - 1;
        if (k < count && t == fine[k]) k++;
        if (kept) all[s->drawn++] = t;
    }
    free(s->times);
    s->times = all;
}

static int all_times(cli_session *s)
{
    const int code = output_times(s), gradient = s->request->command->bit == CLI_GRADIENT && s->rows;
    const int plotted = gradient || s->request->command->bit & (CLI_RUN | CLI_TANGENT);
    s->asked = cli_take((size_t)s->rows, sizeof *s->asked);
    if (!code && plotted && cli_value(s->request, OPT_PLOT)) add_drawn_times(s);
    else
        for (; s->drawn < s->rows; s->drawn++) s->asked[s->drawn] = s->drawn;
    return code;
}

/* ---- the session ------------------------------------------------------------------------------------------------------ */

int cli_session_open(cli_session *s, cli_request *r)
{
    *s = (cli_session){.request = r};
    int code = figure_possible(r);
    if (!code) code = cli_out_open(&s->out, r);
    if (!code) code = cli_open(&s->model, r);
    if (code) return code;
    cli_model_warnings(&s->out, s->model);
    s->problem = *costate_model_problem(s->model);
    s->about = costate_model_about(s->model);
    s->n = s->problem.n;
    s->np = s->problem.np;
    s->initial = !s->problem.init.eval;
    name_all(s);
    code = values(s);
    if (!code) code = all_times(s);
    if (!code) code = cli_accuracy_check(s);
    if (!code) cli_notes(s);
    return code;
}

int cli_session_close(cli_session *s, int code)
{
    code = cli_out_close(&s->out, code);
    for (char **name = s->made; name && *name; name++) free(*name);
    free(s->made);
    free(s->state);
    free(s->start);
    free(s->param);
    free(s->objective);
    free(s->y0);
    free(s->p);
    free(s->atols);
    free(s->times);
    free(s->asked);
    costate_model_close(s->model);
    return code;
}
