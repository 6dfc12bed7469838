/* clean.c - see clean.h */
#include "base/clean.h"

#include "platform/text.h"

#include <stdio.h>
#include <string.h>

enum { LINES = 40, COLUMNS = 200 }; /* of an excerpt; COLUMNS: bytes */

/* Length of the character at s if it can be shown; 0: it cannot. U+0080 .. U+009F are control characters, too. */
static int shown(const char *s)
{
    const unsigned char c = (unsigned char)*s;
    const int length = platform_utf8(s);
    if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7F) return 0;
    return c == 0xC2 && (unsigned char)s[1] < 0xA0 ? 0 : length;
}

/* Copies the character at *from to `to`, as it is or as \xNN; returns where the next one goes. */
static char *put(const char **from, char *to)
{
    const int length = shown(*from);
    if (length) memcpy(to, *from, (size_t)length);
    else snprintf(to, sizeof "\\xNN", "\\x%02x", (unsigned char)**from);
    *from += length ? length : 1;
    return to + (length ? length : 4);
}

char *ad_clean(ad_arena *m, const char *text)
{
    char *plain = ad_take(m, 4 * strlen(text) + 1), *to = plain;
    while (*text) to = put(&text, to);
    *to = 0;
    return plain;
}

char *ad_clean_excerpt(ad_arena *m, const char *text)
{
    static const char cut[] = " ...", more[] = "more was said; these were the first lines\n";
    char *plain = ad_take(m, LINES * (COLUMNS + 4 + sizeof cut) + sizeof more), *to = plain;
    for (int line = 0; *text && line < LINES; line++) {
        const char *start = to;
        while (*text && *text != '\n' && to - start < COLUMNS) to = put(&text, to);
        if (*text && *text != '\n') to = strcpy(to, cut) + sizeof cut - 1;
        text += strcspn(text, "\n");
        text += *text != 0;
        *to++ = '\n';
    }
    strcpy(to, *text ? more : "");
    return plain;
}

char *ad_clean_name(ad_arena *m, const char *text)
{
    char *plain = ad_clean(m, text);
    for (char *s = plain; *s; s++)
        if (*s == '\n' || *s == '\t' || (s[0] == '*' && s[1] == '/')) *s = '?';
    return plain;
}
