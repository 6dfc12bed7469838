/* compile.h - running the system's compiler, and loading what it makes, by way of the cache.
 *
 * A build has a compiler ($CC, else cc), the cache, and, while compilers run, a folder for temporary files. A unit is what
 * becomes one shared object: a C text that costate diff wrote, or the user's own file. As many compilers run at once as there
 * are processors.
 *
 *     ad_build_open; ad_build_version; ad_preprocess;
 *     for units: ad_unit_recall, else ad_unit_start, and ad_unit_finish when all are started;
 *     ad_build_rest */
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

enum { AD_JOBS = 16 };

typedef struct ad_unit ad_unit;

/* What the caller wants, each NULL for none. They live as long as the build. */
typedef struct ad_wishes {
    const char *compiler, *flags, *cache;
    const char *file; /* the user's, with definitions "NAME=value" */
    int defines;
    const char *const *define;
    const volatile sig_atomic_t *stop;
    volatile sig_atomic_t *busy; /* is 1 while there is a folder for temporary files */
} ad_wishes;

typedef struct ad_build {
    ad_arena *m;
    ad_wishes wishes;
    ad_words compiler;
    ad_words flags;         /* for what costate diff emits, after its own */
    char *version;          /* what the compiler says of itself; NULL: it was not asked */
    char *processor;        /* its kind */
    char *cache;            /* its folder; NULL: none */
    platform_folder folder; /* holds the headers of model files and emitted ones: costate/model.h, ...; path NULL: none yet */
    ad_unit *running[AD_JOBS];
    int jobs;               /* that may run at once */
    int units;              /* so far, for names of files */
    ad_out warnings;        /* one a line */
    ad_out error;           /* of the last failure */
} ad_build;

struct ad_unit {
    const char *text;   /* what costate diff wrote, to be fast; NULL: the user's file itself, for its descriptor */
    size_t length;
    char *entry;        /* in the cache; NULL: none */
    void *handle;       /* loaded; belongs to the caller, who closes it */
    char *source, *log, *path, *reads; /* files in the folder: text, messages, shared object, list of the files that were read */
    platform_process job;
    int number, status; /* status: exit code of the job */
};

/* After a failure b->error says why; ad_build_rest is called in any case. */
void ad_build_open(ad_build *b, ad_arena *m, const ad_wishes *wishes);
ad_trouble ad_build_version(ad_build *b); /* asks the compiler for it, once */
void ad_build_rest(ad_build *b); /* ends what still runs, removes all temporary files; a unit that is started makes new ones */

/* All that determines the code which becomes of a text, but the text. */
void ad_build_hash(const ad_build *b, ad_hash *h);

/* Puts bytes into the cache; if that fails there is a warning, and no cache from then on. */
void ad_build_keep(ad_build *b, const char *entry, const void *bytes, size_t length);

/* The user's file as costate diff sees it, with line markers; files that were read are added to `reads`. */
ad_trouble ad_preprocess(ad_build *b, char **text, size_t *length, ad_words *reads);

int ad_unit_recall(ad_build *b, ad_unit *u);        /* 1: it was in the cache, and is loaded */
ad_trouble ad_unit_start(ad_build *b, ad_unit *u);  /* starts a compiler; u->entry may be set until it is finished */
ad_trouble ad_unit_finish(ad_build *b, ad_unit *u); /* waits for it, loads it and puts it into the cache */
void ad_unit_keep(ad_build *b, const ad_unit *u);   /* puts it into the cache, if u->entry was not known before */
void ad_unit_reads(ad_build *b, const ad_unit *u, ad_words *reads); /* the files that the compiler of the user's file has read */

#endif
