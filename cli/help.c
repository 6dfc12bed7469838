/* help.c - costate help [COMMAND]: what a command does, and its options, from the tables of commands and options. */
#include "cli.h"

#include <string.h>

enum { WIDTH = 80, COLUMN = 30 };

/* The text, broken at blanks into lines that end before column `width`; the first begins at `indent`, where the pen is. A
 * newline in the text ends a line. */
void help_paragraph(FILE *to, const char *text, int indent, int width)
{
    int column = indent;
    while (*text) {
        const int length = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + length > width) fprintf(to, "\n%*s", indent, ""), column = indent;
        else if (column > indent) putc(' ', to), column++;
        fwrite(text, 1, (size_t)length, to);
        column += length;
        text += length;
        for (; *text == ' ' || *text == '\n'; text++)
            if (*text == '\n') fprintf(to, "\n%*s", text[1] == '\n' ? 0 : indent, ""), column = indent;
    }
    putc('\n', to);
}

void help_overview(FILE *to)
{
    fprintf(to, "usage: costate COMMAND MODEL.c [options]\n\n"
                "Gradients and Hessian-vector products of what an ODE model in C computes.\n\ncommands:\n");
    for (int i = 0; i < cli_command_count; i++) fprintf(to, "  %-10s %s\n", cli_commands[i].name, cli_commands[i].brief);
    fprintf(to, "\n`costate help COMMAND` says more, `costate --version` which version this is.\n\n"
                "Exit codes: 0 good, 1 usage, 2 the model was refused, 3 it did not compile,\n"
                "4 the integration failed, 5 the check failed.\n");
}

static void print_option(FILE *to, const cli_option_info *info, const char *preset)
{
    char left[96], text[512], letter[8] = "    ";
    if (info->letter) snprintf(letter, sizeof letter, "-%c, ", info->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, info->name, *info->argument ? " " : "", info->argument);
    snprintf(text, sizeof text, "%s%s%s%s", info->help, preset ? " (" : "", preset ? preset : "", preset ? ")" : "");
    fputs(left, to);
    if (strlen(left) + 2 > COLUMN) fprintf(to, "\n%*s", COLUMN, "");
    else fprintf(to, "%*s", (int)(COLUMN - strlen(left)), "");
    help_paragraph(to, text, COLUMN, WIDTH);
}

const char *help_usage(const cli_command *c)
{
    return c->bit & CLI_MODEL ? "MODEL.c [options]" : c->bit & CLI_HELP ? "[COMMAND] [options]" : "[options]";
}

void help_command(FILE *to, const cli_command *c)
{
    cli_option_info info;
    char text[32];
    fprintf(to, "usage: costate %s %s\n\n", c->name, help_usage(c));
    help_paragraph(to, c->text, 0, WIDTH);
    fprintf(to, "\nexample:\n  %s\n\noptions:\n", c->example);
    for (int i = 0; i < OPT_COUNT; i++)
        if (!cli_option(i, &info) && info.commands & c->bit) print_option(to, &info, NULL);
    if (!(c->bit & CLI_SOLVE)) return;
    fprintf(to, "\noptions of the integration, with their defaults:\n");
    for (int i = OPT_COUNT; !cli_option(i, &info); i++)
        if (info.commands & c->bit) print_option(to, &info, cli_preset(i, text));
}

static int write(cli_request *r, FILE *to)
{
    const char *shell = cli_value(r, OPT_COMPLETION);
    const cli_command *about = r->file ? cli_command_find(r->file) : NULL;
    if (r->file && !about && strcmp(r->file, "costate")) return suggest_command(r->file, NULL);
    if (shell) return completion_write(to, shell);
    if (cli_value(r, OPT_MAN)) manual_write(to, about);
    else if (about) help_command(to, about);
    else help_overview(to);
    return EXIT_GOOD;
}

int cli_help(cli_request *r)
{
    cli_out o;
    int code = cli_out_open(&o, r);
    if (!code) code = write(r, o.to);
    return cli_out_close(&o, code);
}
