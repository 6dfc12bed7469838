/* commands.c - the commands with what is said about them, and the options they take. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

const cli_command cli_commands[] = {
    {"run", CLI_RUN, cli_run, "integrates a model",
     "Integrates the model and prints the final state and the objectives, or, with --points or --at, the state at points "
     "of time by the method's own interpolation; the steps are the same either way.\n\n"
     "With --ensemble there is a run for every row of a CSV file, --threads of them at a time; see costate help gradient.\n\n"
     "Without --method, and unless the model names one, the method is auto: dopri5, an explicit one, while that is sound and "
     "cheap; when a model proves stiff the run is started again with rodas4 or radau2a, which are implicit. What it was is "
     "in the head of the table, and --verbose says why.",
     "costate run lotka_volterra.c --points 101 --format csv -o orbit.csv"},
    {"gradient", CLI_GRADIENT, cli_gradient, "derivatives of the objectives, by the adjoint",
     "Prints the derivative of every objective with respect to every parameter and initial value. They are the exact "
     "derivatives of the numerical solution, at a cost that does not grow with the number of parameters; where variables are "
     "few and objectives many they are computed forward, which is cheaper then (--sensitivities chooses). The objectives "
     "are what the model's terminal, running and observe add up to; a model without any has its final states as "
     "objectives, unless they are more than 500.\n\n"
     "If the model computes its initial state by init(p, y0) the dependence is part of the derivatives with respect to the "
     "parameters, and there are none with respect to initial values. If the integration fails no gradient is printed.\n\n"
     "With --ensemble there is a gradient for every row of a CSV file, --threads of them at a time. Its first line names the "
     "parameters and initial values that are in the columns; the others are the same for all. A member that fails is "
     "reported, the others are printed, and the exit code is 4.",
     "costate gradient lotka_volterra.c --param alpha=1.2 --rtol 1e-9 --format json"},
    {"tangent", CLI_TANGENT, cli_tangent, "sensitivities of the states, forward in time",
     "Prints the derivatives of the states with respect to the parameters (or what --wrt names), at the final time or at "
     "the points of time given by --points or --at.",
     "costate tangent lotka_volterra.c --wrt alpha,prey --at 2.5,5,10"},
    {"hessian", CLI_HESSIAN, cli_hessian, "Hessian of the objectives times a direction",
     "Prints, for every objective, its Hessian with respect to parameters and initial values times the direction, or the "
     "whole matrix with --full. Either is exact for the numerical solution.",
     "costate hessian lotka_volterra.c --direction alpha=1,beta=-1"},
    {"check", CLI_CHECK, cli_check, "a certificate for the derivatives of this very model",
     "Proves, on this model with these values and options, that the derivatives are those of the objective that is computed: "
     "every product against differences, tangents against adjoints, both against differences of runs over the same steps and "
     "of whole runs, remainders of Taylor's formula, symmetry. Each objective and component is judged by its own size, and "
     "what could not be measured is said. --wrt restricts what is judged. Exit code 5 if it does not hold.",
     "costate check lotka_volterra.c --method rodas4"},
    {"compare", CLI_COMPARE, cli_compare, "error against time of the methods, on this model",
     "Lets the methods compute the gradient at tolerances from a thousand times to a thousandth of --rtol and --atol, and says "
     "how large its error is and how long it took: which method and tolerance suit the model and the accuracy one needs. With "
     "--plot it draws the work-precision diagram, with a panel for each family if there are many.\n\n"
     "The error is relative, in the norm of the derivatives each times its variable's value, the largest of all objectives; the "
     "reference is a high-order method at a millionth of the tolerances, or another where that fails, which is said. A run "
     "of more than 20000 steps (or --max-steps) is "
     "given up, and a method that takes more than a second is not tried at tighter tolerances.",
     "costate compare lotka_volterra.c --among 'dopri*,rodas4' --plot work.svg"},
    {"diff", CLI_DIFF, cli_diff, "writes the derivatives of a model as C",
     "Writes C for every derivative product of the model's functions, for programs that link the library. It is readable, "
     "keeps the names of the model, and needs only <costate/runtime.h>.",
     "costate diff lotka_volterra.c -o lotka_volterra_diff.c"},
    {"methods", CLI_METHODS, cli_methods, "lists the integration methods",
     "Lists the methods with order, stages and stability, which is computed from the coefficients: A-stable, L-stable, or "
     "how far the stability region reaches along the negative real axis. Every method has all modes: forward, tangent, "
     "adjoint, second order.",
     "costate methods --format json"},
    {"solvers", CLI_SOLVERS, cli_solvers, "lists the linear solvers of implicit methods",
     "Lists the linear solvers with the patterns of Jacobians that they take, and whether they are installed. 'auto' "
     "chooses by the pattern of the model's Jacobian.",
     "costate solvers"},
    {"help", CLI_HELP, cli_help, "says more about a command",
     "Says what a command does, and its options. With --man it writes the manual page, with --completion the completion for a "
     "shell.",
     "costate help gradient"},
};
const int cli_command_count = sizeof cli_commands / sizeof *cli_commands;

const cli_command *cli_command_find(const char *name)
{
    for (int i = 0; i < cli_command_count; i++)
        if (!strcmp(cli_commands[i].name, name)) return &cli_commands[i];
    return NULL;
}

static const cli_option_info own[] = {
#define CLI_OPTION(id, name, letter, argument, commands, help) {name, argument, letter, commands, help},
#include "options.def"
#undef CLI_OPTION
};

static const char *argument_of(const costate_option_info *info)
{
    if (*info->choices) return info->choices;
    if (!strcmp(info->name, "atol")) return "NUMBER|NAME=NUMBER,...";
    if (!strcmp(info->type, "real")) return "NUMBER";
    if (!strcmp(info->type, "whole")) return "K";
    if (!strcmp(info->type, "bytes")) return "SIZE";
    return !strcmp(info->name, "disk_dir") ? "FOLDER" : "NAME";
}

static int takers(const char *name)
{
    if (!strcmp(name, "method")) return CLI_SOLVE & ~CLI_COMPARE; /* which has --among */
    if (!strcmp(name, "record")) return CLI_RUN | CLI_TANGENT;    /* the others record what they need */
    return CLI_SOLVE;
}

int cli_option(int i, cli_option_info *info)
{
    static char dashed[64][32]; /* filled once, before there are threads */
    costate_option_info library;
    if (i >= 0 && i < OPT_COUNT) return *info = own[i], 0;
    if (costate_option(i - OPT_COUNT, &library) || i - OPT_COUNT >= 64) return -1;
    char *name = dashed[i - OPT_COUNT];
    snprintf(name, sizeof dashed[0], "%s", library.name);
    for (char *c = name; *c; c++) *c = *c == '_' ? '-' : *c;
    *info = (cli_option_info){name, argument_of(&library), 0, takers(name), library.help};
    return 0;
}

/* Sizes as people write them. */
const char *cli_preset(int i, char text[32])
{
    costate_option_info info;
    static const char *const units[] = {"", "K", "M", "G", "T"};
    if (i < OPT_COUNT || costate_option(i - OPT_COUNT, &info) || !*info.preset) return NULL;
    if (strcmp(info.type, "bytes")) return info.preset;
    long long size = strtoll(info.preset, NULL, 10);
    int unit = 0;
    for (; size && size % 1024 == 0 && unit < 4; unit++) size /= 1024;
    snprintf(text, 32, "%lld%s", size, units[unit]);
    return text;
}
