/* plot_maps.c - which lines become maps of colours over their index, and where the maps are. */
#define _GNU_SOURCE /* asprintf */
#include "plot_lines.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIKE = 40, MOST_PANEL_LINES = 200, MOST_MAPS = 6 }; /* more than that many are a map */

/* A line by its group and the part of its name before the index. */
typedef struct stem {
    const char *group, *name; /* "" for NULL */
    size_t length;
    int i;
} stem;

/* The length of a name without its indices, u[3][4], or its digits, u34. */
static size_t stem_length(const char *name)
{
    size_t length = strlen(name);
    while (length && name[length - 1] == ']') {
        size_t open = length - 1;
        while (open && name[open] != '[') open--;
        if (name[open] != '[') break;
        length = open;
    }
    if (!name[length])
        while (length && isdigit((unsigned char)name[length - 1])) length--;
    return length;
}

static int by_group(const void *a, const void *b)
{
    const stem *x = a, *y = b;
    const int order = strcmp(x->group, y->group);
    return order ? order : (x->i > y->i) - (x->i < y->i);
}

static int by_stem(const void *a, const void *b)
{
    const stem *x = a, *y = b;
    int order = strcmp(x->group, y->group);
    if (!order) order = memcmp(x->name, y->name, x->length < y->length ? x->length : y->length);
    if (!order) order = (x->length > y->length) - (x->length < y->length);
    return order ? order : (x->i > y->i) - (x->i < y->i);
}

static int by_size(const void *a, const void *b)
{
    const heat_map *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : x->line[0] - y->line[0];
}

static int by_first(const void *a, const void *b)
{
    return ((const heat_map *)a)->line[0] - ((const heat_map *)b)->line[0];
}

/* A map of these lines; indexed: their names have an index in common. */
static int add(lines *l, int count, const stem *of, int indexed)
{
    heat_map *more = realloc(l->map, ((size_t)l->maps + 1) * sizeof *more);
    if (!more) return plot_fail(l->g->f, "out of memory");
    l->map = more;
    heat_map *m = &l->map[l->maps];
    *m = (heat_map){.count = count, .line = malloc((size_t)count * sizeof *m->line)};
    const char *group = of->group, *things = l->g->f->things ? l->g->f->things : "lines";
    const char *digits = of->name + of->length + (of->name[of->length] == '[');
    if (indexed) m->first = atoi(digits);
    const int made = indexed ? asprintf(&m->title, "%s%s%.*s[i]", group, *group ? ": " : "", (int)of->length, of->name)
                             : asprintf(&m->title, "%s%s%d %s by index", group, *group ? ": " : "", count, things);
    if (made < 0 || !m->line) {
        if (made >= 0) free(m->title);
        free(m->line);
        return plot_fail(l->g->f, "out of memory");
    }
    for (int k = 0; k < count; k++) {
        m->line[k] = of[k].i;
        m->size = fmax(m->size, line_size(l, of[k].i));
        l->done[of[k].i] = 1;
    }
    l->maps++;
    return 0;
}

static int all_zero(const lines *l, int count, const stem *of)
{
    for (int k = 0; k < count; k++)
        if (l->most[of[k].i] > 0) return 0;
    return 1;
}

/* Runs of equal stems, or of equal groups, that are long enough. */
static int add_runs(lines *l, int count, const stem *all, int indexed)
{
    int status = 0;
    for (int from = 0, to; !status && from < count; from = to) {
        for (to = from + 1; to < count && !strcmp(all[from].group, all[to].group); to++)
            if (indexed && (all[from].length != all[to].length || memcmp(all[from].name, all[to].name, all[to].length))) break;
        const int has_index = !indexed || all[from].name[all[from].length];
        if (to - from > (indexed ? ALIKE : MOST_PANEL_LINES) && has_index && !all_zero(l, to - from, all + from))
            status = add(l, to - from, all + from, indexed);
    }
    return status;
}

int maps_make(lines *l)
{
    if (l->count <= ALIKE) return 0;
    stem *all = malloc((size_t)l->count * sizeof *all);
    int status = all ? 0 : plot_fail(l->g->f, "out of memory");
    for (int indexed = 1; indexed >= 0 && !status; indexed--) {
        int count = 0;
        for (int i = 0; i < l->count; i++) {
            const char *name = l->series[i].name ? l->series[i].name : "", *group = l->series[i].group;
            if (!l->done[i]) all[count++] = (stem){group ? group : "", name, stem_length(name), i};
        }
        qsort(all, (size_t)count, sizeof *all, indexed ? by_stem : by_group);
        status = add_runs(l, count, all, indexed);
    }
    free(all);
    if (status || !l->maps) return status;
    qsort(l->map, (size_t)l->maps, sizeof *l->map, by_size);
    l->maps_shown = l->maps < MOST_MAPS ? l->maps : MOST_MAPS;
    if (!l->g->f->ranked) qsort(l->map, (size_t)l->maps_shown, sizeof *l->map, by_first);
    return 0;
}

/* In one column, or two of many. */
int maps_draw(lines *l)
{
    const int shown = l->maps_shown, columns = shown < 4 ? 1 : 2;
    const double cell = l->g->width / columns, high = shown == 1 ? 130 : 90;
    double left = 0, right = axis_width(&l->x) / 2, below = l->g->y;
    int status = 0;
    for (int i = 0; i < shown; i++) {
        const heat_map *m = &l->map[i];
        const axis index = axis_linear(m->first - 0.5, m->first + m->count - 0.5, 4, 0);
        left = fmax(left, axis_width(&index) + 7 + PLOT_EDGE);
        right = fmax(right, heat_room(m, l->series, l->g->f->scale) + PLOT_EDGE);
    }
    const double top = l->g->y;
    for (int i = 0; i < shown && !status; i++) {
        axis x = l->x;
        x.from = cell * (i % columns) + left;
        x.to = cell * (i % columns + 1) - right;
        l->g->y = i < columns ? top : below;
        status = heat_lines(l->g, &x, &l->map[i], l->series, high, i + columns >= shown);
        if (i % columns == columns - 1 || i == shown - 1) below = l->g->y;
    }
    l->g->y = below;
    return status;
}

void maps_note(const lines *l)
{
    const plot *f = l->g->f;
    const char *things = f->things ? f->things : "lines";
    int most = 0, all = 0, drawn = 0;
    for (int i = 0; i < l->maps; i++) {
        all += l->map[i].count;
        if (i >= l->maps_shown) continue;
        drawn += l->map[i].count;
        if (l->map[i].count > most) most = l->map[i].count;
    }
    if (most > HEAT_PIXELS)
        figure_note(l->g, "A row of pixels stands for up to %d %s and shows the largest by absolute value.",
                    (most + HEAT_PIXELS - 1) / HEAT_PIXELS, things);
    if (drawn < all)
        figure_note(l->g, "Mapped are %d of %d %s, in the %d maps with the largest by %s.", drawn, all, things, l->maps_shown,
                    f->measure ? f->measure : "absolute value");
}

void maps_free(lines *l)
{
    for (int i = 0; i < l->maps; i++) {
        free(l->map[i].title);
        free(l->map[i].line);
    }
    free(l->map);
}
