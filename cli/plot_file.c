/* plot_file.c - from SVG to a file: as it is, in a page of HTML, or through a program that reads it from its standard input and
 * writes PNG or PDF to its standard output. No shell is involved, and no file with a name but the last one, which is renamed into
 * place. */
#define _GNU_SOURCE /* asprintf */
#include "platform/file.h"
#include "platform/process.h"
#include "plot_draw.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum kind { NONE, SVG, HTML, PNG, PDF } kind;
static const char *const endings[] = {"", ".svg", ".html", ".png", ".pdf"};

/* Programs, in the order in which they are tried, and their arguments for PNG (300 dots an inch) and PDF. */
static const struct {
    const char *name;
    const char *const png[8], *const pdf[8];
} converters[] = {
    {"rsvg-convert", {"--format=png", "--dpi-x=300", "--dpi-y=300", NULL}, {"--format=pdf", NULL}},
    {"inkscape", {"--pipe", "--export-type=png", "--export-dpi=300", "--export-filename=-", NULL},
     {"--pipe", "--export-type=pdf", "--export-filename=-", NULL}}};
enum { CONVERTERS = sizeof converters / sizeof *converters };

int plot_fail(plot *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->message, sizeof f->message, format, arguments);
    va_end(arguments);
    return -1;
}

static kind kind_of(const char *path)
{
    const size_t length = strlen(path);
    for (kind k = SVG; k <= PDF; k++) {
        const size_t end = strlen(endings[k]);
        if (length > end && path[length - end - 1] != '/' && !strcmp(path + length - end, endings[k])) return k;
    }
    return NONE;
}

int plot_is_html(const plot *f)
{
    return kind_of(f->path) == HTML;
}

/* The first converter on the PATH; -1: none. */
static int converter(void)
{
    const char *path = getenv("PATH");
    for (int c = 0; path && c < CONVERTERS; c++)
        for (const char *from = path; *from;) {
            const int length = (int)strcspn(from, ":");
            char *file = NULL;
            if (asprintf(&file, "%.*s/%s", length ? length : 1, length ? from : ".", converters[c].name) < 0) return -1;
            const int there = !access(file, X_OK);
            free(file);
            if (there) return c;
            from += length;
            if (*from == ':') from++;
        }
    return -1;
}

int plot_check(plot *f)
{
    f->message[0] = 0;
    const kind k = kind_of(f->path);
    if (k == NONE) return plot_fail(f, "%s: a plot is a file that ends in .svg, .html, .png or .pdf", f->path);
    if (k > HTML && converter() < 0)
        return plot_fail(f, "%s needs rsvg-convert (Debian package %s) or inkscape, and neither is installed; try %.*s.svg",
                         f->path, "librsvg2-bin", (int)strlen(f->path) - 4, f->path);
    const int why = platform_file_writable(f->path);
    return why ? plot_fail(f, "%s cannot be written: %s", f->path, strerror(why)) : 0;
}

/* ---- conversion ----------------------------------------------------------------------------------------------------- */

/* Runs converter c from in to out. What it says on standard error is the user's to read. */
static int convert(plot *f, int c, kind k, FILE *in, FILE *out)
{
    const char *const *options = k == PNG ? converters[c].png : converters[c].pdf;
    char *arguments[10] = {(char *)converters[c].name};
    for (int i = 0; options[i]; i++) arguments[i + 1] = (char *)options[i];
    const int status = platform_filter(arguments, fileno(in), fileno(out));
    if (status < 0) return plot_fail(f, "%s cannot be started: %s", converters[c].name, strerror(-status));
    return status ? plot_fail(f, "%s could not make %s; try a file that ends in .svg", converters[c].name, f->path) : 0;
}

static int place(plot *f, const char *bytes, size_t length)
{
    const int why = platform_file_replace(f->path, bytes, length);
    return why ? plot_fail(f, "%s cannot be written: %s", f->path, strerror(why)) : 0;
}

/* All of an open file becomes the plot. */
static int place_all(plot *f, FILE *from)
{
    const long length = fseek(from, 0, SEEK_END) ? -1 : ftell(from);
    char *bytes = length < 0 ? NULL : malloc((size_t)length + 1);
    rewind(from);
    const int whole = bytes && fread(bytes, 1, (size_t)length, from) == (size_t)length;
    const int status = whole ? place(f, bytes, (size_t)length)
                             : plot_fail(f, "no temporary file can be read: %s", strerror(errno));
    free(bytes);
    return status;
}

static int place_page(plot *f, const char *svg)
{
    char *page = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&page, &length);
    if (!to) return plot_fail(f, "out of memory");
    html_write(to, f->title, svg);
    const int status = fclose(to) ? plot_fail(f, "out of memory") : place(f, page, length);
    free(page);
    return status;
}

int plot_save(plot *f, const char *svg, size_t length)
{
    if (plot_check(f)) return -1;
    const kind k = kind_of(f->path);
    if (k == SVG) return place(f, svg, length);
    if (k == HTML) return place_page(f, svg);
    FILE *in = tmpfile(), *out = tmpfile();
    int status = in && out ? 0 : plot_fail(f, "there is no place for temporary files: %s", strerror(errno));
    if (!status && (fwrite(svg, 1, length, in) != length || fflush(in) || fseek(in, 0, SEEK_SET)))
        status = plot_fail(f, "a temporary file cannot be written: %s", strerror(errno));
    if (!status) status = convert(f, converter(), k, in, out);
    if (!status) status = place_all(f, out);
    if (in) fclose(in);
    if (out) fclose(out);
    return status;
}
