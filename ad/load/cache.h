/* cache.h - compiled models are kept on disk. An entry is one file, named by the digest of all that went into it; it ends with
 * a digest of its own content, so that a damaged one is noticed and made again. Entries appear whole or not at all: each is
 * written under a name of its own, flushed to disk and renamed, whichever of several processes comes last. */
#ifndef COSTATE_AD_CACHE_H
#define COSTATE_AD_CACHE_H

#include "base/arena.h"
#include "base/hash.h"

/* Where the cache is: `wanted`, else $COSTATE_CACHE, else $XDG_CACHE_HOME/costate, else ~/.cache/costate; "" and "none" stand
 * for no cache at all. The folder is made if it is not there. NULL: there is none, and *why, if it is a trouble that the user
 * should know of, says so. A folder in which others than the user and root may write is not used, for code is loaded from it. */
char *ad_cache_folder(ad_arena *m, const char *wanted, char **why);

char *ad_cache_entry(ad_arena *m, const char *folder, ad_digest key); /* the path of an entry, there or not */
int ad_cache_good(const char *entry);                                 /* 1: it is there and whole */

/* Puts the file `made` into the cache as `entry`. Returns 0, or an errno; then no trace is left. */
int ad_cache_put(ad_arena *m, const char *made, const char *entry);

#endif
