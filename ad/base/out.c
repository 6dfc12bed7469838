/* out.c - text that grows. */
#include "base/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void reserve(ad_out *o, size_t more)
{
    if (o->length + more + 1 <= o->room) return;
    size_t room = o->room ? 2 * o->room : 1024;
    while (room < o->length + more + 1) room *= 2;
    o->text = ad_grow(o->m, o->text, o->length, room);
    o->room = room;
}

void ad_puts(ad_out *o, const char *s)
{
    size_t n = strlen(s);
    reserve(o, n);
    memcpy(o->text + o->length, s, n + 1);
    o->length += n;
}

void ad_put(ad_out *o, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n > 0) {
        reserve(o, (size_t)n);
        vsnprintf(o->text + o->length, (size_t)n + 1, format, again);
        o->length += (size_t)n;
    }
    va_end(again);
}

const char *ad_out_text(const ad_out *o)
{
    return o->text ? o->text : "";
}
