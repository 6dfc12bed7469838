/* open.c - opening a model for a command. While compilers run, SIGINT, SIGTERM and SIGHUP only raise a flag: the compilers are
 * ended, temporary files are removed, and then the signal has its usual effect. */
#include "cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* At the second signal, or if cleaning up takes longer than this, the process ends at once. */
enum { PATIENCE = 5 };

static void end(int number)
{
    signal(caught ? caught : number, SIG_DFL);
    raise(caught ? caught : number);
}

static void note(int number)
{
    if (caught) end(number);
    caught = number;
    signal(SIGALRM, end);
    alarm(PATIENCE);
}

static int exit_code(int status)
{
    switch ((costate_model_status)status) {
    case COSTATE_MODEL_OK: return EXIT_GOOD;
    case COSTATE_MODEL_FILE: return EXIT_USAGE;
    case COSTATE_MODEL_REFUSED: return EXIT_REFUSED;
    case COSTATE_MODEL_COMPILE:
    case COSTATE_MODEL_COMPILER:
    case COSTATE_MODEL_FOLDER:
    case COSTATE_MODEL_BUG:
    case COSTATE_MODEL_STOPPED:
    case COSTATE_MODEL_MEMORY: break;
    }
    return EXIT_COMPILE;
}

static int open_interruptible(cli_opener *open, costate_model **m, const char *file, costate_model_options *options,
                              void *context)
{
    struct sigaction before[SIGNALS], during = {.sa_handler = note}; /* no SA_RESTART: the wait for a compiler ends */
    sigemptyset(&during.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) sigaction(signals[i], &during, NULL);
    }
    options->stop = &caught;
    const int status = open(m, file, options, context);
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &before[i], NULL);
    return status;
}

/* What has a place in the model says so; what has none is the command's. */
static void print_message(const cli_request *r, const char *message)
{
    if (!strncmp(message, "error: ", 7)) fprintf(stderr, "costate %s: %s", r->command->name, message + 7);
    else fputs(message, stderr);
}

int cli_open_with(cli_opener *open, costate_model **m, const cli_request *r, int order, void *context)
{
    const char **define = cli_take((size_t)r->count, sizeof *define), *text;
    costate_model_options options = {.order = order, .define = define, .nan_check = cli_value(r, OPT_NAN_CHECK) != NULL};
    for (int at = 0; (text = cli_next(r, OPT_DEFINE, &at));) define[options.defines++] = text;
    progress_start(r, "compiling the model");
    const int status = open_interruptible(open, m, r->file, &options, context);
    progress_stop();
    free(define);
    if (caught || status == COSTATE_MODEL_STOPPED) { /* not caught yet: the compiler was faster to go */
        costate_model_close(*m);
        *m = NULL;
        raise(caught ? caught : SIGINT);
    } else if (status) print_message(r, costate_model_message(*m));
    return exit_code(status);
}

static int plain(costate_model **m, const char *file, costate_model_options *options, void *context)
{
    (void)context;
    return costate_model_open(m, file, options);
}

int cli_open(costate_model **m, const cli_request *r, int order)
{
    return cli_open_with(plain, m, r, order, NULL);
}

/* They have lines of source below them; the list of warnings takes the first line of each, standard error all. */
void cli_model_warnings(cli_out *o, const costate_model *m)
{
    const int quiet = o->quiet;
    if (!quiet) fputs(costate_model_warnings(m), stderr);
    o->quiet = 1;
    for (const char *line = costate_model_warnings(m); *line;) {
        const size_t length = strcspn(line, "\n");
        char *text = cli_text("%.*s", (int)length, line);
        if (strstr(text, "warning: ")) cli_warn(o, "%s", text);
        free(text);
        line += length + (line[length] != 0);
    }
    o->quiet = quiet;
}
