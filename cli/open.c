/* open.c - opening a model for a command. While compilers run, then or later, SIGINT, SIGTERM and SIGHUP only raise a flag: the
 * compilers are ended, temporary files are removed, and then the signal has its usual effect. */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t caught, busy;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* At the second signal, or if cleaning up takes longer than this, the process ends at once. */
enum { PATIENCE = 5, TICKS = 10 }; /* seconds; ticks a second, each of which ends a wait that began just after the signal */

static void end(int number)
{
    signal(caught ? caught : number, SIG_DFL);
    raise(caught ? caught : number);
}

static void tick(int number)
{
    static volatile sig_atomic_t ticks;
    if (++ticks > PATIENCE * TICKS) end(number);
}

static void handle(int number, void (*handler)(int)) /* no SA_RESTART: the wait for a compiler ends */
{
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void note(int number)
{
    if (caught || !busy) end(number);
    caught = number;
    handle(SIGALRM, tick);
    const struct timeval between = {.tv_usec = 1000000 / TICKS};
    setitimer(ITIMER_REAL, &(struct itimerval){between, between}, NULL);
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

/* From here on, for code is compiled when it is first called. */
static void heed_signals(void)
{
    struct sigaction before;
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before);
        if (before.sa_handler != SIG_IGN) handle(signals[i], note);
    }
}

void cli_end_if_told(void)
{
    if (caught) end(SIGINT);
}

/* What has a place in the model says so; what has none is the command's. */
void cli_model_failed(const cli_request *r, const costate_model *m)
{
    int placed;
    const char *reason = costate_model_reason(m, &placed);
    if (!placed) fprintf(stderr, "costate %s: ", r->command->name);
    fputs(reason, stderr);
}

/* What the command will call, where that is known. */
static const char *ahead(const cli_request *r)
{
    if (!(r->command->bit & CLI_GRADIENT)) return NULL;
    const costate_table *method = costate_method_find(cli_method(r)); /* NULL: auto, which begins with an explicit one */
    if (!method || method->family == COSTATE_ERK) return "gradient";
    return method->family == COSTATE_ROS ? "gradient rosenbrock" : "gradient implicit";
}

int cli_open_with(cli_opener *open, costate_model **m, const cli_request *r, void *context)
{
    const char **define = cli_take((size_t)r->count, sizeof *define), *text;
    costate_model_options options = {.define = define, .nan_check = cli_value(r, OPT_NAN_CHECK) != NULL, .ahead = ahead(r)};
    for (int at = 0; (text = cli_next(r, OPT_DEFINE, &at));) define[options.defines++] = text;
    progress_start(r, "compiling the model");
    heed_signals();
    options.stop = &caught;
    options.busy = &busy;
    const int status = open(m, r->file, &options, context);
    progress_stop();
    free(define);
    if (caught || status == COSTATE_MODEL_STOPPED) { /* not caught yet: the compiler was faster to go */
        costate_model_close(*m);
        *m = NULL;
        end(SIGINT);
    } else if (status) cli_model_failed(r, *m);
    if (status == COSTATE_MODEL_FILE && access(r->file, F_OK) && errno == ENOENT) suggest_file(r->file, ".c");
    return exit_code(status);
}

static int plain(costate_model **m, const char *file, costate_model_options *options, void *context)
{
    (void)context;
    return costate_model_open(m, file, options);
}

int cli_open(costate_model **m, const cli_request *r)
{
    return cli_open_with(plain, m, r, NULL);
}

/* They have lines of source below them; the list of warnings takes the first line of each, standard error all. */
void cli_model_warnings(cli_out *o, const costate_model *m)
{
    const int quiet = o->quiet;
    if (!quiet) fputs(costate_model_warnings(m), stderr);
    o->quiet = 1;
    const char *line;
    for (int i = 0, length; (line = costate_model_warning(m, i, &length)); i++) cli_warn(o, "%.*s", length, line);
    o->quiet = quiet;
}
