/* words.c - see words.h */
#include "base/words.h"

#include <string.h>

void ad_words_add(ad_arena *m, ad_words *w, const char *word)
{
    if (w->count + 2 > w->room) {
        const int room = 2 * w->room + 16;
        w->argv = ad_grow(m, w->argv, (size_t)w->room * sizeof *w->argv, (size_t)room * sizeof *w->argv);
        w->room = room;
    }
    w->argv[w->count++] = ad_text_n(m, word, strlen(word));
    w->argv[w->count] = NULL;
}

void ad_words_split(ad_arena *m, ad_words *w, const char *text)
{
    const char *blank = " \t\r\n";
    for (text += strspn(text, blank); *text; text += strspn(text, blank)) {
        const size_t length = strcspn(text, blank);
        ad_words_add(m, w, ad_text_n(m, text, length));
        text += length;
    }
}

char *ad_words_join(ad_arena *m, const ad_words *w)
{
    size_t length = 1;
    for (int i = 0; i < w->count; i++) length += strlen(w->argv[i]) + 1;
    char *text = ad_take(m, length), *end = text;
    for (int i = 0; i < w->count; i++) {
        if (i) *end++ = ' ';
        const size_t n = strlen(w->argv[i]);
        memcpy(end, w->argv[i], n);
        end += n;
    }
    return text;
}
