/* cache.c - the folder of what was made of models. */
#define _GNU_SOURCE /* mkostemp */
#include "load/cache.h"

#include "platform/folder.h"
#include "platform/object.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What follows the content of an entry; loaders of shared objects ignore it. */
typedef struct trailer {
    char magic[8];
    ad_digest digest;
} trailer;
static const char magic[8] = "costate";

/* ---- the folder ------------------------------------------------------------------------------------------------------- */

static const char fresh[] = "new-"; /* names of files that are being written start so */
enum { STALE = 3600 };              /* seconds after which nobody is still writing one */

/* Removes what a process that was killed while it wrote an entry has left. */
static void sweep(const char *folder)
{
    DIR *d = opendir(folder);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        struct stat about;
        if (!strncmp(e->d_name, fresh, sizeof fresh - 1) && !fstatat(dirfd(d), e->d_name, &about, AT_SYMLINK_NOFOLLOW) &&
            time(NULL) - about.st_mtime > STALE)
            unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
}

char *ad_cache_folder(ad_arena *m, const char *wanted, char **why)
{
    const char *own = wanted ? wanted : getenv("COSTATE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path = own            ? ad_text(m, "%s", own)
                 : xdg && *xdg  ? ad_text(m, "%s/costate", xdg)
                 : home && *home ? ad_text(m, "%s/.cache/costate", home)
                                : NULL;
    *why = NULL;
    if (!path || !*path || !strcmp(path, "none")) return NULL;
    const int status = platform_folder_path(path), ours = platform_folder_ours(path);
    if (status) *why = ad_text(m, "the cache folder %s cannot be made: %s", path, strerror(status));
    else if (ours == EPERM) *why = ad_text(m, "the cache folder %s is not used, because others may write to it", path);
    else if (ours) *why = ad_text(m, "the cache folder %s cannot be used: %s", path, strerror(ours));
    return *why ? NULL : path;
}

/* ---- entries ---------------------------------------------------------------------------------------------------------- */

char *ad_cache_entry(ad_arena *m, const char *folder, ad_digest key, const char *ending)
{
    return ad_text(m, "%s/%016" PRIx64 "%016" PRIx64 "%s", folder, key.half[0], key.half[1], ending);
}

static trailer trailer_of(const void *bytes, size_t length)
{
    ad_hash h;
    ad_hash_start(&h);
    ad_hash_bytes(&h, bytes, length);
    trailer end = {.digest = ad_hash_end(&h)};
    memcpy(end.magic, magic, sizeof magic);
    return end;
}

/* Everything that an open file holds, from malloc; NULL: others may write to it, or it cannot be read. */
static char *read_ours(int fd, size_t *length)
{
    struct stat about;
    if (fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_size < (off_t)sizeof(trailer)) return NULL;
    if ((about.st_uid != geteuid() && about.st_uid != 0) || about.st_mode & (S_IWGRP | S_IWOTH)) return NULL;
    const size_t size = (size_t)about.st_size;
    char *bytes = malloc(size + 1);
    for (*length = 0; bytes && *length < size;) {
        const ssize_t got = read(fd, bytes + *length, size - *length);
        if (got > 0) *length += (size_t)got;
        else if (!got || errno != EINTR) break;
    }
    if (bytes && *length == size) return bytes;
    free(bytes);
    return NULL;
}

char *ad_cache_read(const char *entry, size_t *length)
{
    const int fd = open(entry, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return NULL;
    size_t size = 0;
    char *bytes = read_ours(fd, &size);
    close(fd);
    if (!bytes) return NULL;
    *length = size - sizeof(trailer);
    const trailer wanted = trailer_of(bytes, *length);
    if (memcmp(bytes + *length, &wanted, sizeof wanted)) {
        free(bytes);
        return NULL;
    }
    bytes[*length] = 0;
    return bytes;
}

static int write_all(int fd, const void *bytes, size_t count)
{
    for (const char *b = bytes; count;) {
        const ssize_t put = write(fd, b, count);
        if (put > 0) b += put, count -= (size_t)put;
        else if (put == 0 || errno != EINTR) return put ? errno : ENOSPC;
    }
    return 0;
}

/* A new file in the folder, with the bytes and a trailer; *path is its name. Returns 0, or an errno; then it is not there. */
static int write_fresh(ad_arena *m, const char *folder, const void *bytes, size_t length, char **path)
{
    *path = ad_text(m, "%s/%sXXXXXX", folder, fresh);
    const trailer end = trailer_of(bytes, length);
    const int fd = mkostemp(*path, O_CLOEXEC); /* for this user alone */
    if (fd < 0) return errno;
    int status = write_all(fd, bytes, length);
    if (!status) status = write_all(fd, &end, sizeof end);
    if (close(fd) && !status) status = errno;
    if (status) unlink(*path);
    return status;
}

int ad_cache_put(ad_arena *m, const char *entry, const void *bytes, size_t length)
{
    char *folder = ad_text_n(m, entry, (size_t)(strrchr(entry, '/') - entry)), *path;
    sweep(folder);
    int status = write_fresh(m, folder, bytes, length, &path);
    if (status) return status;
    if (rename(path, entry)) {
        status = errno;
        unlink(path);
    }
    return status;
}

void *ad_cache_load(ad_arena *m, const char *folder, const void *bytes, size_t length)
{
    char *path;
    if (write_fresh(m, folder, bytes, length, &path)) return NULL;
    void *handle = platform_object_open(path);
    unlink(path);
    return handle;
}
