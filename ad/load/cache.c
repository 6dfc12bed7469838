/* cache.c - the folder of compiled models. */
#define _GNU_SOURCE /* mkostemp */
#include "load/cache.h"

#include "platform/folder.h"

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

/* What follows the shared object in an entry; loaders ignore it. */
typedef struct trailer {
    char magic[8];
    ad_digest digest;
} trailer;
static const char magic[8] = "costate";

/* ---- the folder ------------------------------------------------------------------------------------------------------- */

static const char fresh_suffix[] = ".so.XXXXXX";
enum { STALE = 3600 }; /* seconds after which nobody is still writing an entry */

/* Removes what a process that was killed while it wrote an entry has left. */
static void sweep(const char *folder)
{
    DIR *d = opendir(folder);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        const size_t length = strlen(e->d_name), suffix = sizeof fresh_suffix - 1;
        struct stat about;
        if (length > suffix && !strncmp(e->d_name + length - suffix, fresh_suffix, 4)
            && !fstatat(dirfd(d), e->d_name, &about, AT_SYMLINK_NOFOLLOW) && time(NULL) - about.st_mtime > STALE)
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
    if (*why) return NULL;
    sweep(path);
    return path;
}

/* ---- entries ---------------------------------------------------------------------------------------------------------- */

char *ad_cache_entry(ad_arena *m, const char *folder, ad_digest key)
{
    return ad_text(m, "%s/%016" PRIx64 "%016" PRIx64 ".so", folder, key.half[0], key.half[1]);
}

/* Reads up to `count` bytes; fewer only at the end of the file. < 0: trouble. */
static ssize_t read_all(int fd, void *bytes, size_t count)
{
    size_t have = 0;
    while (have < count) {
        const ssize_t got = read(fd, (char *)bytes + have, count - have);
        if (!got) break;
        if (got > 0) have += (size_t)got;
        else if (errno != EINTR) return -1;
    }
    return (ssize_t)have;
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

int ad_cache_good(const char *entry)
{
    const int fd = open(entry, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return 0;
    struct stat about;
    int good = !fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_size > (off_t)sizeof(trailer);
    ad_hash h;
    ad_hash_start(&h);
    char block[1 << 14];
    for (size_t left = good ? (size_t)about.st_size - sizeof(trailer) : 0; left && good;) {
        const size_t some = left < sizeof block ? left : sizeof block;
        good = read_all(fd, block, some) == (ssize_t)some;
        ad_hash_bytes(&h, block, some);
        left -= some;
    }
    trailer end;
    const ad_digest digest = ad_hash_end(&h);
    good = good && read_all(fd, &end, sizeof end) == (ssize_t)sizeof end && !memcmp(end.magic, magic, sizeof magic)
           && !memcmp(&end.digest, &digest, sizeof digest);
    close(fd);
    return good;
}

/* Copies `from`, adds the trailer, and flushes it to disk. */
static int copy(int from, int to)
{
    ad_hash h;
    ad_hash_start(&h);
    char block[1 << 14];
    int status = 0;
    for (ssize_t some = 1; some && !status;) {
        some = read_all(from, block, sizeof block);
        if (some < 0) return errno;
        ad_hash_bytes(&h, block, (size_t)some);
        status = write_all(to, block, (size_t)some);
    }
    trailer end = {.digest = ad_hash_end(&h)};
    memcpy(end.magic, magic, sizeof magic);
    if (!status) status = write_all(to, &end, sizeof end);
    if (!status && fsync(to)) status = errno;
    return status;
}

int ad_cache_put(ad_arena *m, const char *made, const char *entry)
{
    char *fresh = ad_text(m, "%.*s%s", (int)(strlen(entry) - 3), entry, fresh_suffix);
    const int from = open(made, O_RDONLY | O_CLOEXEC);
    if (from < 0) return errno;
    const int to = mkostemp(fresh, O_CLOEXEC);
    int status = to < 0 ? errno : copy(from, to);
    close(from);
    if (to < 0) return status;
    if (!status && fchmod(to, 0700)) status = errno;
    if (close(to) && !status) status = errno;
    if (!status && rename(fresh, entry)) status = errno;
    if (status) unlink(fresh);
    return status;
}
