/* drawn.h - what the tests of figures share: a folder for them, and that an SVG is well formed and writes nothing beyond its
 * edges. */
#ifndef COSTATE_TESTS_DRAWN_H
#define COSTATE_TESTS_DRAWN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plot_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 50 };

static char folder[] = "/tmp/costate-plot-XXXXXX";

static inline int make_folder(void **unused)
{
    (void)unused;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **unused)
{
    (void)unused;
    return rmdir(folder); /* fails if a test left a file */
}

/* A path in the folder; one at a time. */
static inline const char *at(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline char *content(const char *path)
{
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    assert_int_equal(fseek(from, 0, SEEK_END), 0);
    const long length = ftell(from);
    rewind(from);
    char *text = calloc((size_t)length + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)length, from), length);
    fclose(from);
    return text;
}

static inline int count(const char *text, const char *what)
{
    int found = 0;
    for (const char *s = text; (s = strstr(s, what)); s += strlen(what)) found++;
    return found;
}

/* Tags are closed in order, every & begins an entity, there are no control characters, and no number is NaN or infinite. */
static inline void well_formed(const char *svg)
{
    char open[16][16];
    int depth = 0;
    assert_int_equal(strncmp(svg, "<?xml", 5), 0);
    for (const char *s = strchr(svg, '\n'); *s; s++) {
        if (*s == '&')
            assert_true(!strncmp(s, "&lt;", 4) || !strncmp(s, "&gt;", 4) || !strncmp(s, "&amp;", 5) || !strncmp(s, "&quot;", 6));
        assert_true((unsigned char)*s >= 0x20 || *s == '\n' || *s == '\t');
        if (*s != '<') continue;
        const char *end = strchr(s, '>');
        assert_non_null(end);
        char name[16] = "";
        const int closing = s[1] == '/';
        sscanf(s + 1 + closing, "%15[a-z]", name);
        if (closing) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < 16);
            strcpy(open[depth++], name);
        }
        for (const char *a = s; !closing && a < end; a++) /* numbers in attributes */
            assert_false(!strncmp(a, "nan", 3) || (!strncmp(a, "inf", 3)));
        s = end;
    }
    assert_int_equal(depth, 0);
}

static inline double attribute(const char *tag, const char *name, double preset)
{
    char key[32];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *found = strstr(tag, key);
    return found ? strtod(found + strlen(key), NULL) : preset;
}

/* The text of an element up to its end, without tags and with entities as one character. */
static inline void plain_text(const char *from, const char *end, char text[1000])
{
    size_t length = 0;
    for (const char *s = from; s < end && length < 998; s++) {
        if (*s == '<') s = strchr(s, '>');
        else {
            text[length++] = *s == '&' ? 'm' : *s;
            if (*s == '&') s = strchr(s, ';');
        }
    }
    text[length] = 0;
}

/* How wide it is, with what stands higher being smaller. */
static inline double measured(const pen_font *font, const char *from, const char *end)
{
    char text[1000];
    const char *raised = strstr(from, "<tspan");
    const pen_font small = {font->size * 5 / 7, font->bold, NULL};
    if (!raised || raised > end) raised = end;
    plain_text(from, raised, text);
    const double width = text_width(font, text);
    plain_text(raised, end, text);
    return width + text_width(&small, text);
}

/* No text crosses an edge of the page, by its own measure, be it level or upwards. */
static inline void inside_the_page(const char *svg)
{
    double wide = 0, high = 0;
    assert_int_equal(sscanf(strstr(svg, "viewBox="), "viewBox=\"0 0 %lf %lf\"", &wide, &high), 2);
    for (const char *s = svg; (s = strstr(s, "<text"));) {
        const char *end = strstr(s, "</text>"), *close = strchr(s, '>');
        char tag[400];
        snprintf(tag, sizeof tag, "%.*s", (int)(close - s), s);
        const pen_font font = {attribute(tag, "font-size", font_plain.size), strstr(tag, "bold") != NULL, NULL};
        const double x = attribute(tag, "x", NAN), y = attribute(tag, "y", NAN), length = measured(&font, close + 1, end);
        const double left = strstr(tag, "\"middle\"") ? length / 2 : strstr(tag, "\"end\"") ? length : 0;
        const int turned = strstr(tag, "rotate(-90") != NULL;
        const double from = turned ? y - length : x - left, to = turned ? y : x + length - left;
        if (!(from >= 0 && to <= (turned ? high : wide) + 0.01))
            fail_msg("beyond the edge, %g .. %g: %.*s", from, to, (int)(end - close), close);
        assert_true(turned ? x > 0 && x < wide : y > 3 && y < high);
        s = end;
    }
}

/* The SVG that a figure was written to, checked, and its file removed. */
static inline char *taken(const plot *f, int status)
{
    if (status) fail_msg("%s", f->message);
    char *svg = content(f->path);
    well_formed(svg);
    inside_the_page(svg);
    assert_int_equal(unlink(f->path), 0);
    return svg;
}

static inline plot_series line(const char *name, const char *group, int rows, int stride, const double *x, const double *y)
{
    return (plot_series){.name = name, .group = group, .count = rows, .stride = stride, .x = x, .y = y};
}

#endif
