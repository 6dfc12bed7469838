/* file.h - the text of a file. */
#ifndef COSTATE_AD_FILE_H
#define COSTATE_AD_FILE_H

#include "base/arena.h"

/* The text of a file, ended by 0, and its length; NULL: cannot be read (errno). */
char *ad_file_read(ad_arena *m, const char *path, size_t *length);

/* The first `most` bytes of it, or fewer; the same otherwise. */
char *ad_file_head(ad_arena *m, const char *path, size_t most, size_t *length);

int ad_file_is_text(const char *path); /* 1: it is, as far as it can be read; it may be of any size */

#endif
