/* manifest.h - what the compiler made of a model file the last time: its preprocessed text and the files that were read for it.
 * As long as none of these has changed, nor the compiler, nor what it is told, no compiler has to run to know the text.
 *
 * A manifest is an entry of the cache, named by all of that but the content of files. Not noticed is a new header that hides one
 * of the same name further down the search path. */
#ifndef COSTATE_AD_MANIFEST_H
#define COSTATE_AD_MANIFEST_H

#include "load/compile.h"

typedef struct ad_manifest {
    ad_digest text;       /* of the preprocessed text, which is an entry of the cache */
    ad_digest files;      /* of all files that were read */
    const char *warnings; /* of costate diff about the model */
} ad_manifest;

/* 1: there is one, and it holds. b->version is then known. */
int ad_manifest_recall(ad_build *b, ad_manifest *x);

/* The preprocessed text; NULL: it is not in the cache. And into the cache. */
char *ad_manifest_text(ad_build *b, const ad_manifest *x, size_t *length);
void ad_manifest_keep_text(ad_build *b, const ad_manifest *x, const char *text, size_t length);

/* Fills in x->files and writes it, unless a file was changed since `start`: then 0. */
int ad_manifest_keep(ad_build *b, ad_manifest *x, const char *text, size_t length, const ad_words *reads, int64_t start);

int64_t ad_manifest_start(void); /* the time to give to the latter */

#endif
