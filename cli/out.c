/* out.c - where results go: to standard output, or to a file that is complete when it appears. A reader of standard output that
 * goes away ends the program without a word. */
#include "cli.h"
#include "platform/file.h"
#include "platform/machine.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int cli_out_open(cli_out *o, const cli_request *r)
{
    const char *no_color = getenv("NO_COLOR");
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away shows as an error of writing */
    *o = (cli_out){.to = stdout, .command = r->command->name, .path = cli_value(r, OPT_OUTPUT), .width = 80,
                   .quiet = cli_value(r, OPT_QUIET) != NULL};
    if (o->path) {
        const int why = platform_file_writable(o->path); /* better to know before a long run */
        if (why) return cli_usage(o->command, "%s cannot be written: %s", o->path, strerror(why));
        o->to = open_memstream(&o->text, &o->length);
        return o->to ? EXIT_GOOD : cli_usage(o->command, "out of memory");
    }
    const int columns = platform_terminal_width(fileno(stdout));
    o->colours = columns && !cli_value(r, OPT_NO_COLOR) && !(no_color && *no_color);
    if (columns > o->width) o->width = columns;
    return EXIT_GOOD;
}

/* 0, or an errno. */
static int finish(cli_out *o)
{
    errno = 0;
    const int failed = ferror(o->to) | fflush(o->to), why = failed ? (errno ? errno : EIO) : 0;
    return !why && o->path ? platform_file_replace(o->path, o->text, o->length) : why;
}

int cli_out_close(cli_out *o, int code)
{
    const int why = o->to && (code == EXIT_GOOD || code == EXIT_CHECK || o->partial) ? finish(o) : 0;
    if (why && why != EPIPE)
        fprintf(stderr, "costate %s: %s cannot be written: %s\n", o->command, o->path ? o->path : "standard output",
                strerror(why));
    if (o->to && o->path) fclose(o->to);
    for (int i = 0; i < o->warnings; i++) free(o->warning[i]);
    free(o->warning);
    free(o->text);
    return why ? EXIT_USAGE : code;
}

void cli_bold(cli_out *o, int on)
{
    if (o->colours) fputs(on ? "\033[1m" : "\033[0m", o->to);
}

void cli_warn(cli_out *o, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (int i = 0; i < o->warnings; i++)
        if (!strcmp(o->warning[i], text)) return;
    char **more = realloc(o->warning, ((size_t)o->warnings + 1) * sizeof *more);
    if (!more) return;
    o->warning = more;
    o->warning[o->warnings++] = cli_text("%s", text);
    if (!o->quiet) fprintf(stderr, "costate %s: warning: %s\n", o->command, text);
}
