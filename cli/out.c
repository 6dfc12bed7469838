/* out.c - where results go: to standard output, or to a file that is complete when it appears. A reader of standard output that
 * goes away ends the program without a word. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is there a chance to write the file at the end? Better to know before a long run. */
static int writable(const char *path)
{
    struct stat there;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? cli_text("%.*s", (int)(slash - path + 1), path) : cli_text(".");
    int good = !access(folder, W_OK | X_OK);
    if (!stat(path, &there)) {
        if (S_ISDIR(there.st_mode)) errno = EISDIR, good = 0;
        else if (!S_ISREG(there.st_mode)) good = !access(path, W_OK);
    }
    free(folder);
    return good;
}

int cli_out_open(cli_out *o, const cli_request *r)
{
    const char *no_color = getenv("NO_COLOR");
    struct winsize window;
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away shows as an error of writing */
    *o = (cli_out){.to = stdout, .command = r->command->name, .path = cli_value(r, OPT_OUTPUT), .width = 80,
                   .quiet = cli_value(r, OPT_QUIET) != NULL};
    if (o->path) {
        if (!writable(o->path)) return cli_usage(o->command, "%s cannot be written: %s", o->path, strerror(errno));
        o->to = open_memstream(&o->text, &o->length);
        return o->to ? EXIT_GOOD : cli_usage(o->command, "out of memory");
    }
    const int terminal = isatty(STDOUT_FILENO);
    o->colours = terminal && !cli_value(r, OPT_NO_COLOR) && !(no_color && *no_color);
    if (terminal && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) && window.ws_col > 80) o->width = window.ws_col;
    return EXIT_GOOD;
}

static int write_all(int fd, const char *text, size_t length)
{
    while (length) {
        const ssize_t done = write(fd, text, length);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        text += done;
        length -= (size_t)done;
    }
    return 0;
}

/* Under another name, then renamed. The file has the rights that it would have had, had it been written in place. */
static int replace(const char *path, const char *text, size_t length)
{
    struct stat there;
    const mode_t mask = umask(0);
    umask(mask);
    const mode_t rights = stat(path, &there) ? 0666 & ~mask : there.st_mode & 0777;
    char *temporary = cli_text("%s.XXXXXX", path);
    const int fd = mkstemp(temporary);
    int why = fd < 0 ? errno : write_all(fd, text, length);
    if (!why && (fchmod(fd, rights) || fsync(fd))) why = errno;
    if (fd >= 0 && close(fd) && !why) why = errno;
    if (!why && rename(temporary, path)) why = errno;
    if (why && fd >= 0) unlink(temporary);
    free(temporary);
    return why;
}

/* Signals wait meanwhile: either the whole file is there, or nothing. */
static int save(const char *path, const char *text, size_t length)
{
    struct stat there;
    if (!stat(path, &there) && !S_ISREG(there.st_mode)) { /* /dev/null, a pipe: cannot be replaced */
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        int why = fd < 0 ? errno : write_all(fd, text, length);
        if (fd >= 0 && close(fd) && !why) why = errno;
        return why;
    }
    sigset_t wait, before;
    sigemptyset(&wait);
    sigaddset(&wait, SIGINT);
    sigaddset(&wait, SIGTERM);
    sigaddset(&wait, SIGHUP);
    sigprocmask(SIG_BLOCK, &wait, &before);
    const int why = replace(path, text, length);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return why;
}

/* 0, or an errno. */
static int finish(cli_out *o)
{
    errno = 0;
    const int failed = ferror(o->to) | fflush(o->to), why = failed ? (errno ? errno : EIO) : 0;
    return !why && o->path ? save(o->path, o->text, o->length) : why;
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
