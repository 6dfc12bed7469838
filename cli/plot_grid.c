/* plot_grid.c - where the cells of a matrix are on the page, and the names of its rows and columns. */
#include "plot_draw.h"

#include <math.h>

static const double longest = 60, least_size = 4; /* names; of letters */

/* Letters of at most 6 points that fit a cell; size 0: they would be too small. */
static pen_font name_font(const char *const *name, const grid *d)
{
    const double size = fmin(6, d->side * 0.95);
    return (pen_font){.size = name && size >= least_size ? size : 0};
}

static double widest(const char *const *name, int count, const pen_font *font)
{
    double most = 0;
    for (int i = 0; font->size > 0 && i < count; i++) most = fmax(most, text_width(font, name[i]));
    return fmin(most, longest);
}

void grid_place(figure *g, grid *d, double most, double highest, double right)
{
    /* Names take room, which makes cells smaller, which may leave no room for names: the second time tells. */
    double left = 0;
    for (int pass = 0; pass < 2; pass++) {
        d->side = fmin(fmin(most, (g->width - 2 * PLOT_EDGE - 4 - left - right) / d->wide), highest / d->high);
        d->row_font = name_font(d->row_name, d);
        d->column_font = name_font(d->column_name, d);
        left = widest(d->row_name, d->high, &d->row_font) + (d->row_font.size > 0 ? 3 : 0);
    }
    d->x = PLOT_EDGE + 2 + left;
    d->y = g->y + 4 + widest(d->column_name, d->wide, &d->column_font);
}

void grid_names(figure *g, const grid *d)
{
    for (int i = 0; d->row_font.size > 0 && i < d->high; i++)
        pen_fitted(g, d->x - 3, d->y + (i + 0.5) * d->side + d->row_font.size * 0.35, PEN_END, &d->row_font, d->row_name[i],
                   longest);
    for (int j = 0; d->column_font.size > 0 && j < d->wide; j++)
        pen_upwards(g, d->x + (j + 0.5) * d->side + d->column_font.size * 0.35, d->y - 3, &d->column_font, d->column_name[j],
                    longest);
}

void grid_frame(figure *g, const grid *d, double gap)
{
    pen_box(g, d->x - 0.8, d->y - 0.8, d->wide * d->side + 1.6 - gap, d->high * d->side + 1.6 - gap,
            "fill=\"none\" stroke=\"" PLOT_GREY "\" stroke-width=\"0.4\"", NULL);
}
