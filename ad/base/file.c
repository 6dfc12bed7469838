/* file.c - see file.h */
#include "base/file.h"
#include "platform/file.h"

#include "platform/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

char *ad_file_head(ad_arena *m, const char *path, size_t most, size_t *length)
{
    size_t size = 0;
    int status = platform_file_size(path, &size);
    if (size > most) size = most;
    char *text = status ? NULL : ad_take(m, size + 1);
    if (!status) status = platform_file_read(path, text, size, length);
    if (status) errno = status;
    return status ? NULL : text;
}

char *ad_file_read(ad_arena *m, const char *path, size_t *length)
{
    return ad_file_head(m, path, SIZE_MAX, length);
}

int ad_file_is_text(const char *path)
{
    char bytes[1 << 14];
    size_t length = 0;
    int text = 1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return 1;
    do text = !platform_get(fd, bytes, sizeof bytes, &length) && platform_is_text(bytes, length);
    while (text && length == sizeof bytes);
    close(fd);
    return text;
}
