/* plot_pattern.c - where matrices have entries. Up to 128 rows and columns each entry is a square; beyond, cells hold several
 * places of the matrix and are as dark as they are full. */
#include "plot_draw.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS = 128 };

typedef struct grid {
    const plot_matrix *m;
    int high, wide; /* cells */
    double *count;  /* entries in each, row by row */
    double side;    /* of a cell, in points */
    double x, y;    /* of the corner */
} grid;

static int fill(grid *d, const plot_matrix *m, plot *f)
{
    *d = (grid){.m = m, .high = m->rows < CELLS ? m->rows : CELLS, .wide = m->columns < CELLS ? m->columns : CELLS};
    d->count = calloc((size_t)d->high * (size_t)d->wide + 1, sizeof *d->count);
    if (!d->count) return plot_fail(f, "out of memory");
    for (int j = 0; j < m->columns; j++)
        for (int k = m->colptr[j]; k < m->colptr[j + 1]; k++)
            d->count[(long)m->rowind[k] * d->high / m->rows * d->wide + (long)j * d->wide / m->columns]++;
    return 0;
}

/* Cells of a row that are next to each other and as dark become one rectangle. */
static void draw_cells(figure *g, const grid *d)
{
    const double full = (double)d->m->rows / d->high * ((double)d->m->columns / d->wide);
    const double gap = d->side > 3 ? 0.6 : 0; /* large squares stand apart */
    for (int i = 0; i < d->high; i++)
        for (int j = 0, end; j < d->wide; j = end) {
            const double count = d->count[i * d->wide + j];
            for (end = j + 1; end < d->wide && gap == 0 && d->count[i * d->wide + end] == count; end++)
                ;
            if (count == 0) continue;
            char style[64];
            const int light = (int)lround(190 * (1 - fmin(1, count / full))); /* a single entry is seen, too */
            snprintf(style, sizeof style, "fill=\"#%02x%02x%02x\"", 40 + light, 40 + light, 40 + light);
            pen_box(g, d->x + j * d->side, d->y + i * d->side, (end - j) * d->side - gap, d->side - gap, style);
        }
    pen_box(g, d->x - 0.8, d->y - 0.8, d->wide * d->side + 1.6 - gap, d->high * d->side + 1.6 - gap,
            "fill=\"none\" stroke=\"" PLOT_GREY "\" stroke-width=\"0.4\"");
}

/* Size of the names of rows or columns: at most 6 points, NULL or below 4: none. */
static double name_size(const char *const *name, const grid *d)
{
    const double size = fmin(6, d->side * 0.95);
    return name && size >= 4 ? size : 0;
}

static double widest(const char *const *name, int count, double size)
{
    double most = 0;
    for (int i = 0; size > 0 && i < count; i++) most = fmax(most, text_width(name[i]) * size / PLOT_SIZE);
    return fmin(most, 50);
}

static void draw_names(figure *g, const grid *d, double rows, double columns)
{
    char style[128];
    for (int i = 0; rows > 0 && i < d->high; i++) {
        snprintf(style, sizeof style, "font-size=\"%.1f\"", rows);
        pen_fitted(g, d->x - 3, d->y + (i + 0.5) * d->side + rows * 0.35, PEN_END, style, d->m->row_name[i],
                   50 * PLOT_SIZE / rows);
    }
    for (int j = 0; columns > 0 && j < d->wide; j++) {
        const double x = d->x + (j + 0.5) * d->side + columns * 0.35, y = d->y - 3;
        snprintf(style, sizeof style, "font-size=\"%.1f\" transform=\"rotate(-90 %.2f %.2f)\"", columns, x, y);
        pen_fitted(g, x, y, PEN_START, style, d->m->column_name[j], 50 * PLOT_SIZE / columns);
    }
}

/* Squares are at most `most` wide. */
static void draw_matrix(figure *g, grid *d, double most)
{
    const plot_matrix *m = d->m;
    char text[200];
    snprintf(text, sizeof text, "%.80s%s%d \xc3\x97 %d, %d %s", m->title ? m->title : "", m->title ? ": " : "", m->rows,
             m->columns, m->colptr[m->columns], m->colptr[m->columns] == 1 ? "entry" : "entries");
    pen_text(g, 4, g->y + 7, PEN_START, "", text);
    /* Names take room, which makes squares smaller, which may leave no room for names: the second time tells. */
    double rows = 0, columns = 0, left = 0;
    for (int pass = 0; pass < 2; pass++) {
        d->side = fmin(fmin(most, (g->width - 12 - left) / d->wide), 220.0 / d->high);
        rows = name_size(d->high == m->rows ? m->row_name : NULL, d);
        columns = name_size(d->wide == m->columns ? m->column_name : NULL, d);
        left = widest(m->row_name, m->rows, rows) + (rows > 0 ? 3 : 0);
    }
    d->x = 6 + left;
    d->y = g->y + 13 + widest(m->column_name, m->columns, columns);
    draw_names(g, d, rows, columns);
    draw_cells(g, d);
    g->y = d->y + d->high * d->side + 8;
}

int plot_pattern(plot *f, int matrices, const plot_matrix *matrix)
{
    figure g;
    int status = figure_open(&g, f, PLOT_COLUMN), grey = 0;
    double side = 10;
    if (status) return status;
    for (int i = 0; !status && i < matrices; i++) {
        grid d;
        if (matrix[i].rows < 1 || matrix[i].columns < 1) continue;
        status = fill(&d, &matrix[i], f);
        if (status) break;
        draw_matrix(&g, &d, side);
        side = d.side; /* the next is drawn to this scale, or a smaller one */
        grey |= d.high < matrix[i].rows || d.wide < matrix[i].columns;
        free(d.count);
    }
    if (grey) figure_note(&g, "A cell is as dark as its part of the matrix is full.");
    const int saved = figure_close(&g);
    return status ? status : saved;
}
