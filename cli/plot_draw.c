/* plot_draw.c - a pen that writes SVG. */
#define _GNU_SOURCE /* asprintf */
#include "plot_draw.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const line_style line_styles[PLOT_STYLES] = {
    {"#1a1a1a", ""}, {"#1f5f9e", "5 1.6"}, {"#b5471b", "1.4 1.4"}, {"#2f7a45", "6 1.5 1.4 1.5"}, {"#7a3f93", "2.8 1.6"}};

static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};

/* ---- text ----------------------------------------------------------------------------------------------------------- */

/* The width of the character at s in ems, and in *bytes its length: a guess on the wide side of the sans-serif fonts in use. */
static double glyph(const char *s, int *bytes)
{
    const unsigned char c = (unsigned char)*s;
    *bytes = 1;
    if (c >= 0x80) {
        while (((unsigned char)s[*bytes] & 0xc0) == 0x80) ++*bytes;
        return 0.65;
    }
    if (strchr("ijlI.,:;'|! ()[]", c)) return 0.36;
    if (strchr("mwMW@%", c)) return 0.95;
    if (c >= 'A' && c <= 'Z') return 0.7;
    return 0.6;
}

double text_width(const char *text)
{
    double width = 0;
    for (int bytes; *text; text += bytes) width += PLOT_SIZE * glyph(text, &bytes);
    return width;
}

char *text_fit(const char *text, double width)
{
    static const char dots[] = "\xe2\x80\xa6";
    char *fit = malloc(strlen(text) + sizeof dots);
    if (!fit) return NULL;
    strcpy(fit, text);
    if (text_width(text) <= width) return fit;
    const double half = (width - 0.65 * PLOT_SIZE) / 2;
    size_t head = 0, tail = 0;
    double used = 0, left = text_width(text);
    for (int bytes; (used += PLOT_SIZE * glyph(text + head, &bytes)) <= half || !head; head += (size_t)bytes)
        ;
    for (int bytes; left > half && text[tail]; tail += (size_t)bytes) left -= PLOT_SIZE * glyph(text + tail, &bytes);
    strcpy(fit + head, dots);
    strcat(fit + head, text + tail);
    return fit;
}

/* The length of the UTF-8 character at s if it is one that XML may hold, else 0. */
static int valid(const unsigned char *s)
{
    if (*s < 0x80) return *s >= 0x20 || *s == '\t';
    const int length = *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    /* Too long forms, surrogates, what is beyond the last character, and two that XML excludes. */
    if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xef && s[1] == 0xbf && s[2] > 0xbd)) return 0;
    if ((*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f)) return 0;
    return length;
}

static void escaped(FILE *to, const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int length = valid(s);
        if (!length) fputc('?', to);
        else if (*s == '<') fputs("&lt;", to);
        else if (*s == '>') fputs("&gt;", to);
        else if (*s == '&') fputs("&amp;", to);
        else if (*s == '"') fputs("&quot;", to);
        else fwrite(s, 1, (size_t)length, to);
        s += length ? length : 1;
    }
}

int drawable(double x)
{
    return fabs(x) <= 1e300;
}

/* ---- marks ---------------------------------------------------------------------------------------------------------- */

void pen_line(figure *g, double x0, double y0, double x1, double y1, const char *style)
{
    fprintf(g->to, "<path d=\"M%.2f %.2fL%.2f %.2f\" %s/>\n", x0, y0, x1, y1, style);
}

void pen_box(figure *g, double x, double y, double wide, double high, const char *style)
{
    fprintf(g->to, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" %s/>\n", x, y, wide, high, style);
}

void pen_text(figure *g, double x, double y, pen_anchor anchor, const char *style, const char *text)
{
    fprintf(g->to, "<text x=\"%.2f\" y=\"%.2f\"%s %s>", x, y, anchors[anchor], style);
    escaped(g->to, text);
    fputs("</text>\n", g->to);
}

void pen_fitted(figure *g, double x, double y, pen_anchor anchor, const char *style, const char *text, double width)
{
    char *fit = text_fit(text, width);
    if (fit) pen_text(g, x, y, anchor, style, fit);
    free(fit);
}

void pen_power(figure *g, double x, double y, pen_anchor anchor, const char *before, int exponent)
{
    fprintf(g->to, "<text x=\"%.2f\" y=\"%.2f\"%s>%s<tspan dy=\"-2.6\" font-size=\"5\">%s%d</tspan></text>\n", x, y,
            anchors[anchor], before, exponent < 0 ? PLOT_MINUS : "", abs(exponent));
}

polyline polyline_open(figure *g, const line_style *style, double width)
{
    fprintf(g->to, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-linejoin=\"round\"", style->colour, width);
    if (*style->dashes) fprintf(g->to, " stroke-dasharray=\"%s\"", style->dashes);
    fputs(" d=\"", g->to);
    return (polyline){.g = g};
}

void polyline_to(polyline *l, double x, double y)
{
    if (!drawable(x) || !drawable(y)) {
        l->down = 0;
        return;
    }
    if (l->down && fabs(x - l->x) < 0.12 && fabs(y - l->y) < 0.12) return; /* nobody sees it */
    fprintf(l->g->to, "%c%.2f %.2f", l->down ? 'L' : 'M', x, y);
    l->x = x;
    l->y = y;
    l->down = 1;
}

void polyline_close(polyline *l)
{
    fputs("\"/>\n", l->g->to);
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
    *g = (figure){.f = f, .width = width, .y = 4};
    f->message[0] = 0;
    g->to = open_memstream(&g->text, &g->length);
    if (!g->to) return plot_fail(f, "out of memory");
    if (!f->title) return 0;
    pen_fitted(g, 4, g->y + 7, PEN_START, "font-size=\"8\" font-weight=\"bold\"", f->title, (width - 8) / 1.2);
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
    if (!text) return;
    const double room = (g->width - 8) * PLOT_SIZE / 6; /* notes are of 6 points */
    for (char *line = text, *next; *line; line = next) {
        char *end = line, *fits = NULL;
        double used = 0;
        for (int bytes; *end; end += bytes) {
            if (*end == ' ') fits = end;
            used += PLOT_SIZE * glyph(end, &bytes);
            if (used > room && fits) break;
        }
        if (!*end) fits = end;
        next = *fits ? fits + 1 : fits;
        *fits = 0;
        g->y += 7.5;
        pen_text(g, 4, g->y, PEN_START, "font-size=\"6\" fill=\"" PLOT_GREY "\"", line);
    }
    free(text);
}

int figure_close(figure *g)
{
    int status = fclose(g->to) ? plot_fail(g->f, "out of memory") : 0;
    char *svg = NULL;
    if (!status) {
        const double high = g->y + 4;
        const int length = asprintf(&svg,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.2fmm\" height=\"%.2fmm\" viewBox=\"0 0 %.2f %.2f\" "
            "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" font-size=\"%g\" "
            "fill=\"" PLOT_INK "\">\n"
            "<rect x=\"-2\" y=\"-2\" width=\"110%%\" height=\"110%%\" fill=\"#fff\"/>\n%s</svg>\n",
            g->width * 25.4 / 72, high * 25.4 / 72, g->width, high, PLOT_SIZE, g->text);
        status = length < 0 ? plot_fail(g->f, "out of memory") : plot_save(g->f, svg, (size_t)length);
        if (length < 0) svg = NULL;
    }
    free(svg);
    free(g->text);
    return status;
}
