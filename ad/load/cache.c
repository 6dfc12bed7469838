/* cache.c - the folder of what was made of models. */
#define _GNU_SOURCE /* mkostemp */
#include "load/cache.h"

#include "platform/file.h"
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

/* What follows the content of an entry; loaders of shared objects ignore it. The digest is of name and content, so that an entry
 * under another's name is none. It guards against damage; against others it is the owner and the rights of the file that do. */
typedef struct trailer {
    char magic[8];
    uint64_t length; /* of the content, so that nothing is read of what cannot be an entry */
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
    char full[PLATFORM_PATH], culprit[PLATFORM_PATH];
    const int status = platform_folder_path(path), ours = status ? 0 : platform_folder_ours(path, 0, full, culprit);
    if (status) *why = ad_text(m, "the cache folder %s cannot be made: %s", path, strerror(status));
    else if (ours == EPERM)
        *why = ad_text(m, "the cache folder %s is not used, because others may write to %s", path,
                       strcmp(culprit, full) ? culprit : "it");
    else if (ours) *why = ad_text(m, "the cache folder %s cannot be used: %s", path, strerror(ours));
    return *why ? NULL : ad_text(m, "%s", full);
}

/* ---- entries ---------------------------------------------------------------------------------------------------------- */

char *ad_cache_entry(ad_arena *m, const char *folder, ad_digest key, const char *ending)
{
    return ad_text(m, "%s/%016" PRIx64 "%016" PRIx64 "%s", folder, key.half[0], key.half[1], ending);
}

static const char *name_of(const char *entry)
{
    return strrchr(entry, '/') + 1;
}

static trailer trailer_of(const char *entry, const void *bytes, size_t length)
{
    ad_hash h;
    ad_hash_start(&h);
    ad_hash_field(&h, name_of(entry));
    ad_hash_bytes(&h, bytes, length);
    trailer end = {.length = length, .digest = ad_hash_end(&h)};
    memcpy(end.magic, magic, sizeof magic);
    return end;
}

/* 1: an open file that is a whole entry by its length, and that nobody but this user and root can have written: it is theirs, no
 * others may write to it, and it is not another file of theirs that was linked to this place. */
static int is_entry(int fd, trailer *end)
{
    struct stat about;
    if (fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_nlink != 1 || about.st_size < (off_t)sizeof *end) return 0;
    if ((about.st_uid != geteuid() && about.st_uid != 0) || about.st_mode & (S_IWGRP | S_IWOTH)) return 0;
    const off_t length = about.st_size - (off_t)sizeof *end;
    if (pread(fd, end, sizeof *end, length) != (ssize_t)sizeof *end) return 0;
    return !memcmp(end->magic, magic, sizeof magic) && end->length == (uint64_t)length;
}

/* The content of an open entry. */
static char *read_content(const char *entry, int fd, size_t *length)
{
    trailer end, wanted;
    if (!is_entry(fd, &end)) return NULL;
    const size_t size = (size_t)end.length;
    char *bytes = malloc(size + 1);
    if (bytes && !platform_get(fd, bytes, size, length) && *length == size) {
        wanted = trailer_of(entry, bytes, size);
        bytes[size] = 0;
        if (!memcmp(&end, &wanted, sizeof end)) return bytes;
    }
    free(bytes);
    return NULL;
}

/* Whatever else has the name of an entry is not waited for, nor followed. */
char *ad_cache_read(const char *entry, size_t *length)
{
    const int fd = open(entry, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char *bytes = fd < 0 ? NULL : read_content(entry, fd, length);
    if (fd >= 0) close(fd);
    return bytes;
}

/* A new file in the folder with the bytes, and a trailer if there is one; *path is its name. Returns 0, or an errno; then it is
 * not there. */
static int write_fresh(ad_arena *m, const char *folder, const void *bytes, size_t length, const trailer *end, char **path)
{
    *path = ad_text(m, "%s/%sXXXXXX", folder, fresh);
    const int fd = mkostemp(*path, O_CLOEXEC); /* for this user alone */
    if (fd < 0) return errno;
    int status = platform_put(fd, bytes, length);
    if (!status && end) status = platform_put(fd, end, sizeof *end);
    if (close(fd) && !status) status = errno;
    if (status) unlink(*path);
    return status;
}

int ad_cache_put(ad_arena *m, const char *entry, const void *bytes, size_t length)
{
    char *folder = ad_text_n(m, entry, (size_t)(strrchr(entry, '/') - entry)), *path;
    const trailer end = trailer_of(entry, bytes, length);
    sweep(folder);
    int status = write_fresh(m, folder, bytes, length, &end, &path);
    if (status) return status;
    if (rename(path, entry) && (platform_remove(entry), rename(path, entry))) { /* a folder is in the way */
        status = errno;
        unlink(path);
    }
    return status;
}

void *ad_cache_load(ad_arena *m, const char *folder, const void *bytes, size_t length)
{
    char *path;
    if (write_fresh(m, folder, bytes, length, NULL, &path)) return NULL;
    void *handle = platform_object_open(path);
    unlink(path);
    return handle;
}
