/* args.c - from the words of the command line to a request. --name value, --name=value, -o value, -ovalue; options and the model
 * in any order; -- ends the options. Underscores may stand for dashes. */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int cli_usage(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "costate %s: ", command);
    cli_say(format, args);
    fprintf(stderr, "\ntry: costate help %s\n", command);
    va_end(args);
    return EXIT_USAGE;
}

const char *cli_next(const cli_request *r, int option, int *at)
{
    while (*at < r->count) {
        const struct cli_given *g = &r->given[(*at)++];
        if (g->option == option) return g->value;
    }
    return NULL;
}

const char *cli_value(const cli_request *r, int option)
{
    for (int i = r->count - 1; i >= 0; i--)
        if (r->given[i].option == option) return r->given[i].value;
    return NULL;
}

void cli_request_free(cli_request *r)
{
    free(r->given);
}

/* ---- options by name -------------------------------------------------------------------------------------------------- */

typedef struct list { /* those of a command */
    int count, option[128];
} list;

static list options_of(const cli_command *c)
{
    list l = {0};
    cli_option_info info;
    for (int i = 0; !cli_option(i, &info); i++)
        if (info.commands & c->bit) l.option[l.count++] = i;
    return l;
}

static const char *name_in(int i, const void *context)
{
    cli_option_info info;
    return cli_option(((const list *)context)->option[i], &info) ? "" : info.name;
}

static int same(const char *name, const char *word, size_t length)
{
    if (strlen(name) != length) return 0;
    for (size_t i = 0; i < length; i++)
        if (name[i] != (word[i] == '_' ? '-' : word[i])) return 0;
    return 1;
}

/* The option that a word names: --name, --name=value or -letter; -1: none. *value becomes what the word itself holds of it. */
static int find(const char *word, const char **value)
{
    cli_option_info info;
    const char *name = word + 2, *equals = strchr(word, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    *value = NULL;
    for (int i = 0; !cli_option(i, &info); i++) {
        if (word[1] == '-' ? !same(info.name, name, length) : info.letter != word[1]) continue;
        if (word[1] == '-') *value = equals ? equals + 1 : NULL;
        else if (word[2]) *value = word + 2;
        return i;
    }
    return -1;
}

static int unknown(const cli_command *c, const char *word)
{
    const list l = options_of(c);
    const char *name = word + (word[1] == '-' ? 2 : 1);
    const int near = cli_nearest(name, (int)strcspn(name, "="), l.count, name_in, &l);
    if (near < 0) return cli_usage(c->name, "there is no option '%s'", word);
    return cli_usage(c->name, "there is no option '%s'; did you mean --%s?", word, name_in(near, &l));
}

static int misplaced(const cli_command *c, const char *word, const cli_option_info *info)
{
    char takers[128] = "";
    for (int i = 0; i < cli_command_count; i++) {
        const size_t length = strlen(takers);
        if (cli_commands[i].bit & info->commands)
            snprintf(takers + length, sizeof takers - length, "%s%s", length ? ", " : "", cli_commands[i].name);
    }
    return cli_usage(c->name, "'%s' is an option of %s", word, takers);
}

static int option(cli_request *r, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *value, *command = r->command->name;
    cli_option_info info;
    const int found = find(word, &value);
    if (found < 0) return unknown(r->command, word);
    cli_option(found, &info);
    if (!(info.commands & r->command->bit)) return misplaced(r->command, word, &info);
    if (!*info.argument && value) return cli_usage(command, "--%s takes no value", info.name);
    if (*info.argument && !value && *i + 1 < argc) value = argv[++*i];
    if (*info.argument && (!value || (!*value && found < OPT_COUNT)))
        return cli_usage(command, "--%s needs a value: %s", info.name, info.argument);
    r->given[r->count].option = found;
    r->given[r->count++].value = value ? value : "";
    return EXIT_GOOD;
}

/* ---- the request ------------------------------------------------------------------------------------------------------ */

static int format(cli_request *r)
{
    static const char *const names[] = {"table", "csv", "json"};
    const char *value = cli_value(r, OPT_FORMAT);
    for (int i = 0; value && i < 3; i++)
        if (!strcmp(value, names[i])) return r->format = (cli_format)i, EXIT_GOOD;
    return value ? cli_usage(r->command->name, "there is no format '%s', but table, csv and json", value) : EXIT_GOOD;
}

static int operand(cli_request *r, const char *word)
{
    const char *command = r->command->name;
    if (!(r->command->bit & (CLI_MODEL | CLI_HELP))) return cli_usage(command, "what is '%s'? There is no model here", word);
    if (r->file && r->count && r->command->bit & CLI_MODEL && !strstr(word, ".c"))
        return cli_usage(command, "what is '%s'? The model is '%s', and lists have no blanks: --at 1,2,3, --param NAME=VALUE",
                         word, r->file);
    if (r->file) return cli_usage(command, "one at a time: '%s' or '%s'?", r->file, word);
    r->file = word;
    return EXIT_GOOD;
}

int cli_parse(cli_request *r, const cli_command *command, int argc, char **argv)
{
    int code = EXIT_GOOD, only_operands = 0;
    *r = (cli_request){.command = command, .given = cli_take((size_t)argc, sizeof *r->given)};
    for (int i = 0; !code && i < argc; i++) {
        if (!only_operands && !strcmp(argv[i], "--")) only_operands = 1;
        else if (!only_operands && argv[i][0] == '-' && argv[i][1]) code = option(r, argc, argv, &i);
        else code = operand(r, argv[i]);
    }
    if (code || cli_value(r, OPT_HELP)) return code;
    code = format(r);
    if (!code && !r->file && (command->bit & CLI_MODEL)) code = cli_usage(command->name, "which model?");
    if (!code && (command->bit & CLI_SOLVE)) code = cli_options_check(r);
    return code;
}
