/* file.c - see file.h */
#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int platform_file_size(const char *path, size_t *size)
{
    struct stat about;
    if (stat(path, &about)) return errno;
    if (!S_ISREG(about.st_mode)) return S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    *size = (size_t)about.st_size;
    return 0;
}

int platform_file_read(const char *path, void *bytes, size_t size, size_t *length)
{
    *length = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    int status = 0;
    for (ssize_t got = 1; got && !status && *length < size;) {
        got = read(fd, (char *)bytes + *length, size - *length);
        if (got > 0) *length += (size_t)got;
        else if (got < 0 && errno != EINTR) status = errno;
    }
    close(fd);
    return status;
}

int platform_file_write(const char *path, const void *bytes, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return errno;
    int status = 0;
    for (const char *b = bytes; !status && length;) {
        const ssize_t put = write(fd, b, length);
        if (put > 0) b += put, length -= (size_t)put;
        else if (put == 0 || errno != EINTR) status = put ? errno : ENOSPC;
    }
    if (close(fd) && !status) status = errno;
    if (status) unlink(path);
    return status;
}

int platform_nameless_file(const char *folder)
{
#ifdef O_TMPFILE
    const int nameless = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (nameless >= 0) return nameless;
#endif
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/costate-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) unlink(path);
    return fd;
}
