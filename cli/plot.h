/* plot.h - figures of results: SVG of our own, HTML around it with zoom and hover, and PNG or PDF of it by rsvg-convert or
 * inkscape where one of them is installed.
 *
 * Figures are made for print: 80 mm wide, a column of a paper, or 170 mm when there are many panels; text of 7 points; told apart
 * without colour; lines are labelled where they end. On a screen they follow its light or dark background. Numbers that are not
 * finite are left out, and what has no place is summed up in a note below the figure.
 *
 *     plot f = {.path = "run.svg", .title = "lotka_volterra", .x = "t"};
 *     if (plot_check(&f)) ... f.message ...                           before a long run
 *     const int rows = plot_times(t0, t1, times);                     good points of time to draw
 *     if (plot_lines(&f, n, series)) ... f.message ...
 *
 * Every function that returns int status gives 0, or -1 and a sentence in plot.message. A failed figure leaves no file. */
#ifndef COSTATE_CLI_PLOT_H
#define COSTATE_CLI_PLOT_H

typedef enum plot_scale { PLOT_AUTO, PLOT_LINEAR, PLOT_LOG } plot_scale;

typedef struct plot {
    const char *path;  /* FILE.svg, FILE.html, FILE.png or FILE.pdf; it appears when it is complete */
    const char *title; /* NULL: none */
    const char *x, *y; /* what the axes show; NULL: nothing is written there */
    char message[400];
    /* For plot_lines. */
    plot_scale scale;    /* of the values; auto: logarithmic where lines are positive and spend a tenth below a thousandth */
    const char *things;  /* what the lines are, in the plural; NULL: lines */
    const char *measure; /* what makes one larger than another; NULL: its largest absolute value */
    int ranked;          /* 1: panels by falling size; 0: in the order of the series */
    int marks;           /* points of time to be marked on the axes, and on the lines if they are not too many */
    const double *mark;
    const char *mark_name; /* what they are, in the plural */
} plot;

/* Whether such a file can be made: its name, its folder, and a program that converts if it is neither SVG nor HTML. */
int plot_check(plot *f);

/* Points of time to draw a run from t0 to t1 with, in its order: equidistant ones, and some near the start, each decade of time
 * having its own, in case it all happens there. Returns their number. */
enum { PLOT_TIMES = 600 };
int plot_times(double t0, double t1, double times[PLOT_TIMES]);

/* A line through count points (x[k], y[k*stride]). Lines of one group (NULL is one too) share panels, under its name, as far as
 * their scales agree: what differs by decades gets a panel of its own. */
typedef struct plot_series {
    const char *name, *group;
    int count, stride;
    const double *x, *y;
    const double *bar; /* error bars of y, y[k*stride]'s at bar[k*stride]: whiskers on some points; NULL: none */
    double least;  /* what never exceeds this is not worth a panel; 0: all that is not zero is */
    double weight; /* of its largest absolute value, where the largest lines are chosen; 0: 1 */
} plot_series;

/* Trajectories and sensitivities over time. x becomes logarithmic if it is over decades of it that most lines change. More than
 * 40 lines of a group whose names differ by an index, u[0], u[1], ..., are a map of colours over index and time, and so are more
 * than 200 of any names. Of the others, more than 15 of one scale are drawn as a thicket with five of them labelled. If there are
 * too many panels or maps, the largest are drawn. */
int plot_lines(plot *f, int count, const plot_series *series);

/* Horizontal bars by falling size: the largest 30, and how large the rest is. value[k*stride] belongs to name[k]. Several charts,
 * for several objectives, become panels under their titles, with 12 bars each if they are more than two. */
typedef struct plot_bar_chart {
    const char *title; /* NULL: none */
    const char *x;     /* what the bars are; NULL: nothing is written there */
    int count, stride;
    const char *const *name;
    const double *value;
    const double *error; /* of the values, drawn as whiskers; NULL: none */
} plot_bar_chart;
int plot_bars(plot *f, int charts, const plot_bar_chart *chart);

/* Where matrices, given as compressed columns, have entries. Large ones are drawn as grey values. Names: NULL, or what rows and
 * columns are called; written if there is place for them. */
typedef struct plot_matrix {
    const char *title;
    int rows, columns;
    const int *colptr, *rowind;
    const char *const *row_name, *const *column_name;
} plot_matrix;
int plot_pattern(plot *f, int matrices, const plot_matrix *matrix);

/* Square matrices of numbers as maps of colours, row by row, the same names on both axes; numbers where there is place for them.
 * The colours are logarithmic in both directions from zero where the entries differ by decades. */
typedef struct plot_entries {
    const char *title;
    int size;
    const double *value;
    const char *const *name;
} plot_entries;
int plot_heat(plot *f, int matrices, const plot_entries *matrix);

/* Both axes logarithmic, marks at the points: work against precision, order of convergence. Points that are not positive are left
 * out. More than seven curves of several groups are drawn group by group, each panel having the others in grey. */
int plot_loglog(plot *f, int count, const plot_series *series);

#endif
