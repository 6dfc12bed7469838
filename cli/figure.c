/* figure.c - --plot: results as a figure (plot.h). */
#include "cli.h"
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int done(const cli_request *r, plot *f, int status)
{
    return status ? cli_usage(r->command->name, "%s", f->message) : EXIT_GOOD;
}

static plot figure(const cli_session *s)
{
    const char *scale = cli_value(s->request, OPT_PLOT_Y);
    return (plot){.path = cli_value(s->request, OPT_PLOT),
                  .title = s->about.name,
                  .x = "t",
                  .scale = !scale || !strcmp(scale, "auto") ? PLOT_AUTO
                           : !strcmp(scale, "log")          ? PLOT_LOG
                                                            : PLOT_LINEAR};
}

int figure_possible(const cli_request *r)
{
    plot f = {.path = cli_value(r, OPT_PLOT)};
    const char *scale = cli_value(r, OPT_PLOT_Y);
    if (scale && strcmp(scale, "auto") && strcmp(scale, "linear") && strcmp(scale, "log"))
        return cli_usage(r->command->name, "--plot-y: '%s' is none of auto, linear and log", scale);
    return f.path ? done(r, &f, plot_check(&f)) : EXIT_GOOD;
}

/* The absolute tolerance of state i. */
static double tolerance(const cli_session *s, int i)
{
    return s->atols ? s->atols[i] : strtod(cli_library_value(s->request, "atol"), NULL);
}

/* Times of observations and of events. */
static double *marks(const cli_session *s, const cli_events *e, plot *f)
{
    const int observed = s->problem.observations;
    double *mark = cli_take((size_t)observed + (size_t)e->count, sizeof *mark);
    if (observed) memcpy(mark, s->problem.observe_at, (size_t)observed * sizeof *mark);
    for (int i = 0; i < e->count; i++) mark[observed + i] = e->event[i].t;
    f->marks = observed + e->count;
    f->mark = mark;
    f->mark_name = observed && e->count ? "observations and events"
                   : e->count           ? e->count == 1 ? "event" : "events"
                   : observed == 1      ? "observation"
                                        : "observations";
    return mark;
}

int figure_run(cli_session *s, const double *rows, const double *bars, const cli_events *e)
{
    plot f = figure(s);
    if (!f.path) return EXIT_GOOD;
    f.things = "states";
    double *mark = marks(s, e, &f);
    plot_series *series = cli_take((size_t)s->n, sizeof *series);
    for (int i = 0; i < s->n; i++)
        series[i] = (plot_series){.name = s->state[i],
                                  .count = s->drawn,
                                  .stride = s->n,
                                  .x = s->times,
                                  .y = rows + i,
                                  .bar = bars ? bars + i : NULL,
                                  .least = tolerance(s, i)};
    const int status = plot_lines(&f, s->n, series);
    free(series);
    free(mark);
    return done(s->request, &f, status);
}

/* Derivatives are compared when scaled, |x dy/dx| / max |y|, where x is the variable's value, or 1 if that is zero; one by which
 * y would move less than its tolerance if x changed by all that it is does not count. A group of lines for each state, a line for
 * each variable; or the other way round if there are many states, whose lines become maps over their index. */
int figure_tangent(cli_session *s, const cli_choice *wrt, const double *y, const double *rows, const double *bars)
{
    enum { MANY = 200 };
    plot f = figure(s);
    if (!f.path) return EXIT_GOOD;
    f.things = "derivatives";
    f.measure = "scaled size, |x dy/dx| / max |y|";
    f.ranked = 1;
    const int w = wrt->count, of_states = s->n <= MANY;
    const double rtol = strtod(cli_library_value(s->request, "rtol"), NULL);
    plot_series *series = cli_take((size_t)s->n * (size_t)w, sizeof *series);
    char **state = cli_take((size_t)s->n, sizeof *state), **other = cli_take((size_t)w, sizeof *other);
    char **label = cli_labels(s, wrt);
    for (int l = 0; l < w; l++) other[l] = cli_text("d / d %s", label[l]);
    for (int i = 0; i < s->n; i++) {
        double most = 0;
        state[i] = cli_text(of_states ? "d %s" : "%s", s->state[i]);
        for (int k = 0; k < s->drawn; k++) most = fmax(most, fabs(y[(size_t)k * (size_t)s->n + (size_t)i]));
        const double noise = tolerance(s, i) + rtol * most;
        for (int l = 0; l < w; l++) {
            const double x = fabs(cli_variable_value(s, wrt->pick[l])), size = x > 0 ? x : 1;
            series[(size_t)i * (size_t)w + (size_t)l] = (plot_series){.name = of_states ? label[l] : state[i],
                                                                      .group = of_states ? state[i] : other[l],
                                                                      .count = s->drawn,
                                                                      .stride = s->n * w,
                                                                      .x = s->times,
                                                                      .y = rows + (size_t)i * (size_t)w + l,
                                                                      .bar = bars ? bars + (size_t)i * (size_t)w + l : NULL,
                                                                      .least = noise / size,
                                                                      .weight = size / fmax(most, noise)};
        }
    }
    const int status = plot_lines(&f, s->n * w, series);
    cli_labels_free(state, s->n);
    cli_labels_free(other, w);
    cli_labels_free(label, w);
    free(series);
    return done(s->request, &f, status);
}

