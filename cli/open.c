/* open.c - opening a model for a command. While compilers run, SIGINT, SIGTERM and SIGHUP only raise a flag: the run is given
 * up, its temporary files are removed, and then the signal has its usual effect. */
#include "cli.h"

#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t caught;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void note(int signal)
{
    caught = signal;
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

int cli_open_with(cli_opener *open, costate_model **m, const char *file, costate_model_options *options, void *context)
{
    struct sigaction before[SIGNALS], during = {.sa_handler = note}; /* no SA_RESTART: the wait for a compiler ends */
    sigemptyset(&during.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) sigaction(signals[i], &during, NULL);
    }
    options->stop = &caught;
    const int status = open(m, file, options, context);
    options->stop = NULL;
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &before[i], NULL);

    if (status && !caught) fputs(costate_model_message(*m), stderr);
    fputs(*m && !status ? costate_model_warnings(*m) : "", stderr);
    if (caught) {
        costate_model_close(*m);
        *m = NULL;
        raise(caught);
    }
    return exit_code(status);
}

static int plain(costate_model **m, const char *file, costate_model_options *options, void *context)
{
    (void)context;
    return costate_model_open(m, file, options);
}

int cli_open(costate_model **m, const char *file, costate_model_options *options)
{
    return cli_open_with(plain, m, file, options, NULL);
}
