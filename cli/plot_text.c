/* plot_text.c - text: how wide it is, how it is cut to fit, and how it is written into XML. */
#include "plot_draw.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const pen_font font_plain = {7, 0, NULL}, font_bold = {7, 1, NULL}, font_title = {8, 1, NULL},
               font_small = {6, 0, PLOT_GREY};

/* Hundredths of an em from ' ' to '~': the wider of DejaVu Sans and Liberation Sans, which has the widths of Helvetica and
 * Arial. */
static const unsigned char ascii[] = {
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 56, 102, 68, 69, 72, 77, 67,
    61, 78, 75, 29, 50, 67, 56, 86, 75, 79, 67, 79, 72, 67, 61, 73, 68, 99, 69,
    67, 69, 39, 34, 39, 84, 56, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58,
    28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84};
static const double of_bold = 1.15, of_others = 0.84, of_long = 1; /* bold text; characters of two bytes; of more */

/* The width of the character at s in ems, and in *bytes its length. */
static double glyph(const char *s, int *bytes)
{
    const unsigned char c = (unsigned char)*s;
    *bytes = 1;
    if (c < 0x80) return c >= ' ' && c <= '~' ? ascii[c - ' '] / 100.0 : 0.6;
    while (((unsigned char)s[*bytes] & 0xc0) == 0x80) ++*bytes;
    return *bytes > 2 && strncmp(s, PLOT_MINUS, 3) ? of_long : of_others;
}

static double em(const pen_font *font)
{
    return font->size * (font->bold ? of_bold : 1);
}

double text_width(const pen_font *font, const char *text)
{
    double width = 0;
    for (int bytes; *text; text += bytes) width += em(font) * glyph(text, &bytes);
    return width;
}

char *text_fit(const pen_font *font, const char *text, double width)
{
    static const char dots[] = "\xe2\x80\xa6";
    char *fit = malloc(strlen(text) + sizeof dots);
    if (!fit) return NULL;
    strcpy(fit, text);
    double left = text_width(font, text);
    if (left <= width) return fit;
    const double half = (width - text_width(font, dots)) / 2;
    size_t head = 0, tail = 0;
    double used = 0;
    for (int bytes; (used += em(font) * glyph(text + head, &bytes)) <= half; head += (size_t)bytes)
        ;
    for (int bytes; left > half && text[tail]; tail += (size_t)bytes) left -= em(font) * glyph(text + tail, &bytes);
    strcpy(fit + head, dots);
    strcat(fit + head, text + tail);
    return fit;
}

size_t text_line(const pen_font *font, const char *text, double width)
{
    size_t end = 0, fits = 0;
    double used = 0;
    for (int bytes; text[end]; end += (size_t)bytes) {
        if (text[end] == ' ') fits = end;
        used += em(font) * glyph(text + end, &bytes);
        if (used > width && fits) return fits;
    }
    return end;
}

/* ---- XML ------------------------------------------------------------------------------------------------------------ */

/* The length of the UTF-8 character at s if it is one that XML may hold, else 0. */
static int valid(const unsigned char *s)
{
    if (*s < 0x80) return *s >= 0x20 || *s == '\t';
    const int length = *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    /* Too long forms, surrogates, what is beyond the last character, and two that XML excludes. */
    if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xef && s[1] == 0xbf && s[2] > 0xbd)) return 0;
    if ((*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f)) return 0;
    return length;
}

void text_escaped(FILE *to, const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int length = valid(s);
        if (!length) fputc('?', to);
        else if (*s == '<') fputs("&lt;", to);
        else if (*s == '>') fputs("&gt;", to);
        else if (*s == '&') fputs("&amp;", to);
        else if (*s == '"') fputs("&quot;", to);
        else fwrite(s, 1, (size_t)length, to);
        s += length ? length : 1;
    }
}

/* ---- numbers -------------------------------------------------------------------------------------------------------- */

int number_parts(double x, int digits, char before[32])
{
    char text[32];
    const char *sign = x < 0 ? PLOT_MINUS : "";
    snprintf(text, sizeof text, "%.*g", digits, fabs(x));
    char *power = strchr(text, 'e');
    if (!power) {
        snprintf(before, 32, "%s%.24s", sign, text);
        return INT_MIN;
    }
    *power = 0;
    snprintf(before, 32, "%s%.16s" PLOT_TIMES_TEN, sign, text);
    return atoi(power + 1);
}

double power_width(const pen_font *font, const char *before, int exponent)
{
    if (exponent == INT_MIN) return text_width(font, before);
    char digits[16];
    const pen_font raised = {font->size * 5 / 7, font->bold, NULL};
    snprintf(digits, sizeof digits, "%s%d", exponent < 0 ? PLOT_MINUS : "", abs(exponent));
    return text_width(font, before) + text_width(&raised, digits);
}
