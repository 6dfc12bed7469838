/* main.c - costate COMMAND MODEL.c [options]: results on stdout, diagnostics on stderr. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"diff", cli_diff, "writes the derivatives of a model as C"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void help(FILE *to)
{
    fprintf(to, "usage: costate COMMAND MODEL.c [options]\n\ncommands:\n");
    for (int i = 0; i < COMMANDS; i++) fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
    fprintf(to, "\n`costate COMMAND --help` says more. Exit codes: 0 good, 1 usage, 2 the model was refused, 3 it did not\n"
                "compile, 4 the integration failed, 5 the check failed.\n");
}

int cli_usage(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "costate %s: ", command);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\ntry: costate %s --help\n", command);
    va_end(args);
    return EXIT_USAGE;
}

static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (!*name) return help(stderr), EXIT_USAGE;
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) return help(stdout), EXIT_GOOD;
    if (!strcmp(name, "--version")) return puts("costate " COSTATE_VERSION), EXIT_GOOD;
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(name, commands[i].name)) return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "costate: there is no command '%s', but", name);
    for (int i = 0; i < COMMANDS; i++) fprintf(stderr, "%s %s", i ? "," : "", commands[i].name);
    fprintf(stderr, "\n");
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);
    if ((fflush(stdout) || ferror(stdout)) && code == EXIT_GOOD) {
        fprintf(stderr, "costate: the results cannot be written\n");
        code = EXIT_USAGE;
    }
    return code;
}
