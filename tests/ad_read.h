/* ad_read.h - the tree of a model file, by way of the preprocessor. */
#ifndef AD_READ_H
#define AD_READ_H

#include "front/front.h"
#include "load/compile.h"

/* NULL: it is not taken; d says why. */
static inline ad_model *ad_read(ad_arena *m, ad_diag *d, const char *file)
{
    ad_build b;
    char *text;
    size_t length;
    ad_words reads = {0};
    ad_build_open(&b, m, &(ad_wishes){.file = file, .cache = "none"});
    const ad_trouble trouble = ad_preprocess(&b, &text, &length, &reads);
    if (trouble) ad_error(d, (ad_place){.file = file}, NULL, "%s", ad_out_text(&b.error));
    ad_build_rest(&b);
    return trouble ? NULL : ad_front(m, d, file, text, length);
}

#endif
