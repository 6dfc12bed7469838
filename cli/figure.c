/* figure.c - --plot: results as a figure (plot.h). */
#include "cli.h"
#include "plot.h"

#include <stdlib.h>

static int done(const cli_request *r, plot *f, int status)
{
    return status ? cli_usage(r->command->name, "%s", f->message) : EXIT_GOOD;
}

static plot figure(const cli_session *s)
{
    return (plot){.path = cli_value(s->request, OPT_PLOT), .title = s->about.name, .x = "t"};
}

int figure_check(const cli_request *r)
{
    plot f = {.path = cli_value(r, OPT_PLOT)};
    return f.path ? done(r, &f, plot_check(&f)) : EXIT_GOOD;
}

int figure_run(cli_session *s, const double *rows)
{
    plot f = figure(s);
    if (!f.path) return EXIT_GOOD;
    plot_series *series = cli_take((size_t)s->n, sizeof *series);
    for (int i = 0; i < s->n; i++)
        series[i] = (plot_series){.name = s->state[i], .count = s->drawn, .stride = s->n, .x = s->times, .y = rows + i};
    const int status = plot_lines(&f, s->n, series);
    free(series);
    return done(s->request, &f, status);
}

/* A group of lines for each state, a line for each variable. */
int figure_tangent(cli_session *s, const cli_choice *wrt, const double *rows)
{
    plot f = figure(s);
    if (!f.path) return EXIT_GOOD;
    const int w = wrt->count;
    plot_series *series = cli_take((size_t)s->n * (size_t)w, sizeof *series);
    char **group = cli_take((size_t)s->n, sizeof *group);
    for (int i = 0; i < s->n; i++) {
        group[i] = cli_text("d %s", s->state[i]);
        for (int l = 0; l < w; l++)
            series[i * w + l] = (plot_series){.name = cli_variable(s, wrt->pick[l]),
                                              .group = group[i],
                                              .count = s->drawn,
                                              .stride = s->n * w,
                                              .x = s->times,
                                              .y = rows + (size_t)i * (size_t)w + l};
    }
    const int status = plot_lines(&f, s->n * w, series);
    for (int i = 0; i < s->n; i++) free(group[i]);
    free(group);
    free(series);
    return done(s->request, &f, status);
}

/* A chart for each objective. */
int figure_gradient(cli_session *s, const cli_choice *of, const cli_choice *wrt, const double *scaled)
{
    plot f = figure(s);
    if (!f.path) return EXIT_GOOD;
    f.x = "scaled sensitivity: percent per percent";
    plot_bar_chart *chart = cli_take((size_t)of->count, sizeof *chart);
    const char **name = cli_take((size_t)wrt->count, sizeof *name);
    for (int k = 0; k < wrt->count; k++) name[k] = cli_variable(s, wrt->pick[k]);
    for (int l = 0; l < of->count; l++)
        chart[l] = (plot_bar_chart){.title = s->objective[of->pick[l]], .count = wrt->count, .stride = 1, .name = name,
                                    .value = scaled + (size_t)l * (size_t)wrt->count};
    const int status = plot_bars(&f, of->count, chart);
    free(name);
    free(chart);
    return done(s->request, &f, status);
}
