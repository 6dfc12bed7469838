/* text.c - see text.h */
#include "platform/text.h"

#include <stdio.h>
#include <string.h>

int platform_utf8(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const int length = *s < 0x80                 ? 1
                       : *s >= 0xC2 && *s < 0xE0 ? 2
                       : *s >= 0xE0 && *s < 0xF0 ? 3
                       : *s >= 0xF0 && *s < 0xF5 ? 4
                                                 : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (length == 3 && ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F))) return 0;
    if (length == 4 && ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))) return 0;
    return length;
}

/* Length of the character at s if it can be shown; 0: it cannot. U+0080 .. U+009F are control characters, too. */
static int shown(const char *s)
{
    const unsigned char c = (unsigned char)*s;
    const int length = platform_utf8(s);
    if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7F) return 0;
    return c == 0xC2 && (unsigned char)s[1] < 0xA0 ? 0 : length;
}

char *platform_put_shown(const char **from, char *to)
{
    const int length = shown(*from);
    if (length) memcpy(to, *from, (size_t)length);
    else snprintf(to, sizeof "\\xNN", "\\x%02x", (unsigned char)**from);
    *from += length ? length : 1;
    return to + (length ? length : 4);
}

/* One control character may be a slip of the hand, or the end of a file of former times; many are another kind of file. */
int platform_is_text(const char *bytes, size_t length)
{
    enum { SHARE = 32 };
    size_t control = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (!c) return 0;
        control += c < ' ' && !strchr("\t\n\v\f\r", c);
    }
    return control < 2 || control * SHARE < length;
}
