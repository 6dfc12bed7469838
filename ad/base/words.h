/* words.h - the words of a command. */
#ifndef COSTATE_AD_WORDS_H
#define COSTATE_AD_WORDS_H

#include "base/arena.h"

/* A growing list of arguments; argv[count] is NULL. */
typedef struct ad_words {
    int count, room;
    char **argv;
} ad_words;

void ad_words_add(ad_arena *m, ad_words *w, const char *word);
void ad_words_split(ad_arena *m, ad_words *w, const char *text); /* at white space: $CC may be "ccache gcc -m64" */
char *ad_words_join(ad_arena *m, const ad_words *w);             /* with blanks between, for people and for hashing */

#endif
