/* main.c - costate COMMAND MODEL.c [options]: results on stdout, diagnostics and progress on stderr. */
#include "cli.h"
#include "platform/machine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Words before a command: --help and --version are commands of their own here. */
static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (!*name) return help_overview(stderr), EXIT_USAGE;
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) return puts("costate " COSTATE_VERSION), EXIT_GOOD;
    const cli_command *command = cli_command_find(name);
    if (!command) return suggest_command(name, argc > 2 ? argv[2] : NULL);
    cli_request r, help = {.command = cli_command_find("help"), .file = name};
    int code = cli_parse(&r, command, argc - 2, argv + 2);
    if (!code && cli_value(&r, OPT_HELP)) code = cli_help(&help);
    else if (!code) code = command->run(&r);
    cli_request_free(&r);
    return code;
}

/* Linear solvers that are shared objects of their own are installed with the library, not with this program. */
static void find_plugins(void)
{
    char path[4096];
    if (!platform_program(path, sizeof path)) return;
    char *folder = cli_text("%.*s/%s", (int)(strrchr(path, '/') - path), path, COSTATE_PLUGINS);
    setenv("COSTATE_PLUGIN_DIR", folder, 0);
    free(folder);
}

/* A standard stream that is closed must not become the next file that is opened. What takes its place refuses to be used. */
static void occupy_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0) return;
}

int main(int argc, char **argv)
{
    occupy_streams();
    find_plugins();
    const int code = run(argc, argv);
    return code == EXIT_GOOD && fflush(stdout) ? EXIT_USAGE : code;
}
