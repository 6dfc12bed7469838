/* plot_draw.h - what the kinds of plots share: a pen that writes SVG, text whose width is known, axes with their ticks, and the
 * way into a file.
 *
 * All lengths are points (1/72 inch), y grows downwards. A figure is drawn at its full width; its height is known at the end,
 * when figure_close puts the head before what was drawn.
 *
 * Colours are those of paper. A style sheet in the head replaces them, by their names here, on a dark screen; programs that print
 * do not know it. */
#ifndef COSTATE_CLI_PLOT_DRAW_H
#define COSTATE_CLI_PLOT_DRAW_H

#include "plot.h"

#include <stddef.h>
#include <stdio.h>

#define PLOT_COLUMN 226.8 /* 80 mm */
#define PLOT_PAGE 481.9   /* 170 mm */
#define PLOT_EDGE 4.0     /* nothing is written nearer to the edge */
#define PLOT_PAPER "#fff"
#define PLOT_INK "#222"
#define PLOT_GREY "#666"
#define PLOT_FAINT "#b0b0b0"
#define PLOT_RULE "#ccc"
#define PLOT_BAR "#4a6a8a"
#define PLOT_MINUS "\xe2\x88\x92"
#define PLOT_TIMES_TEN "\xc3\x97" "10"

/* ---- text: plot_text.c ---------------------------------------------------------------------------------------------- */

typedef struct pen_font {
    double size; /* points */
    int bold;
    const char *colour; /* NULL: ink */
} pen_font;
extern const pen_font font_plain, font_bold, font_title, font_small;

/* As wide as text is in the widest of the fonts that may be used; and a name cut in its middle to fit (by malloc). */
double text_width(const pen_font *font, const char *text);
char *text_fit(const pen_font *font, const char *text, double width);
/* How many bytes of text fit, ending before a space if it has to be cut; at least one word. */
size_t text_line(const pen_font *font, const char *text, double width);
void text_escaped(FILE *to, const char *text);

/* A number of so many digits as text and a power of ten behind it; INT_MIN: none. */
int number_parts(double x, int digits, char before[32]);
double power_width(const pen_font *font, const char *before, int exponent);

/* ---- figure: plot_draw.c -------------------------------------------------------------------------------------------- */

typedef struct figure {
    plot *f;
    FILE *to; /* into text */
    char *text;
    size_t length;
    double width, y; /* y: how far down it is drawn */
    double grain;    /* points of a line that are nearer to each other are one */
    int names;       /* of gradients and clips, given so far */
} figure;

