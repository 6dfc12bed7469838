/* plot_draw.c - a pen that writes SVG. */
#define _GNU_SOURCE /* asprintf */
#include "plot_draw.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const line_style line_styles[PLOT_STYLES] = {
    {"#1a1a1a", ""}, {"#1f5f9e", "5 1.6"}, {"#b5471b", "1.4 1.4"}, {"#2f7a45", "6 1.5 1.4 1.5"}, {"#7a3f93", "2.8 1.6"}};

/* What a colour of paper is on a dark screen; the others are the same on both. */
static const struct {
    const char *light, *dark;
} colours[] = {{PLOT_PAPER, "#16181c"}, {PLOT_INK, "#e2e2e2"}, {PLOT_GREY, "#a4a4a4"},  {PLOT_FAINT, "#5c5c5c"},
               {PLOT_RULE, "#404348"},  {PLOT_BAR, "#7fa8d0"}, {"#1a1a1a", "#f0f0f0"},  {"#1f5f9e", "#6db3f2"},
               {"#b5471b", "#f28c5e"},  {"#2f7a45", "#74c98a"}, {"#7a3f93", "#cb97e6"}};
enum { COLOURS = sizeof colours / sizeof *colours };

/* ---- marks ---------------------------------------------------------------------------------------------------------- */

int drawable(double x)
{
    return fabs(x) <= 1e300;
}

/* Closes the element that is being written, with a title in it that browsers show to those who point at it. */
static void end_with_tip(figure *g, const char *element, const char *tip)
{
    if (!tip) {
        fputs("/>\n", g->to);
        return;
    }
    fputs("><title>", g->to);
    text_escaped(g->to, tip);
    fprintf(g->to, "</title></%s>\n", element);
}

void pen_line(figure *g, double x0, double y0, double x1, double y1, const char *style)
{
    fprintf(g->to, "<path d=\"M%.2f %.2fL%.2f %.2f\" %s/>\n", x0, y0, x1, y1, style);
}

void pen_box(figure *g, double x, double y, double wide, double high, const char *style, const char *tip)
{
    fprintf(g->to, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" %s", x, y, wide, high, style);
    end_with_tip(g, "rect", tip);
}

static void text_open(figure *g, double x, double y, pen_anchor anchor, const pen_font *font)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    fprintf(g->to, "<text x=\"%.2f\" y=\"%.2f\"%s", x, y, anchors[anchor]);
    if (font->size != font_plain.size) fprintf(g->to, " font-size=\"%.3g\"", font->size);
    if (font->bold) fputs(" font-weight=\"bold\"", g->to);
    if (font->colour) fprintf(g->to, " fill=\"%s\"", font->colour);
}

void pen_text(figure *g, double x, double y, pen_anchor anchor, const pen_font *font, const char *text)
{
    text_open(g, x, y, anchor, font);
    fputs(">", g->to);
    text_escaped(g->to, text);
    fputs("</text>\n", g->to);
}

void pen_fitted(figure *g, double x, double y, pen_anchor anchor, const pen_font *font, const char *text, double width)
{
    char *fit = text_fit(font, text, width);
    if (fit) pen_text(g, x, y, anchor, font, fit);
    free(fit);
}

void pen_upwards(figure *g, double x, double y, const pen_font *font, const char *text, double width)
{
    char *fit = text_fit(font, text, width);
    text_open(g, x, y, PEN_START, font);
    fprintf(g->to, " transform=\"rotate(-90 %.2f %.2f)\">", x, y);
    text_escaped(g->to, fit ? fit : "");
    fputs("</text>\n", g->to);
    free(fit);
}

void pen_power(figure *g, double x, double y, pen_anchor anchor, const pen_font *font, const char *before, int exponent)
{
    text_open(g, x, y, anchor, font);
    fprintf(g->to, ">%s", before);
    if (exponent != INT_MIN)
        fprintf(g->to, "<tspan dy=\"%.3g\" font-size=\"%.3g\">%s%d</tspan>", -font->size * 2.6 / 7, font->size * 5 / 7,
                exponent < 0 ? PLOT_MINUS : "", abs(exponent));
    fputs("</text>\n", g->to);
}

polyline polyline_open(figure *g, const line_style *style, double width, const char *name)
{
    fprintf(g->to, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-linejoin=\"round\"", style->colour, width);
    if (*style->dashes) fprintf(g->to, " stroke-dasharray=\"%s\"", style->dashes);
    fputs(" d=\"", g->to);
    return (polyline){.g = g, .name = name};
}

void polyline_to(polyline *l, double x, double y)
{
    if (!drawable(x) || !drawable(y)) {
        l->down = 0;
        return;
    }
    if (l->down && fabs(x - l->x) < l->g->grain && fabs(y - l->y) < l->g->grain) return; /* nobody sees it */
    fprintf(l->g->to, "%c%.2f %.2f", l->down ? 'L' : 'M', x, y);
    l->x = x;
    l->y = y;
    l->down = 1;
}

