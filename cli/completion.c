/* completion.c - completion for bash and zsh, from the tables of commands and options. Both scripts hold, for each command,
 * the options it takes, and for options with choices the choices; models and other files are the shell's own. */
#include "cli.h"

#include <string.h>

static void option_words(FILE *to, const cli_command *c)
{
    cli_option_info info;
    for (int i = 0; !cli_option(i, &info); i++)
        if (info.commands & c->bit) fprintf(to, " --%s", info.name);
}

static void command_words(FILE *to)
{
    for (int i = 0; i < cli_command_count; i++) fprintf(to, "%s%s", i ? " " : "", cli_commands[i].name);
}

/* What can follow an option: the methods, or "a|b|c" in words; 0: neither. */
static int choices(FILE *to, const cli_option_info *info)
{
    const costate_table *m;
    if (!strcmp(info->name, "method")) {
        fputs("auto", to);
        for (int i = 0; (m = costate_method(i)); i++) fprintf(to, " %s", m->name);
        return 1;
    }
    if (!strchr(info->argument, '|') || strchr(info->argument, '=')) return 0;
    for (const char *c = info->argument; *c; c++) putc(*c == '|' ? ' ' : *c, to);
    return 1;
}

static int has_choices(const cli_option_info *info)
{
    return !strcmp(info->name, "method") || (strchr(info->argument, '|') && !strchr(info->argument, '='));
}

static void bash(FILE *to)
{
    cli_option_info info;
    fputs(
        "# bash completion for costate; made by `costate help --completion bash`\n"
        "_costate()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=\n    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '",
        to);
    command_words(to);
    fputs("' -- \"$word\"))\n        return\n    fi\n    case $before in\n", to);
    for (int i = 0; !cli_option(i, &info); i++) {
        if (!has_choices(&info)) continue;
        fprintf(to, "    --%s)\n        COMPREPLY=($(compgen -W '", info.name);
        choices(to, &info);
        fputs("' -- \"$word\"))\n        return ;;\n", to);
    }
    fputs("    esac\n    case ${COMP_WORDS[1]} in\n", to);
    for (int i = 0; i < cli_command_count; i++) {
        fprintf(to, "    %s) options='", cli_commands[i].name);
        option_words(to, &cli_commands[i]);
        fputs("' ;;\n", to);
    }
    fputs("    esac\n    case $word in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
          "    *)\n        if [ \"${COMP_WORDS[1]}\" = help ]; then\n            COMPREPLY=($(compgen -W '", to);
    command_words(to);
    fputs("' -- \"$word\"))\n        else\n            compopt -o filenames 2>/dev/null\n            COMPREPLY=($(compgen -f -- "
          "\"$word\"))\n"
          "        fi ;;\n    esac\n}\ncomplete -F _costate costate\n",
          to);
}

/* Help in an argument of _arguments: no brackets, colons or single quotes. */
static void zsh_text(FILE *to, const char *text)
{
    for (; *text; text++)
        if (*text == '\'') fputs("'\\''", to);
        else if (strchr("[]:\\", *text)) fprintf(to, "\\%c", *text);
        else putc(*text, to);
}

static void zsh_option(FILE *to, const cli_option_info *info)
{
    fprintf(to, "            '*--%s%s[", info->name, *info->argument ? "=" : "");
    zsh_text(to, info->help);
    fputs("]", to);
    if (has_choices(info)) {
        fputs(":value:(", to);
        choices(to, info);
        fputs(")", to);
    } else if (*info->argument) {
        fputs(":", to);
        zsh_text(to, info->argument);
        fputs(!strcmp(info->argument, "FILE") ? ":_files" : !strcmp(info->argument, "FOLDER") ? ":_files -/" : ": ", to);
    }
    fputs("' \\\n", to);
}

static void zsh(FILE *to)
{
    cli_option_info info;
    fputs("#compdef costate\n# zsh completion for costate; made by `costate help --completion zsh`\n_costate()\n{\n"
          "    local -a commands\n    commands=(\n", to);
    for (int i = 0; i < cli_command_count; i++) {
        fprintf(to, "        '%s:", cli_commands[i].name);
        zsh_text(to, cli_commands[i].brief);
        fputs("'\n", to);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
          "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n", to);
    for (int i = 0; i < cli_command_count; i++) {
        const cli_command *c = &cli_commands[i];
        fprintf(to, "    %s)\n        _arguments \\\n", c->name);
        for (int k = 0; !cli_option(k, &info); k++)
            if (info.commands & c->bit) zsh_option(to, &info);
        if (c->bit == CLI_HELP) {
            fputs("            '1:command:(", to);
            command_words(to);
            fputs(")' ;;\n", to);
        } else fputs(c->bit & CLI_MODEL ? "            '1:model:_files -g \"*.c\"' ;;\n" : "            && return 0 ;;\n", to);
    }
    fputs("    esac\n}\n_costate \"$@\"\n", to);
}

int completion_write(FILE *to, const char *shell)
{
    if (!strcmp(shell, "bash")) return bash(to), EXIT_GOOD;
    if (!strcmp(shell, "zsh")) return zsh(to), EXIT_GOOD;
    return cli_usage("help", "there is no completion for '%s', but for bash and zsh", shell);
}
