/* clean.h - what others wrote, made fit to be shown: by a terminal, in a comment. */
#ifndef COSTATE_AD_CLEAN_H
#define COSTATE_AD_CLEAN_H

#include "base/arena.h"

/* Control characters but line ends and tabs, and bytes that are no UTF-8, as \xNN; of a line of any length the beginning. */
char *ad_clean(ad_arena *m, const char *text);

/* The same of what a compiler said: of many lines the first, of long ones the beginning. */
char *ad_clean_excerpt(ad_arena *m, const char *text);

/* A name on one line, which ends no comment that it is put into. */
char *ad_clean_name(ad_arena *m, const char *text);

#endif
