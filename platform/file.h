/* file.h - whole files, and files without a name. */
#ifndef COSTATE_PLATFORM_FILE_H
#define COSTATE_PLATFORM_FILE_H

#include <stddef.h>
#include <stdint.h>

int platform_file_size(const char *path, size_t *size); /* of a regular file: 0, or an errno */

/* What tells a file from the one that was there before under its name. */
typedef struct platform_file_stamp {
    int64_t size, changed; /* bytes; nanoseconds of platform_file_clock */
} platform_file_stamp;
int platform_file_about(const char *path, platform_file_stamp *stamp); /* of a regular file: 0, or an errno */
int64_t platform_file_clock(void); /* the clock that stamps files, which may lag by some milliseconds */

/* Reads up to `size` bytes of it; *length of them were there. 0, or an errno. */
int platform_file_read(const char *path, void *bytes, size_t size, size_t *length);

int platform_file_write(const char *path, const void *bytes, size_t length); /* a new file: 0, or an errno */

/* Whether there is a chance to write the file: 0, or an errno. */
int platform_file_writable(const char *path);

/* The file becomes these bytes, wholly or not at all: written under another name, then renamed, while signals wait. It keeps
 * its owner and rights; a link to it stays one. What is no regular file (/dev/null, a pipe), has other names, or cannot have a
 * file beside it, is written in place. 0, or an errno. */
int platform_file_replace(const char *path, const void *bytes, size_t length);

/* All bytes to, or from, an open file: 0, or an errno. Fewer are read only at its end; *length (NULL: not wanted) were. */
int platform_put(int fd, const void *bytes, size_t length);
int platform_get(int fd, void *bytes, size_t size, size_t *length);

/* An open file in the folder that has no name, so that it is gone however the program ends. < 0: it cannot be made (errno). */
int platform_nameless_file(const char *folder);

#endif
