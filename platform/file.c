/* file.c - see file.h */
#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int platform_file_size(const char *path, size_t *size)
{
    struct stat about;
    if (stat(path, &about)) return errno;
    if (!S_ISREG(about.st_mode)) return S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    *size = (size_t)about.st_size;
    return 0;
}

int platform_get(int fd, void *bytes, size_t size, size_t *length)
{
    size_t have = 0;
    int status = 0;
    for (ssize_t got = 1; got && !status && have < size;) {
        got = read(fd, (char *)bytes + have, size - have);
        if (got > 0) have += (size_t)got;
        else if (got < 0 && errno != EINTR) status = errno;
    }
    if (length) *length = have;
    return status;
}

int platform_put(int fd, const void *bytes, size_t length)
{
    for (const char *b = bytes; length;) {
        const ssize_t put = write(fd, b, length);
        if (put > 0) b += put, length -= (size_t)put;
        else if (put == 0 || errno != EINTR) return put ? errno : ENOSPC;
    }
    return 0;
}

int platform_file_about(const char *path, platform_file_stamp *stamp)
{
    struct stat about;
    if (stat(path, &about)) return errno;
    if (!S_ISREG(about.st_mode)) return S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
#ifdef __APPLE__
    const struct timespec at = about.st_ctimespec;
#else
    const struct timespec at = about.st_ctim;
#endif
    *stamp = (platform_file_stamp){.size = about.st_size, .changed = (int64_t)at.tv_sec * 1000000000 + at.tv_nsec};
    return 0;
}

int64_t platform_file_clock(void)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

int platform_file_read(const char *path, void *bytes, size_t size, size_t *length)
{
    *length = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    const int status = platform_get(fd, bytes, size, length);
    close(fd);
    return status;
}

static int put_and_close(int fd, const void *bytes, size_t length)
{
    int status = platform_put(fd, bytes, length);
    if (close(fd) && !status) status = errno;
    return status;
}

int platform_file_write(const char *path, const void *bytes, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return errno;
    const int status = put_and_close(fd, bytes, length);
    if (status) unlink(path);
    return status;
}

/* Where a path leads: through links, even to what is not there. To be freed; NULL: it cannot be told (errno). */
static char *follow(const char *path)
{
    enum { LINKS = 40 };
    char link[4096], *at = strdup(path);
    for (int i = 0; at; i++) {
        const ssize_t length = readlink(at, link, sizeof link - 1);
        if (length < 0) return at;
        link[length] = 0;
        const char *slash = *link == '/' ? NULL : strrchr(at, '/');
        const int folder = slash ? (int)(slash - at + 1) : 0;
        const size_t room = (size_t)folder + (size_t)length + 1;
        char *next = i < LINKS ? malloc(room) : NULL;
        if (next) snprintf(next, room, "%.*s%s", folder, at, link);
        else errno = i < LINKS ? ENOMEM : ELOOP;
        free(at);
        at = next;
    }
    return NULL;
}

static int writable(const char *path)
{
    struct stat there;
    if (!stat(path, &there)) return S_ISDIR(there.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path + 1)) : strdup(".");
    const int status = !folder ? ENOMEM : access(folder, W_OK | X_OK) ? errno : 0;
    free(folder);
    return status;
}

int platform_file_writable(const char *path)
{
    char *at = follow(path);
    const int status = at ? writable(at) : errno;
    free(at);
    return status;
}

static int write_in_place(const char *path, const void *bytes, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return fd < 0 ? errno : put_and_close(fd, bytes, length);
}

/* Owner and rights that the file would have, had it been written in place. */
static int dress(int fd, const struct stat *there)
{
    struct stat own;
    if (fstat(fd, &own)) return errno;
    if (there && (own.st_uid != there->st_uid || own.st_gid != there->st_gid) && fchown(fd, there->st_uid, there->st_gid))
        return errno;
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(fd, there ? there->st_mode & 0777 : 0666 & ~mask) ? errno : 0;
}

/* Under another name beside it, then renamed; in place where there can be no such file. */
static int rename_into_place(const char *path, const struct stat *there, const void *bytes, size_t length)
{
    const size_t room = strlen(path) + sizeof ".XXXXXX";
    char *temporary = malloc(room);
    if (!temporary) return ENOMEM;
    snprintf(temporary, room, "%s.XXXXXX", path);
    const int fd = mkostemp(temporary, O_CLOEXEC), possible = fd >= 0 && !dress(fd, there);
    int status = possible ? platform_put(fd, bytes, length) : 0;
    if (possible && !status && fsync(fd)) status = errno;
    if (fd >= 0 && close(fd) && !status) status = errno;
    if (possible && !status && rename(temporary, path)) status = errno;
    if (fd >= 0 && (status || !possible)) unlink(temporary);
    free(temporary);
    return possible ? status : write_in_place(path, bytes, length);
}

static int replace(const char *path, const void *bytes, size_t length)
{
    struct stat there;
    const int status = writable(path), is_there = !stat(path, &there);
    if (status) return status;
    if (is_there && (!S_ISREG(there.st_mode) || there.st_nlink > 1)) return write_in_place(path, bytes, length);
    return rename_into_place(path, is_there ? &there : NULL, bytes, length);
}

int platform_file_replace(const char *path, const void *bytes, size_t length)
{
    static const int waiting[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t some, before;
    char *at = follow(path);
    if (!at) return errno;
    sigemptyset(&some);
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) sigaddset(&some, waiting[i]);
    pthread_sigmask(SIG_BLOCK, &some, &before);
    const int status = replace(at, bytes, length);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(at);
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
