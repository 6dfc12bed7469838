/* emit_guards.c - see emit_guards.h */
#include "emit/emit_guards.h"

#include "derive/guards.h"

/* A text as C has it between quotes. */
static void put_quoted(ad_out *o, const char *text)
{
    ad_puts(o, "\"");
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') ad_put(o, "\\%c", c);
        else if (c < ' ' || c == '?' || c > '~') ad_put(o, "\\%03o", c);
        else ad_put(o, "%c", c);
    }
    ad_puts(o, "\"");
}

static void put_row(ad_out *o, const ad_guard *g)
{
    ad_puts(o, "    {");
    put_quoted(o, g->place.file ? g->place.file : "");
    ad_put(o, ", %d, %d, ", g->place.line, g->place.col);
    put_quoted(o, g->text);
    ad_put(o, ", %u, %u, %d, ", g->on, g->is, g->held);
    if (g->why && !g->held) put_quoted(o, g->why);
    else ad_puts(o, "NULL");
    ad_puts(o, "},\n");
}

int ad_put_guards(ad_out *o, const ad_subject *s)
{
    const ad_guards found = ad_guards_of(o->m, s->fn);
    if (!found.count) return 0;
    ad_subject of = *s;
    of.fn = found.fn;
    of.objective = 1; /* all of them have a k */
    of.nan_check = 0;
    of.watch = NULL;
    ad_put_named(o, &of, "guards");
    ad_put(o, "static const costate_guard %s_guard[] = {\n", s->name);
    for (int i = 0; i < found.count; i++) put_row(o, &found.guard[i]);
    ad_puts(o, "};\n\n");
    return found.count;
}

void ad_put_guards_member(ad_out *o, const ad_subject *s, const char *function, int count)
{
    ad_put(o, "        .guards.%s = {.count = %d, .guard = %s_guard, .eval = %s_guards},\n", function, count, s->name, s->name);
}
