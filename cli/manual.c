/* manual.c - manual pages, costate(1) and costate-COMMAND(1), from the tables of commands and options. */
#include "cli.h"

#include <string.h>

/* Text as roff takes it: backslashes, hyphens that are to stay hyphens, no line that begins with a dot or a quote. */
static void roff(FILE *to, const char *text)
{
    int start = 1;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\'')) fputs("\\&", to);
        if (*text == '\\') fputs("\\e", to);
        else if (*text == '-') fputs("\\-", to);
        else if (*text == '\n' && text[1] == '\n') fputs("\n.PP", to), text++, putc('\n', to);
        else putc(*text, to);
        start = *text == '\n';
    }
    putc('\n', to);
}

static void bold(FILE *to, const char *text)
{
    fputs("\\fB", to);
    for (; *text; text++) fprintf(to, *text == '-' ? "\\-" : "%c", *text);
    fputs("\\fR", to);
}

static void option(FILE *to, const cli_option_info *info, const char *preset)
{
    const char short_form[] = {'-', info->letter, 0};
    char long_form[64];
    snprintf(long_form, sizeof long_form, "--%s", info->name);
    fputs(".TP\n", to);
    if (info->letter) bold(to, short_form), fputs(", ", to);
    bold(to, long_form);
    if (*info->argument) fprintf(to, " \\fI%s\\fR", info->argument);
    putc('\n', to);
    roff(to, info->help);
    if (preset) fputs(".br\nDefault: ", to), roff(to, preset);
}

static void of_command(FILE *to, const cli_command *c)
{
    cli_option_info info;
    char text[32];
    fprintf(to, ".SH NAME\ncostate\\-%s \\- ", c->name);
    roff(to, c->brief);
    fputs(".SH SYNOPSIS\n", to);
    bold(to, "costate ");
    bold(to, c->name);
    fprintf(to, " %s\n.SH DESCRIPTION\n", help_usage(c));
    roff(to, c->text);
    fputs(".SH OPTIONS\n", to);
    for (int i = 0; i < OPT_COUNT; i++)
        if (!cli_option(i, &info) && info.commands & c->bit) option(to, &info, NULL);
    if (c->bit & CLI_SOLVE) {
        fputs(".SS Options of the integration\n", to);
        for (int i = OPT_COUNT; !cli_option(i, &info); i++)
            if (info.commands & c->bit) option(to, &info, cli_preset(i, text));
    }
    fputs(".SH EXAMPLE\n.nf\n", to);
    roff(to, c->example);
    fputs(".fi\n", to);
}

static void of_all(FILE *to)
{
    fputs(".SH NAME\ncostate \\- gradients and Hessian\\-vector products of ODE models\n.SH SYNOPSIS\n", to);
    bold(to, "costate");
    fputs(" COMMAND MODEL.c [options]\n.SH DESCRIPTION\n", to);
    roff(to, "A model is one C file: its right-hand side and its objectives are plain C functions, and a descriptor names "
             "them. Costate differentiates it, compiles it with the system's compiler, loads it, integrates it and "
             "transposes the integration. Results go to standard output, diagnostics and progress to standard error.");
    fputs(".SH COMMANDS\n", to);
    for (int i = 0; i < cli_command_count; i++) {
        fputs(".TP\n", to);
        bold(to, cli_commands[i].name);
        fputs("\n", to);
        roff(to, cli_commands[i].brief);
    }
}

static void common(FILE *to, const cli_command *c)
{
    static const struct {
        const char *name, *text;
    } codes[] = {{"0", "good"},
                 {"1", "a mistake in the arguments, or a file that cannot be read or written"},
                 {"2", "the model was refused: it holds something that is not differentiated"},
                 {"3", "the model did not compile"},
                 {"4", "the integration failed; no derivatives are printed"},
                 {"5", "the check failed"}},
      variables[] = {
          {"CC", "the C compiler, cc by default"},
          {"COSTATE_CACHE", "the folder of compiled models; $XDG_CACHE_HOME/costate by default, ~/.cache/costate without that"},
          {"TMPDIR", "the folder for temporary files"},
          {"NO_COLOR", "if it is set and not empty there are no colours"}};
    fputs(".SH EXIT STATUS\n", to);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) fprintf(to, ".TP\n.B %s\n", codes[i].name), roff(to, codes[i].text);
    fputs(".SH ENVIRONMENT\n", to);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        fprintf(to, ".TP\n.B %s\n", variables[i].name), roff(to, variables[i].text);
    fputs(".SH SEE ALSO\n", to);
    const char *separator = "";
    if (c) fputs("\\fBcostate\\fR(1)", to), separator = ", ";
    for (int i = 0; i < cli_command_count; i++) {
        if (&cli_commands[i] == c || cli_commands[i].bit == CLI_HELP) continue;
        fprintf(to, "%s\\fBcostate\\-%s\\fR(1)", separator, cli_commands[i].name);
        separator = ", ";
    }
    putc('\n', to);
}

void manual_write(FILE *to, const cli_command *c)
{
    fprintf(to, ".TH COSTATE%s", c ? "-" : "");
    for (const char *n = c ? c->name : ""; *n; n++) putc(*n - 'a' + 'A', to);
    fputs(" 1 \"\" \"costate " COSTATE_VERSION "\" \"User Commands\"\n", to);
    if (c) of_command(to, c);
    else of_all(to);
    common(to, c);
}
