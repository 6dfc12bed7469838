/* clean.c - see clean.h */
#include "base/clean.h"

#include "platform/text.h"

#include <limits.h>
#include <string.h>

enum { LINES = 40, COLUMNS = 200 }; /* of an excerpt; COLUMNS: bytes */
enum { LONGEST = 2000 };            /* line of any text, in bytes: names may be of any length */

/* So many lines, and of each so many bytes at most. */
static char *clean(ad_arena *m, const char *text, int lines, int columns)
{
    static const char cut[] = " ...", more[] = "more was said; these were the first lines\n";
    char *plain = ad_take(m, 4 * strlen(text) + sizeof more), *to = plain;
    for (int line = 0; *text && line < lines; line++) {
        const char *start = to;
        while (*text && *text != '\n' && to - start < columns) to = platform_put_shown(&text, to);
        if (*text && *text != '\n') to = strcpy(to, cut) + sizeof cut - 1;
        text += strcspn(text, "\n");
        if (*text) *to++ = *text++;
    }
    strcpy(to, *text ? more : "");
    return plain;
}

char *ad_clean(ad_arena *m, const char *text)
{
    return clean(m, text, INT_MAX, LONGEST);
}

char *ad_clean_excerpt(ad_arena *m, const char *text)
{
    const size_t length = strlen(text);
    return clean(m, length && text[length - 1] != '\n' ? ad_text(m, "%s\n", text) : text, LINES, COLUMNS);
}

char *ad_clean_name(ad_arena *m, const char *text)
{
    char *plain = ad_clean(m, text);
    for (char *s = plain; *s; s++)
        if (*s == '\n' || *s == '\t' || (s[0] == '*' && s[1] == '/')) *s = '?';
    return plain;
}
