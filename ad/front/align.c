/* align.c - columns behind macros. The preprocessor keeps lines but not columns, and the tokens of a macro have no column of
 * their own. The tokens of each line are compared with those that the user wrote there: equal ones get his line and column, by
 * the longest common subsequence, and the others that of the macro they come from: the last name before them that has no
 * equal. A call of a macro may cover several lines. */
#include "base/arena.h"
#include "front/lex.h"

#include <string.h>

enum { CELLS_MAX = 1 << 20 }; /* of the table of the subsequence; longer lines keep their columns */

typedef struct stretch {
    int from, to;
} stretch;

static int same(const ac_token *a, const ac_token *b)
{
    if (a->name || b->name) return a->name == b->name;
    return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

/* Tokens that the user wrote on a line, and on those below while a bracket is open. */
static stretch written(const ac_tokens *own, int line)
{
    int low = 0, high = own->count - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (own->at[middle].place.line < line) low = middle + 1;
        else high = middle;
    }
    stretch s = {low, low};
    int depth = 0;
    while (s.to < own->count - 1 && (own->at[s.to].place.line == line || depth > 0)) {
        const int p = own->at[s.to++].punct;
        depth += p == '(' ? 1 : p == ')' ? -1 : 0;
    }
    return s;
}

/* match[i] is the written token that equals made token i, or -1. */
static void subsequence(ad_arena *m, const ac_token *made, int n, const ac_token *own, int k, int *match)
{
    const size_t width = (size_t)k + 1;
    unsigned short *best = ad_take(m, ((size_t)n + 1) * width * sizeof *best);
    for (int i = n - 1; i >= 0; i--) {
        for (int j = k - 1; j >= 0; j--) {
            unsigned short *cell = &best[(size_t)i * width + (size_t)j];
            const unsigned short down = cell[width], right = cell[1];
            *cell = down > right ? down : right;
            if (same(&made[i], &own[j]) && cell[width + 1] + 1 > *cell) *cell = (unsigned short)(cell[width + 1] + 1);
        }
    }
    for (int i = 0, j = 0; i < n; i++) {
        match[i] = -1;
        while (j < k && best[(size_t)i * width + (size_t)j] == best[(size_t)i * width + (size_t)j + 1]) j++;
        if (j < k && same(&made[i], &own[j]) &&
            best[(size_t)i * width + (size_t)j] == best[(size_t)(i + 1) * width + (size_t)j + 1] + 1)
            match[i] = j++;
    }
}

/* Gives n made tokens the places of k written ones. */
static void place_line(ad_arena *m, ac_token *made, int n, const ac_token *own, int k)
{
    int head = 0, tail = 0;
    while (head < n && head < k && same(&made[head], &own[head])) head++;
    while (tail < n - head && tail < k - head && same(&made[n - 1 - tail], &own[k - 1 - tail])) tail++;
    int *match = ad_take(m, ((size_t)n + 1) * sizeof *match);
    char *used = ad_take(m, (size_t)k + 1);
    const int inner = n - head - tail, inner_own = k - head - tail;
    if (k == 0 || (size_t)inner * (size_t)inner_own > CELLS_MAX || inner > 60000) return;
    for (int i = 0; i < head; i++) match[i] = i;
    for (int i = 1; i <= tail; i++) match[n - i] = k - i;
    subsequence(m, made + head, inner, own + head, inner_own, match + head);
    for (int i = head; i < head + inner; i++) match[i] += match[i] >= 0 ? head : 0;
    for (int i = 0; i < n; i++) {
        if (match[i] >= 0) used[match[i]] = 1;
    }
    for (int i = n - 1, next = k; i >= 0; i--) {
        int at = match[i];
        if (at >= 0) {
            next = at;
        } else {
            for (at = next - 1; at > 0 && !(own[at].kind == AC_IDENT && !used[at]); at--) {
            }
            if (at < 0) at = 0;
        }
        made[i].place.line = own[at].place.line;
        made[i].place.col = own[at].place.col;
    }
}

void ac_align(ad_arena *m, ac_names *names, ac_tokens tokens, const ac_original *original)
{
    const ac_tokens own = ac_lex_original(m, names, original->file, original->text, original->length);
    for (int i = 0; i < tokens.count - 1;) {
        if (tokens.at[i].place.file != original->file) {
            i++;
            continue;
        }
        const int line = tokens.at[i].place.line;
        int n = 1;
        while (i + n < tokens.count - 1 && tokens.at[i + n].place.file == original->file && tokens.at[i + n].place.line == line)
            n++;
        const stretch s = written(&own, line);
        place_line(m, &tokens.at[i], n, &own.at[s.from], s.to - s.from);
        i += n;
    }
}
