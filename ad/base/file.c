/* file.c - see file.h */
#include "base/file.h"
#include "platform/file.h"

#include <errno.h>

char *ad_file_read(ad_arena *m, const char *path, size_t *length)
{
    size_t size = 0;
    int status = platform_file_size(path, &size);
    char *text = status ? NULL : ad_take(m, size + 1);
    if (!status) status = platform_file_read(path, text, size, length);
    if (status) errno = status;
    return status ? NULL : text;
}
