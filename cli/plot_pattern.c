/* plot_pattern.c - where matrices have entries. Up to 128 rows and columns each entry is a square; beyond, cells hold several
 * places of the matrix and are as dark as they are full. */
#include "plot_draw.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS = 128 };

/* How many entries are in each cell, row by row (by malloc). */
static int *fill(const grid *d, const plot_matrix *m)
{
    int *count = calloc((size_t)d->high * (size_t)d->wide + 1, sizeof *count);
    for (int j = 0; count && j < m->columns; j++)
        for (int k = m->colptr[j]; k < m->colptr[j + 1]; k++)
            count[(long)m->rowind[k] * d->high / m->rows * d->wide + (long)j * d->wide / m->columns]++;
    return count;
}

/* Cells of a row that are next to each other and as dark become one rectangle. */
static void draw_cells(figure *g, const grid *d, const plot_matrix *m, const int *count)
{
    const double full = (double)m->rows / d->high * ((double)m->columns / d->wide);
    const double gap = d->side > 3 ? 0.6 : 0; /* large squares stand apart */
    for (int i = 0; i < d->high; i++)
        for (int j = 0, end; j < d->wide; j = end) {
            const int entries = count[i * d->wide + j];
            for (end = j + 1; end < d->wide && gap == 0 && count[i * d->wide + end] == entries; end++)
                ;
            if (!entries) continue;
            char style[64];
            const double dark = 0.25 + 0.75 * fmin(1, entries / full); /* a single entry is seen, too */
            snprintf(style, sizeof style, "fill=\"" PLOT_INK "\" fill-opacity=\"%.2f\"", dark);
            pen_box(g, d->x + j * d->side, d->y + i * d->side, (end - j) * d->side - gap, d->side - gap, style, NULL);
        }
    grid_frame(g, d, gap);
}

/* Squares are at most *side wide, and become as wide as those of the matrix before. */
static int draw_matrix(figure *g, const plot_matrix *m, double *side)
{
    grid d = {.high = m->rows < CELLS ? m->rows : CELLS, .wide = m->columns < CELLS ? m->columns : CELLS};
    int *count = fill(&d, m);
    char text[200];
    if (!count) return plot_fail(g->f, "out of memory");
    snprintf(text, sizeof text, "%.80s%s%d \xc3\x97 %d, %d %s", m->title ? m->title : "", m->title ? ": " : "", m->rows,
             m->columns, m->colptr[m->columns], m->colptr[m->columns] == 1 ? "entry" : "entries");
    pen_fitted(g, PLOT_EDGE, g->y + 7, PEN_START, &font_plain, text, g->width - 2 * PLOT_EDGE);
    g->y += 9;
    if (d.high == m->rows) d.row_name = m->row_name;
    if (d.wide == m->columns) d.column_name = m->column_name;
    grid_place(g, &d, *side, 230, 0);
    grid_names(g, &d);
    draw_cells(g, &d, m, count);
    g->y = d.y + d.high * d.side + 8;
    *side = d.side;
    free(count);
    return 0;
}

int plot_pattern(plot *f, int matrices, const plot_matrix *matrix)
{
    figure g;
    int status = figure_open(&g, f, PLOT_COLUMN), grey = 0;
    double side = 10;
    if (status) return status;
    for (int i = 0; !status && i < matrices; i++) {
        if (matrix[i].rows < 1 || matrix[i].columns < 1) continue;
        status = draw_matrix(&g, &matrix[i], &side);
        grey |= matrix[i].rows > CELLS || matrix[i].columns > CELLS;
    }
    if (grey) figure_note(&g, "A cell is as dark as its part of the matrix is full.");
    const int saved = figure_close(&g);
    return status ? status : saved;
}
