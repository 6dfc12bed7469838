/* cache.h - what was made of models is kept on disk. An entry is one file, named by the digest of all that went into it; it ends
 * with a digest of its own content, so that a damaged one is noticed and made again. Entries appear whole or not at all: each is
 * written under a name of its own and renamed, whichever of several processes comes last. */
#ifndef COSTATE_AD_CACHE_H
#define COSTATE_AD_CACHE_H

#include "base/arena.h"
#include "base/hash.h"

/* Where the cache is: `wanted`, else $COSTATE_CACHE, else $XDG_CACHE_HOME/costate, else ~/.cache/costate; "" and "none" stand
 * for no cache at all. The folder is made if it is not there, and comes by its full name. NULL: there is none, and *why, if it is
 * a trouble that the user should know of, says so. A folder in which others than the user and root may write, or which they could
 * put another in place of, is not used, for code is loaded from it. */
char *ad_cache_folder(ad_arena *m, const char *wanted, char **why);

/* The path of an entry, there or not; `ending` says what it is: ".so", ... */
char *ad_cache_entry(ad_arena *m, const char *folder, ad_digest key, const char *ending);

/* The content of an entry, ended by 0, from malloc; NULL: it is not there, not whole, or could have been written by others.
 * Whatever has its name, a pipe, a folder, a link, a file of terabytes, takes no time. */
char *ad_cache_read(const char *entry, size_t *length);

/* Puts bytes into the cache as `entry`, in place of whatever has its name. Returns 0, or an errno; then no trace is left. */
int ad_cache_put(ad_arena *m, const char *entry, const void *bytes, size_t length);

/* Loads the content of an entry from a file of its own, so that what was checked is what is loaded, and so that no other model of
 * this program shares it. NULL: it cannot be loaded. */
void *ad_cache_load(ad_arena *m, const char *folder, const void *bytes, size_t length);

#endif
