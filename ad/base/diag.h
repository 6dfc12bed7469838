/* diag.h - what costate diff has to say about a model: errors, warnings and remarks, each with its place, the user's line, a
 * caret and advice.
 *
 *     model.c:12:9: error: 'while' is not differentiated: its number of passes is not known
 *         while (r > 1e-8) {
 *         ^
 *       try: a for loop with an integer counter and a fixed bound
 *
 * Messages are kept, never printed. The same message at the same place is kept once: a helper that is inlined twice is wrong
 * once. */
#ifndef COSTATE_AD_DIAG_H
#define COSTATE_AD_DIAG_H

#include "base/arena.h"
#include "base/place.h"

#include <stddef.h>

typedef struct ad_diag ad_diag;

enum { AD_ERRORS_MAX = 50 }; /* after so many errors ad_diag_full() is 1 and further ones are only counted */

ad_diag *ad_diag_open(ad_arena *m);

/* Text to quote lines from. Line markers in it (# 12 "file") are obeyed; `file` names what comes before the first. The text is
 * not copied. */
void ad_diag_source(ad_diag *d, const char *file, const char *text, size_t length);

void ad_error(ad_diag *d, ad_place place, const char *advice, const char *format, ...) __attribute__((format(printf, 4, 5)));
void ad_warn(ad_diag *d, ad_place place, const char *advice, const char *format, ...) __attribute__((format(printf, 4, 5)));
void ad_remark(ad_diag *d, ad_place place, const char *advice, const char *format, ...) __attribute__((format(printf, 4, 5)));

int ad_diag_count(const ad_diag *d);    /* errors */
int ad_diag_warnings(const ad_diag *d); /* warnings and remarks */
int ad_diag_full(const ad_diag *d);
const char *ad_diag_text(const ad_diag *d); /* all messages in the order of their making; "" if there is none */

#endif