/* Begins a figure and writes its title. */
int figure_open(figure *g, plot *f, double width);
/* A note below what was drawn, wrapped to the width. */
void figure_note(figure *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends it and writes the file. */
int figure_close(figure *g);

typedef enum pen_anchor { PEN_START, PEN_MIDDLE, PEN_END } pen_anchor;

/* A straight line; a rectangle, with words for those who point at it, or NULL. style: attributes. */
void pen_line(figure *g, double x0, double y0, double x1, double y1, const char *style);
void pen_box(figure *g, double x, double y, double wide, double high, const char *style, const char *tip);
/* Text with its baseline at y: as it is, cut to fit, or upwards and cut to fit; a number with an exponent (INT_MIN: none). */
void pen_text(figure *g, double x, double y, pen_anchor anchor, const pen_font *font, const char *text);
void pen_fitted(figure *g, double x, double y, pen_anchor anchor, const pen_font *font, const char *text, double width);
void pen_upwards(figure *g, double x, double y, const pen_font *font, const char *text, double width);
void pen_power(figure *g, double x, double y, pen_anchor anchor, const pen_font *font, const char *before, int exponent);

/* Whether a number can be drawn: neither NaN nor so large that differences overflow. */
int drawable(double x);

/* Lines that can be told apart without colour. */
enum { PLOT_STYLES = 5 };
typedef struct line_style {
    const char *colour, *dashes;
} line_style;
extern const line_style line_styles[PLOT_STYLES];

/* A line through points with breaks where a coordinate is not finite. name: for those who point at it, or NULL. */
typedef struct polyline {
    figure *g;
    const char *name;
    double x, y;
    int down;
} polyline;
polyline polyline_open(figure *g, const line_style *style, double width, const char *name);
void polyline_to(polyline *l, double x, double y);
void polyline_close(polyline *l);

/* A mark at (x, y): circle, square, triangle, diamond, cross; filled, or open. */
void pen_mark(figure *g, int shape, int open, const char *colour, double x, double y);

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
/* The i-th tick; its number as text ("" for a tick without one), or in *power if that is not INT_MIN. 0; -1 beyond the last. */
int axis_tick(const axis *a, int i, double *value, char number[32], int *power);
double axis_width(const axis *a);  /* of the widest number */
double axis_factor(const axis *a); /* of the power of ten and the base that the numbers share; 0: there are none */

/* The axis along the bottom at y, with its label and what its numbers share; numbers 0: ticks alone. The axis along a side at x,
 * its ticks to the left or the right of it; what its numbers share stands above it, not beyond `edge`; returns where that ends,
 * or begins if it is on the right. */
void axis_bottom(figure *g, const axis *a, double y, int numbers, const char *label);
double axis_side(figure *g, const axis *a, double x, int right, double edge);

/* A panel is what scripts can zoom into: all between open and close, with its curves last, of which nothing is seen outside. */
void panel_open(figure *g, const axis *x, const axis *y);
void panel_curves(figure *g, const axis *x, const axis *y);
void panel_close(figure *g);

/* ---- lines over time: plot_time.c ------------------------------------------------------------------------------------ */

double series_value(const plot_series *s, int k);
double series_between(const plot_series *s, double x); /* linear between points; NaN outside */
axis time_axis(int count, const plot_series *series, int wanted);

/* ---- maps of colours: plot_heat.c, plot_image.c ---------------------------------------------------------------------- */

/* Lines of one kind over their index and over time. */
typedef struct heat_map {
    char *title;
    int count, *line; /* which of the series, from the lowest index on */
    int first;        /* the lowest index */
    double size;      /* of the largest of them, weighted */
} heat_map;
enum { HEAT_PIXELS = 256 }; /* rows of the image at most; beyond, one stands for several lines */

/* Draws a map of this height between x.from and x.to, its scale in the room to the right; g.y moves below it. */
int heat_lines(figure *g, const axis *x, const heat_map *m, const plot_series *series, double high, int numbers);
double heat_room(const heat_map *m, const plot_series *series, plot_scale wanted);

/* An image of width x height bytes, row by row from above, that are places in a palette of 256 colours; style: attributes. */
int pen_image(figure *g, double x, double y, double wide, double high, int width, int height, const unsigned char *pixel,
              unsigned char palette[256][3], const char *style);

/* ---- matrices: plot_grid.c ------------------------------------------------------------------------------------------- */

/* Cells of equal side, with names to the left of the rows and above the columns if there is place for them. */
typedef struct grid {
    int high, wide;                            /* cells */
    const char *const *row_name, *const *column_name; /* NULL: none */
    double side;                               /* of a cell */
    double x, y;                               /* of the corner */
    pen_font row_font, column_font;            /* of size 0: no names */
} grid;
/* Chooses the side, at most `most`, of a grid of at most this height, below g.y, with `right` left free. */
void grid_place(figure *g, grid *d, double most, double highest, double right);
void grid_names(figure *g, const grid *d);
void grid_frame(figure *g, const grid *d, double gap);

/* ---- file: plot_file.c, plot_html.c ---------------------------------------------------------------------------------- */

/* Writes the SVG, or what is made of it, to f->path. */
int plot_save(plot *f, const char *svg, size_t length);
int plot_fail(plot *f, const char *format, ...) __attribute__((format(printf, 2, 3))); /* -1 */
int plot_is_html(const plot *f);
/* A page that holds the SVG, and a script that zooms and tells numbers. */
void html_write(FILE *to, const char *title, const char *svg);

#endif