/* A group of lines for each objective. */
int figure_adjoints(cli_session *s, const cli_choice *of, const double *rows, const cli_events *e)
{
    plot f = figure(s);
    if (!f.path) return EXIT_GOOD;
    const int w = of->count;
    f.things = "adjoints";
    double *mark = marks(s, e, &f);
    plot_series *series = cli_take((size_t)s->n * (size_t)w, sizeof *series);
    char **title = cli_take((size_t)w, sizeof *title);
    for (int l = 0; l < w; l++) title[l] = cli_text("d %s / d state(t)", s->objective[of->pick[l]]);
    for (int l = 0; l < w; l++)
        for (int i = 0; i < s->n; i++)
            series[(size_t)l * (size_t)s->n + (size_t)i] =
                (plot_series){.name = s->state[i], .group = title[l], .count = s->drawn, .stride = s->n * w, .x = s->times,
                              .y = rows + (size_t)i * (size_t)w + l};
    const int status = plot_lines(&f, s->n * w, series);
    cli_labels_free(title, w);
    free(mark);
    free(series);
    return done(s->request, &f, status);
}

int figure_bars(cli_session *s, const char *format, const cli_choice *of, int count, const char *const *name, const double *value,
                const double *error)
{
    plot f = figure(s);
    if (!f.path) return EXIT_GOOD;
    plot_bar_chart *chart = cli_take((size_t)of->count, sizeof *chart);
    char **what = cli_take((size_t)of->count, sizeof *what);
    for (int l = 0; l < of->count; l++) {
        const char *objective = s->objective[of->pick[l]], *place = strchr(format, '@');
        what[l] = cli_text("%.*s%s%s", (int)(place - format), format, objective, place + 1);
        chart[l] = (plot_bar_chart){.title = objective,
                                    .x = what[l],
                                    .count = count,
                                    .stride = 1,
                                    .name = name,
                                    .value = value + (size_t)l * (size_t)count,
                                    .error = error ? error + (size_t)l * (size_t)count : NULL};
    }
    const int status = plot_bars(&f, of->count, chart);
    cli_labels_free(what, of->count);
    free(chart);
    return done(s->request, &f, status);
}

int figure_matrices(cli_session *s, const cli_choice *of, int size, const char *const *name, const double *value)
{
    plot f = figure(s);
    if (!f.path) return EXIT_GOOD;
    plot_entries *matrix = cli_take((size_t)of->count, sizeof *matrix);
    char **title = cli_take((size_t)of->count, sizeof *title);
    for (int l = 0; l < of->count; l++) {
        title[l] = cli_text("Hessian of %s", s->objective[of->pick[l]]);
        matrix[l] = (plot_entries){
            .title = title[l], .size = size, .name = name, .value = value + (size_t)l * (size_t)size * (size_t)size};
    }
    const int status = plot_heat(&f, of->count, matrix);
    cli_labels_free(title, of->count);
    free(matrix);
    return done(s->request, &f, status);
}

int figure_curves(cli_session *s, const char *x, const char *y, int count, const figure_curve *curve)
{
    plot f = figure(s);
    if (!f.path) return EXIT_GOOD;
    f.x = x;
    f.y = y;
    plot_series *series = cli_take((size_t)count, sizeof *series);
    for (int i = 0; i < count; i++)
        series[i] = (plot_series){.name = curve[i].name,
                                  .group = curve[i].group,
                                  .count = curve[i].count,
                                  .stride = 1,
                                  .x = curve[i].x,
                                  .y = curve[i].y};
    const int status = plot_loglog(&f, count, series);
    free(series);
    return done(s->request, &f, status);
}
