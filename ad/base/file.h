/* file.h - the text of a file. */
#ifndef COSTATE_AD_FILE_H
#define COSTATE_AD_FILE_H

#include "base/arena.h"

/* The text of a file, ended by 0, and its length; NULL: cannot be read (errno). */
char *ad_file_read(ad_arena *m, const char *path, size_t *length);

#endif
