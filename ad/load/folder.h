/* folder.h - a private folder for temporary files. It is made in $TMPDIR, else in /tmp, else in `spare`, and goes with all it
 * holds. The process that made it holds a lock in it for as long as it lives; folders whose process was killed are removed by
 * the next one. */
#ifndef COSTATE_AD_FOLDER_H
#define COSTATE_AD_FOLDER_H

#include "base/arena.h"

typedef struct ad_folder {
    char *path; /* NULL: there is none */
    int lock;   /* the open lock file; -1: none */
} ad_folder;

int ad_folder_make(ad_arena *m, ad_folder *f, const char *spare); /* 0, or an errno; spare may be NULL */
void ad_folder_remove(ad_folder *f);

int ad_folder_path(const char *path);                                  /* makes a folder and those above it: 0, or an errno */
int ad_file_write(const char *path, const void *bytes, size_t length); /* a new file: 0, or an errno */

#endif
