/* write.c - JSON and CSV. */
#include "cli.h"
#include "platform/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ------------------------------------------------------------------------------------------------------------- */

enum { BROKEN = 3 }; /* brackets deeper than this stay on one line */

static void quoted(FILE *to, const char *text)
{
    putc('"', to);
    for (const char *s = text; *s;) {
        const int length = platform_utf8(s);
        const unsigned char c = (unsigned char)*s;
        if (*s == '"' || *s == '\\') fprintf(to, "\\%c", *s);
        else if (*s == '\n') fputs("\\n", to);
        else if (c < 0x20 || c == 0x7F) fprintf(to, "\\u%04x", c);
        else if (!length) fputs("\\ufffd", to);
        else fwrite(s, 1, (size_t)length, to);
        s += length ? length : 1;
    }
    putc('"', to);
}

static void before(cli_json *j, const char *key)
{
    FILE *to = j->out->to;
    if (!j->fresh) putc(',', to);
    if (j->depth && j->depth <= BROKEN && !j->line) fprintf(to, "\n%*s", 2 * j->depth, "");
    else if (!j->fresh) putc(' ', to);
    j->fresh = 0;
    if (!key) return;
    quoted(to, key);
    fputs(": ", to);
}

void json_open(cli_json *j, const char *key, char bracket)
{
    before(j, key);
    putc(bracket, j->out->to);
    j->depth++;
    j->fresh = 1;
}

void json_line(cli_json *j, const char *key, char bracket)
{
    json_open(j, key, bracket);
    if (!j->line) j->line = j->depth;
}

void json_close(cli_json *j, char bracket)
{
    if (!j->fresh && j->depth <= BROKEN && !j->line) fprintf(j->out->to, "\n%*s", 2 * j->depth - 2, "");
    putc(bracket, j->out->to);
    if (j->line == j->depth) j->line = 0;
    j->depth--;
    j->fresh = 0;
    if (!j->depth) putc('\n', j->out->to);
}

void json_number(cli_json *j, const char *key, double x)
{
    before(j, key);
    if (isfinite(x)) {
        fprintf(j->out->to, "%.17g", x);
        return;
    }
    fputs("null", j->out->to);
    cli_warn(j->out, "%s is %g, which is null in JSON", key ? key : "an element", x);
}

void json_whole(cli_json *j, const char *key, int64_t x)
{
    before(j, key);
    fprintf(j->out->to, "%lld", (long long)x);
}

void json_truth(cli_json *j, const char *key, int yes)
{
    before(j, key);
    fputs(yes ? "true" : "false", j->out->to);
}

void json_text(cli_json *j, const char *key, const char *text)
{
    before(j, key);
    quoted(j->out->to, text);
}

/* ---- CSV -------------------------------------------------------------------------------------------------------------- */

void csv_text(FILE *to, const char *text, int last)
{
    if (strpbrk(text, ",\"\n\r")) {
        putc('"', to);
        for (; *text; text++) fputs(*text == '"' ? "\"\"" : (const char[]){*text, 0}, to);
        putc('"', to);
    } else fputs(text, to);
    putc(last ? '\n' : ',', to);
}

void csv_number(cli_out *o, const char *what, double x, int last)
{
    if (!isfinite(x)) cli_warn(o, "%s is %g", what, x);
    fprintf(o->to, "%.17g%c", x, last ? '\n' : ',');
}
