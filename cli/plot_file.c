/* plot_file.c - from SVG to a file: as it is, or through a program that reads it from its standard input and writes PNG or PDF to
 * its standard output. No shell is involved, and no file with a name but the last one, which is renamed into place. */
#define _GNU_SOURCE /* asprintf */
#include "plot_draw.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef enum kind { NONE, SVG, PNG, PDF } kind;
static const char *const endings[] = {"", ".svg", ".png", ".pdf"};

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
    for (kind k = SVG; k <= PDF; k++)
        if (length > 4 && path[length - 5] != '/' && !strcmp(path + length - 4, endings[k])) return k;
    return NONE;
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

/* The folder that path is in (by malloc). */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

int plot_check(plot *f)
{
    f->message[0] = 0;
    const kind k = kind_of(f->path);
    if (k == NONE) return plot_fail(f, "%s: a plot is a file that ends in .svg, .png or .pdf", f->path);
    if (k != SVG && converter() < 0)
        return plot_fail(f, "%s needs rsvg-convert (Debian package %s) or inkscape, and neither is installed; try %.*s.svg",
                         f->path, "librsvg2-bin", (int)strlen(f->path) - 4, f->path);
    char *folder = folder_of(f->path);
    const int bad = !folder || access(folder, W_OK | X_OK);
    const int why = errno;
    free(folder);
    return bad ? plot_fail(f, "%s cannot be written: %s", f->path, strerror(why)) : 0;
}

/* ---- the last step -------------------------------------------------------------------------------------------------- */

static int copy(int to, FILE *from)
{
    char block[1 << 16];
    size_t count;
    while ((count = fread(block, 1, sizeof block, from)) > 0)
        for (size_t done = 0; done < count;) {
            const ssize_t written = write(to, block + done, count - done);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return -1;
            done += (size_t)written;
        }
    return ferror(from) ? -1 : 0;
}

/* Writes a neighbour of the file and renames it, while no signal can come between. */
static int place(plot *f, FILE *from)
{
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.%ld", f->path, (long)getpid()) < 0) return plot_fail(f, "out of memory");
    sigset_t some, before;
    sigemptyset(&some);
    for (int i = 0; i < 3; i++) sigaddset(&some, (const int[]){SIGINT, SIGTERM, SIGHUP}[i]);
    sigprocmask(SIG_BLOCK, &some, &before);
    const int to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int bad = to < 0, why = errno;
    if (!bad) {
        bad = copy(to, from);
        if (bad) why = errno;
        if (close(to) && !bad) bad = 1, why = errno;
        if (!bad && rename(temporary, f->path)) bad = 1, why = errno;
        if (bad) unlink(temporary);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(temporary);
    return bad ? plot_fail(f, "%s cannot be written: %s", f->path, strerror(why)) : 0;
}

/* ---- conversion ----------------------------------------------------------------------------------------------------- */

/* Runs converter c from in to out. What it says on standard error is the user's to read. */
static int convert(plot *f, int c, kind k, FILE *in, FILE *out)
{
    const char *const *options = k == PNG ? converters[c].png : converters[c].pdf;
    char *arguments[10] = {(char *)converters[c].name};
    for (int i = 0; options[i]; i++) arguments[i + 1] = (char *)options[i];
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions)) return plot_fail(f, "out of memory");
    pid_t child = 0;
    int bad = posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
    if (!bad) bad = posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    if (!bad) bad = posix_spawnp(&child, converters[c].name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (bad) return plot_fail(f, "%s cannot be started: %s", converters[c].name, strerror(bad));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status ? plot_fail(f, "%s could not make %s; try a file that ends in .svg", converters[c].name, f->path) : 0;
}

int plot_save(plot *f, const char *svg, size_t length)
{
    if (plot_check(f)) return -1;
    const kind k = kind_of(f->path);
    FILE *in = tmpfile(), *out = tmpfile();
    int status = in && out ? 0 : plot_fail(f, "there is no place for temporary files: %s", strerror(errno));
    if (!status && (fwrite(svg, 1, length, in) != length || fflush(in) || fseek(in, 0, SEEK_SET)))
        status = plot_fail(f, "a temporary file cannot be written: %s", strerror(errno));
    if (!status && k != SVG) {
        status = convert(f, converter(), k, in, out);
        if (!status && fseek(out, 0, SEEK_SET)) status = plot_fail(f, "no temporary file can be read: %s", strerror(errno));
    }
    if (!status) status = place(f, k == SVG ? in : out);
    if (in) fclose(in);
    if (out) fclose(out);
    return status;
}
