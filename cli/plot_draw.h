/* plot_draw.h - what the kinds of plots share: a pen that writes SVG, axes with their ticks, and the way into a file.
 *
 * All lengths are points (1/72 inch), y grows downwards. A figure is drawn at its full width; its height is known at the end, when
 * figure_save puts the head before what was drawn. */
#ifndef COSTATE_CLI_PLOT_DRAW_H
#define COSTATE_CLI_PLOT_DRAW_H

#include "plot.h"

#include <stddef.h>
#include <stdio.h>

#define PLOT_COLUMN 226.8 /* 80 mm */
#define PLOT_PAGE 481.9   /* 170 mm */
#define PLOT_SIZE 7.0     /* of text */
#define PLOT_INK "#222"
#define PLOT_GREY "#777"
#define PLOT_MINUS "\xe2\x88\x92"
#define PLOT_TIMES_TEN "\xc3\x97" "10"

typedef enum pen_anchor { PEN_START, PEN_MIDDLE, PEN_END } pen_anchor;

/* ---- figure: plot_draw.c -------------------------------------------------------------------------------------------- */

typedef struct figure {
    plot *f;
    FILE *to; /* into text */
    char *text;
    size_t length;
    double width, y; /* y: how far down it is drawn */
} figure;

/* Begins a figure and writes its title. */
int figure_open(figure *g, plot *f, double width);
/* A note below what was drawn, wrapped to the width. */
void figure_note(figure *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends it and writes the file. */
int figure_close(figure *g);

/* A straight line; a rectangle; text with its baseline at y, escaped, or cut to fit; plain text with an exponent. style: attributes. */
void pen_line(figure *g, double x0, double y0, double x1, double y1, const char *style);
void pen_box(figure *g, double x, double y, double wide, double high, const char *style);
void pen_text(figure *g, double x, double y, pen_anchor anchor, const char *style, const char *text);
void pen_fitted(figure *g, double x, double y, pen_anchor anchor, const char *style, const char *text, double width);
void pen_power(figure *g, double x, double y, pen_anchor anchor, const char *before, int exponent);

/* Whether a number can be drawn: neither NaN nor so large that differences overflow. */
int drawable(double x);

/* About as wide as text is, in points at PLOT_SIZE; and a name cut in its middle to fit (by malloc). */
double text_width(const char *text);
char *text_fit(const char *text, double width);

/* Lines that can be told apart without colour. */
enum { PLOT_STYLES = 5 };
typedef struct line_style {
    const char *colour, *dashes;
} line_style;
extern const line_style line_styles[PLOT_STYLES];

/* A line through points with breaks where a coordinate is not finite. */
typedef struct polyline {
    figure *g;
    double x, y;
    int down;
} polyline;
polyline polyline_open(figure *g, const line_style *style, double width);
void polyline_to(polyline *l, double x, double y);
void polyline_close(polyline *l);

/* Moves `count` places at least gap apart and into [top, bottom], by as little as possible; they keep their order. */
void spread(int count, double *place, double gap, double top, double bottom);

/* ---- axes: plot_axis.c ---------------------------------------------------------------------------------------------- */

typedef struct axis {
    double lo, hi;   /* what it shows */
    double from, to; /* where lo and hi are on the page */
    int log;
    double step;     /* linear: between ticks; log: decades between labels, or 0: 1, 2 and 5 are labelled */
    double base;     /* linear: subtracted from the numbers; 0: nothing is */
    int exponent;    /* linear: numbers are in 10^exponent */
    int decimals;    /* linear: of the numbers */
} axis;

/* Linear ticks at 1, 2 or 5 times a power of ten, about `wanted` of them. loose: the axis grows to the ticks around. */
axis axis_linear(double lo, double hi, int wanted, int loose);
axis axis_log(double lo, double hi, int wanted);
double axis_at(const axis *a, double value);
/* The i-th tick; its number as text ("" for a tick without one), or in *power if that is not INT_MIN. 0, or -1 beyond the last. */
int axis_tick(const axis *a, int i, double *value, char number[32], int *power);
double axis_width(const axis *a); /* of the widest number */

/* The axis along the bottom at y, and the one along the left side at x; its label and factor. numbers 0: ticks alone. */
void axis_bottom(figure *g, const axis *a, double y, int numbers, const char *label);
void axis_left(figure *g, const axis *a, double x);

/* ---- file: plot_file.c ---------------------------------------------------------------------------------------------- */

/* Writes the SVG, or what a program makes of it, to f->path. */
int plot_save(plot *f, const char *svg, size_t length);
int plot_fail(plot *f, const char *format, ...) __attribute__((format(printf, 2, 3))); /* -1 */

#endif