void polyline_close(polyline *l)
{
    fputs("\"", l->g->to);
    end_with_tip(l->g, "path", l->name);
}

void pen_mark(figure *g, int shape, int open, const char *colour, double x, double y)
{
    const double r = 1.9, q = 2.5; /* half the width */
    fprintf(g->to, "<path fill=\"%s\" stroke=\"%s\" stroke-width=\"0.7\" data-p=\"%.2f %.2f\" d=\"",
            open ? PLOT_PAPER : colour, colour, x, y);
    switch (shape) {
    case 0: fprintf(g->to, "M%.2f %.2fa%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0Z", x - r, y, r, r, 2 * r, r, r, -2 * r); break;
    case 1: fprintf(g->to, "M%.2f %.2fh%gv%gh%gZ", x - r, y - r, 2 * r, 2 * r, -2 * r); break;
    case 2: fprintf(g->to, "M%.2f %.2fl%g %gh%gZ", x, y - r - 0.4, r + 0.4, 2 * r, -2 * r - 0.8); break;
    case 3: fprintf(g->to, "M%.2f %.2fl%g %gl%g %gl%g %gZ", x, y - q, q, q, -q, q, -q, -q); break;
    default: fprintf(g->to, "M%.2f %.2fl%g %gm0 %gl%g %g", x - r, y - r, 2 * r, 2 * r, -2 * r, -2 * r, 2 * r); break;
    }
    fputs("\"/>\n", g->to);
}

void spread(int count, double *place, double gap, double top, double bottom)
{
    /* place[i] - i*gap must not fall: least squares under that is the mean of each run of neighbours that touch. */
    for (int i = 0; i < count; i++) place[i] -= i * gap;
    for (int end = 1; end < count; end++)
        for (int start = end; start > 0 && place[start - 1] > place[start];) {
            int first = start - 1;
            while (first > 0 && place[first - 1] == place[start - 1]) first--;
            double sum = 0;
            for (int i = first; i <= end; i++) sum += place[i];
            for (int i = first; i <= end; i++) place[i] = sum / (end - first + 1);
            start = first;
        }
    const double room = bottom - (count - 1) * gap;
    for (int i = 0; i < count; i++) {
        if (place[i] > room) place[i] = room;
        if (place[i] < top) place[i] = top;
        place[i] += i * gap;
    }
}

/* ---- the figure ----------------------------------------------------------------------------------------------------- */

int figure_open(figure *g, plot *f, double width)
{
    *g = (figure){.f = f, .width = width, .y = PLOT_EDGE, .grain = plot_is_html(f) ? 0.01 : 0.12};
    f->message[0] = 0;
    g->to = open_memstream(&g->text, &g->length);
    if (!g->to) return plot_fail(f, "out of memory");
    if (!f->title) return 0;
    pen_fitted(g, PLOT_EDGE, g->y + 7, PEN_START, &font_title, f->title, width - 2 * PLOT_EDGE);
    g->y += 12;
    return 0;
}

void figure_note(figure *g, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    for (char *line = text; line && *line;) {
        char *end = line + text_line(&font_small, line, g->width - 2 * PLOT_EDGE), *next = *end ? end + 1 : end;
        *end = 0;
        g->y += 7.5;
        pen_fitted(g, PLOT_EDGE, g->y, PEN_START, &font_small, line, g->width - 2 * PLOT_EDGE);
        line = next;
    }
    free(text);
}

static void write_style(FILE *to)
{
    fputs("<style>@media (prefers-color-scheme:dark){", to);
    for (int i = 0; i < COLOURS; i++)
        fprintf(to, "[fill=\"%s\"]{fill:%s}[stroke=\"%s\"]{stroke:%s}", colours[i].light, colours[i].dark, colours[i].light,
                colours[i].dark);
    fputs("}</style>\n", to);
}

static int write_svg(const figure *g, char **svg, size_t *length)
{
    const double high = g->y + PLOT_EDGE;
    FILE *to = open_memstream(svg, length);
    if (!to) return plot_fail(g->f, "out of memory");
    fprintf(to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%.2fmm\" height=\"%.2fmm\" viewBox=\"0 0 %.2f %.2f\" "
            "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" font-size=\"%g\" "
            "fill=\"" PLOT_INK "\">\n",
            g->width * 25.4 / 72, high * 25.4 / 72, g->width, high, font_plain.size);
    write_style(to);
    fprintf(to, "<rect x=\"-2\" y=\"-2\" width=\"110%%\" height=\"110%%\" fill=\"" PLOT_PAPER "\"/>\n%s</svg>\n", g->text);
    return fclose(to) ? plot_fail(g->f, "out of memory") : 0;
}

int figure_close(figure *g)
{
    int status = fclose(g->to) ? plot_fail(g->f, "out of memory") : 0;
    char *svg = NULL;
    size_t length = 0;
    if (!status) status = write_svg(g, &svg, &length);
    if (!status) status = plot_save(g->f, svg, length);
    free(svg);
    free(g->text);
    return status;
}
