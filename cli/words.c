/* words.c - texts of the command line: lists, numbers, and the name that was probably meant. */
#include "cli.h"

#include "platform/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void *cli_take(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (block) return block;
    fprintf(stderr, "costate: out of memory\n");
    exit(EXIT_SOLVE);
}

char *cli_text(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    char *text = cli_take((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void cli_say(const char *format, va_list args)
{
    enum { MOST = 2000 };
    char said[MOST + 1], shown[4 * MOST + 1], *to = shown;
    const int length = vsnprintf(said, sizeof said, format, args);
    for (const char *from = said; *from;) to = platform_put_shown(&from, to);
    *to = 0;
    fprintf(stderr, "%s%s", shown, length > MOST ? " ..." : "");
}

int cli_item(const char **at, const char **item)
{
    if (!*at) return -1;
    const char *comma = strchr(*at, ',');
    int length = (int)(comma ? (size_t)(comma - *at) : strlen(*at));
    *item = *at;
    *at = comma ? comma + 1 : NULL;
    cli_trim(item, &length);
    return length;
}

void cli_trim(const char **text, int *length)
{
    while (*length > 0 && isspace((unsigned char)**text)) ++*text, --*length;
    while (*length > 0 && isspace((unsigned char)(*text)[*length - 1])) --*length;
}

int cli_number(const char *text, int length, double *value)
{
    char copy[64], *end;
    if (length <= 0 || length >= (int)sizeof copy || isspace((unsigned char)*text)) return -1;
    memcpy(copy, text, (size_t)length);
    copy[length] = 0;
    *value = strtod(copy, &end);
    return *end || !isfinite(*value) ? -1 : 0;
}

/* Edits that make a into b: letters put in, left out, replaced, or two neighbours exchanged; case counts for half. */
static double distance(const char *a, int n, const char *b, int m)
{
    double row[3][64];
    if (n > 62 || m > 62) return 1e9;
    for (int j = 0; j <= m; j++) row[0][j] = j;
    for (int i = 1; i <= n; i++) {
        double *now = row[i % 3], *before = row[(i - 1) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            const double change = a[i - 1] == b[j - 1] ? 0
                                  : tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]) ? 0.5 : 1;
            now[j] = fmin(fmin(before[j] + 1, now[j - 1] + 1), before[j - 1] + change);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = fmin(now[j], earlier[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

/* The mistakes that make the name into the word: none if they differ in case alone, next to none if one of them is how the other
 * begins, and the fewer the more they have in common. */
static double mistakes(const char *word, int length, const char *name)
{
    const int whole = (int)strlen(name), shared = whole < length ? whole : length, all = whole < length ? length : whole;
    if (shared > (whole < length ? 2 : 1) && !strncasecmp(word, name, (size_t)shared)) return 1 - (double)shared / all;
    return distance(word, length, name, whole);
}

int cli_nearest(const char *word, int length, int count, cli_namer *name, const void *context)
{
    int best = -1;
    double least = fmax(1, length / 3) + 0.1; /* as many mistakes as a word of that length may hold */
    for (int i = 0; i < count; i++) {
        const double d = mistakes(word, length, name(i, context));
        if (d < least && d < length) {
            least = d;
            best = i;
        }
    }
    return best;
}
