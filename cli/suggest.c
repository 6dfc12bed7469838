/* suggest.c - what is probably meant by the name of a method, a command or a file that there is none of. */
#include "cli.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

typedef struct alias {
    const char *words; /* small letters and digits alone, with a blank before and behind each */
    const char *here;  /* what there is in its place */
} alias;

/* Names from other libraries and books. */
static const alias methods[] = {
    {" rk45 ode45 dopri dopri54 dp5 dormandprince ", "that pair, of Dormand and Prince, is dopri5 here"},
    {" tsit5 rkf45 fehlberg merson bs5 ", "dopri5 is of the same order"},
    {" rk4 rungekutta rungekutta4 classical ", "rk43 is of order 4, and --step H makes steps of one size"},
    {" ode23 bs3 bogackishampine ", "rk32 is of order 3"},
    {" euler forwardeuler heun midpoint rk2 ralston ", "rk23 is of order 2, which is the least"},
    {" dop853 rk8 ode78 ode89 vern7 vern8 vern9 ", "dopri853 is of order 8"},
    {" vern6 dverk ", "verner65 is of order 6"},
    {" radau radau5 radauiia radauiia5 ", "Radau IIA of order 5 is radau2a here"},
    {" rodas rodas4p rodas5 rodas5p rosenbrock rosenbrock23 ode23s ", "of Rosenbrock's kind, rodas4 is a good choice"},
    {" sdirk dirk esdirk trbdf2 kencarp4 kencarp5 ode23t ode23tb ", "of that kind, sdirk4a is a good choice"},
    {" backwardeuler impliciteuler cranknicolson trapezoidal stiff implicit ",
     "auto goes over to rodas4 or radau2a where a model is stiff"},
    {" gausslegendre gauss6 ", "of order 6 it is gauss here"},
    {" bdf ndf gear ode15s ode15i lsode vode zvode cvode cvodes cvodebdf qndf fbdf dassl daspk ida idas bdf2 ",
     "the backward differentiation formulas are bdf here"},
    {" lsoda lsodar ", "it changes between kinds of methods while it runs, and so does auto"},
    {" adams abm ode113 vcabm cvodeadams ", "a multistep method; dopri853 is a good choice in its place"},
    {" explicit nonstiff default ", "dopri5 is a good choice, and auto begins with it"},
};

static const alias commands[] = {
    {" simulate sim solve integrate forward ode ", "run"},
    {" adjoint derivative derivatives backward vjp ", "gradient"},
    {" sensitivity sensitivities jacobian jvp ", "tangent"},
    {" hvp secondorder ", "hessian"},
    {" verify test certify certificate validate prove ", "check"},
    {" benchmark bench workprecision ", "compare"},
    {" differentiate generate compile emit ad lint ", "diff"},
    {" linsol linsols ", "solvers"},
    {" list ", "methods"},
    {" man usage ", "help"},
    {" version ", "--version"},
    {" plot draw ", "run MODEL.c --plot FILE"},
    {" ensemble ", "run --ensemble FILE' or 'gradient --ensemble FILE"},
};

/* What stands for the word, whatever its case and punctuation; NULL: nothing. */
static const char *stands_for(const char *word, const alias *list, size_t count)
{
    char bare[64] = " ";
    size_t length = 1;
    for (; *word && length < sizeof bare - 2; word++)
        if (isalnum((unsigned char)*word)) bare[length++] = (char)tolower((unsigned char)*word);
    if (*word || length < 2) return NULL;
    bare[length] = ' ';
    for (size_t i = 0; i < count; i++)
        if (strstr(list[i].words, bare)) return list[i].here;
    return NULL;
}

static const char *method_name(int i, const void *context)
{
    (void)context;
    return costate_method(i)->name;
}

int suggest_method(const char *command, const char *name)
{
    const char *here = stands_for(name, methods, sizeof methods / sizeof *methods);
    if (here) return cli_usage(command, "there is no method '%s': %s", name, here);
    const int near = cli_nearest(name, (int)strlen(name), costate_method_count(), method_name, NULL);
    if (near >= 0) return cli_usage(command, "there is no method '%s'; did you mean '%s'?", name, method_name(near, NULL));
    return cli_usage(command, "there is no method '%s'; `costate methods` lists them", name);
}

/* ---- commands --------------------------------------------------------------------------------------------------------- */

static const char *command_name(int i, const void *context)
{
    (void)context;
    return cli_commands[i].name;
}

static int is_model(const char *name)
{
    const size_t length = strlen(name);
    return length > 2 && !strcmp(name + length - 2, ".c");
}

int suggest_command(const char *name, const char *next)
{
    const cli_command *meant = next ? cli_command_find(next) : NULL;
    if (is_model(name)) {
        fprintf(stderr, "costate: %s\n  try: costate %s %s\n", meant ? "the command comes before the model" : "which command?",
                meant ? meant->name : "gradient", name);
        return EXIT_USAGE;
    }
    if (*name == '-') {
        fprintf(stderr, "costate: options follow the command: costate COMMAND MODEL.c %s\ntry: costate help\n", name);
        return EXIT_USAGE;
    }
    const char *here = stands_for(name, commands, sizeof commands / sizeof *commands);
    const int near = here ? -1 : cli_nearest(name, (int)strlen(name), cli_command_count, command_name, NULL);
    fprintf(stderr, "costate: there is no command '%s'", name);
    if (near >= 0) here = cli_commands[near].name;
    if (here) fprintf(stderr, "; did you mean '%s'?", here);
    else fprintf(stderr, ", but");
    for (int i = 0; !here && i < cli_command_count; i++) fprintf(stderr, "%s %s", i ? "," : "", cli_commands[i].name);
    fprintf(stderr, "\n");
    return EXIT_USAGE;
}

/* ---- files ------------------------------------------------------------------------------------------------------------ */

static const char *of_list(int i, const void *context)
{
    return ((char *const *)context)[i];
}

/* Names in a folder that end so, without the ending. */
static int list_folder(const char *folder, const char *ending, char **name, int most)
{
    int count = 0;
    DIR *all = opendir(folder);
    for (const struct dirent *file; all && count < most && (file = readdir(all));) {
        const size_t length = strlen(file->d_name), end = strlen(ending);
        if (length <= end || strcmp(file->d_name + length - end, ending)) continue;
        name[count++] = cli_text("%.*s", (int)(length - end), file->d_name);
    }
    if (all) closedir(all);
    return count;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void suggest_file(const char *path, const char *ending)
{
    enum { MOST = 1000 };
    char *name[MOST];
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    char *folder = cli_text("%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    const int count = list_folder(folder, ending, name, MOST);
    const int length = (int)(dot && dot > base ? (size_t)(dot - base) : strlen(base));
    qsort(name, (size_t)count, sizeof *name, by_name); /* folders have no order */
    const int near = cli_nearest(base, length, count, of_list, name);
    if (near >= 0) fprintf(stderr, "  did you mean '%.*s%s%s'?\n", (int)(base - path), path, name[near], ending);
    for (int i = 0; i < count; i++) free(name[i]);
    free(folder);
}
