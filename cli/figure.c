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

int figure_possible(const cli_request *r)
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
    char **group = cli_take((size_t)s->n, sizeof *group), **label = cli_labels(s, wrt);
    for (int i = 0; i < s->n; i++) {
        group[i] = cli_text("d %s", s->state[i]);
        for (int l = 0; l < w; l++)
            series[i * w + l] = (plot_series){.name = label[l],
                                              .group = group[i],
                                              .count = s->drawn,
                                              .stride = s->n * w,
                                              .x = s->times,
                                              .y = rows + (size_t)i * (size_t)w + l};
    }
    const int status = plot_lines(&f, s->n * w, series);
    cli_labels_free(group, s->n);
    cli_labels_free(label, w);
    free(series);
    return done(s->request, &f, status);
}

int figure_bars(cli_session *s, const char *what, const cli_choice *of, int count, const char *const *name, const double *value)
{
    plot f = figure(s);
    if (!f.path) return EXIT_GOOD;
    f.x = what;
    plot_bar_chart *chart = cli_take((size_t)of->count, sizeof *chart);
    for (int l = 0; l < of->count; l++)
        chart[l] = (plot_bar_chart){.title = s->objective[of->pick[l]], .count = count, .stride = 1, .name = name,
                                    .value = value + (size_t)l * (size_t)count};
    const int status = plot_bars(&f, of->count, chart);
    free(chart);
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
        series[i] = (plot_series){.name = curve[i].name, .count = curve[i].count, .stride = 1, .x = curve[i].x, .y = curve[i].y};
    const int status = plot_loglog(&f, count, series);
    free(series);
    return done(s->request, &f, status);
}
