/* compile.h - from C text to loaded code, by way of the cache.
 *
 * A build has a compiler ($CC, else cc), a folder for temporary files, and the cache. A unit is one C text that becomes one
 * shared object. Its key is the digest of the text and of everything else that determines the code: flags, the compiler's
 * version, the processor. Up to two compilers run at once.
 *
 *     ad_build_open; ad_preprocess; ad_unit_start for some units; ad_unit_finish for each; ad_build_close */
#ifndef COSTATE_AD_COMPILE_H
#define COSTATE_AD_COMPILE_H

#include "base/hash.h"
#include "base/out.h"
#include "base/words.h"
#include "platform/folder.h"
#include "platform/process.h"

/* What went wrong. */
typedef enum ad_trouble {
    AD_FINE,
    AD_REFUSED,     /* the model is not one that costate diff takes */
    AD_NOT_C,       /* the compiler did not take it */
    AD_NO_COMPILER,
    AD_NO_ROOM,     /* no folder for temporary files, or the result cannot be loaded from it */
    AD_OWN_BUG,     /* the compiler did not take what costate diff wrote */
    AD_STOPPED,     /* *stop was set */
    AD_NO_MEMORY
} ad_trouble;

enum { AD_JOBS = 2 };

typedef struct ad_unit ad_unit;

typedef struct ad_build {
    ad_arena *m;
    const volatile sig_atomic_t *stop; /* NULL: never */
    ad_words compiler;
    ad_words flags;   /* for what costate diff emits, after its own */
    char *identity;   /* what the compiler says of itself, and the processor */
    const char *tuning; /* a flag for the processor that the compiler does not choose by itself, or "" */
    char *cache;      /* its folder; NULL: none */
    ad_words model;   /* the user's file and what it is compiled with */
    platform_folder folder; /* holds the headers of model files and emitted ones, as costate/model.h and so on */
    ad_unit *running[AD_JOBS];
    int units;        /* so far, for names of files */
    ad_out warnings;  /* one a line */
    ad_out error;     /* of the last failure */
} ad_build;

struct ad_unit {
    const char *text;
    size_t length;
    const char *origin; /* the user's file: its text, preprocessed, for its descriptor. NULL: emitted, to be fast */
    char *path;         /* of the shared object, once it is there */
    void *handle;       /* loaded; belongs to the caller, who closes it */
    char *source, *log; /* files in the folder */
    char *entry;        /* of the cache; NULL: none */
    platform_process job;
    int number, status; /* status: exit code of the job */
};

/* What the caller wants, each NULL for none. */
typedef struct ad_wishes {
    const char *compiler, *flags, *cache;
    const volatile sig_atomic_t *stop;
} ad_wishes;

/* After a failure b->error says why; ad_build_close is called in any case. */
ad_trouble ad_build_open(ad_build *b, ad_arena *m, const ad_wishes *wishes);
void ad_build_close(ad_build *b); /* ends what still runs, removes all temporary files */

/* The user's file as his compiler sees it, with definitions "NAME=value". In `text`: line markers kept, the folder's name
 * replaced by a fixed one. */
ad_trouble ad_preprocess(ad_build *b, const char *file, int defines, const char *const *define, char **text, size_t *length);

ad_trouble ad_unit_start(ad_build *b, ad_unit *u);  /* looks into the cache; if it is not there, starts a compiler */
ad_trouble ad_unit_finish(ad_build *b, ad_unit *u); /* waits for it, puts it into the cache, loads it */

#endif
