/* folder.c - making and removing a folder for temporary files. */
#include "load/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char prefix[] = "costate-model-", lock_name[] = "lock";
enum { YOUNG = 60 }; /* seconds; a folder may be without its lock for a moment after it was made */

/* Removes what `name` in the folder `at` is, a file or a folder; links are not followed. */
static void remove_tree(int at, const char *name, int depth)
{
    if (!unlinkat(at, name, 0) || depth > 8) return;
    const int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0) close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) remove_tree(fd, e->d_name, depth + 1);
    closedir(d);
    unlinkat(at, name, AT_REMOVEDIR);
}

/* 1: a folder of ours whose process is gone. */
static int abandoned(int at, const char *name)
{
    struct stat about;
    if (fstatat(at, name, &about, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(about.st_mode) || about.st_uid != geteuid()) return 0;
    if (time(NULL) - about.st_mtime < YOUNG) return 0;
    const int folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return 0;
    const int lock = openat(folder, lock_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    close(folder);
    if (lock < 0) return 0;
    const int gone = !flock(lock, LOCK_EX | LOCK_NB);
    close(lock);
    return gone;
}

static void sweep(const char *base)
{
    DIR *d = opendir(base);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));)
        if (!strncmp(e->d_name, prefix, sizeof prefix - 1) && abandoned(dirfd(d), e->d_name)) remove_tree(dirfd(d), e->d_name, 0);
    closedir(d);
}

/* Makes the folder in base; a page is written to it, so that a full disk is noticed here. */
static int make_in(ad_arena *m, ad_folder *f, const char *base)
{
    static const char page[4096];
    char *path = ad_text(m, "%s/%sXXXXXX", base, prefix), *lock = ad_text(m, "%s/%sXXXXXX/%s", base, prefix, lock_name);
    if (!mkdtemp(path)) return errno;
    memcpy(lock, path, strlen(path));
    f->path = path;
    f->lock = open(lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int status = f->lock < 0 ? errno : 0;
    if (!status && (flock(f->lock, LOCK_EX | LOCK_NB) || write(f->lock, page, sizeof page) != (ssize_t)sizeof page))
        status = errno ? errno : ENOSPC;
    if (status) ad_folder_remove(f);
    return status;
}

int ad_folder_make(ad_arena *m, ad_folder *f, const char *spare)
{
    const char *tmpdir = getenv("TMPDIR"), *const base[] = {tmpdir && *tmpdir ? tmpdir : NULL, "/tmp", spare};
    int status = ENOENT;
    *f = (ad_folder){.lock = -1};
    for (size_t i = 0; status && i < sizeof base / sizeof *base; i++) {
        if (!base[i]) continue;
        sweep(base[i]);
        status = make_in(m, f, base[i]);
    }
    return status;
}

void ad_folder_remove(ad_folder *f)
{
    /* Again if need be: a compiler that was just ended may still have made a file. */
    for (int i = 0; f->path && i < 3 && !access(f->path, F_OK); i++) remove_tree(AT_FDCWD, f->path, 0);
    if (f->lock >= 0) close(f->lock);
    *f = (ad_folder){.lock = -1};
}

int ad_folder_path(const char *path)
{
    char part[4096];
    const size_t length = strlen(path);
    if (!length || length >= sizeof part) return length ? ENAMETOOLONG : ENOENT;
    memcpy(part, path, length + 1);
    for (char *slash = part + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        if (mkdir(part, 0777) && errno != EEXIST && errno != EISDIR) return errno;
    }
    if (mkdir(part, 0700) && errno != EEXIST) return errno;
    struct stat about;
    if (stat(part, &about)) return errno;
    return S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
}

int ad_file_write(const char *path, const void *bytes, size_t length)
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
