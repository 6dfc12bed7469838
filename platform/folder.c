/* folder.c - see folder.h */
#include "platform/folder.h"

#include "platform/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char prefix[] = "costate-model-", lock_name[] = "lock";
enum { YOUNG = 60 }; /* seconds; a folder may be without its lock for a moment after it was made */

/* Removes all plain entries of a folder. 1: others are left, and *name is one of them; 0: none; -1: it cannot be read. */
static int remove_entries(const char *path, char *name, size_t room)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0) close(fd);
        return -1;
    }
    int left = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !unlinkat(fd, e->d_name, 0)) continue;
        left = (size_t)snprintf(name, room, "%s", e->d_name) < room ? 1 : -1;
    }
    closedir(d);
    return left;
}

/* One file is open at a time: this has to work when the process has no more of them. */
static int remove_tree(const char *path, int depth)
{
    if (!unlink(path) || errno == ENOENT || !rmdir(path)) return 0;
    char inner[PLATFORM_PATH], name[256];
    int left = -1;
    while (depth < 8 && (left = remove_entries(path, name, sizeof name)) == 1) {
        const int length = snprintf(inner, sizeof inner, "%s/%s", path, name);
        if ((size_t)length >= sizeof inner || remove_tree(inner, depth + 1)) return -1;
    }
    return left || rmdir(path) ? -1 : 0;
}

void platform_remove(const char *path)
{
    remove_tree(path, 0);
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
    char path[PLATFORM_PATH];
    for (struct dirent *e; (e = readdir(d));)
        if (!strncmp(e->d_name, prefix, sizeof prefix - 1) && abandoned(dirfd(d), e->d_name) &&
            (size_t)snprintf(path, sizeof path, "%s/%s", base, e->d_name) < sizeof path)
            platform_remove(path);
    closedir(d);
}

/* Makes the folder in base; a page is written to it, so that a full disk is noticed here. */
static int make_in(platform_folder *f, const char *base)
{
    static const char page[4096];
    const size_t room = strlen(base) + sizeof "/" + sizeof prefix + sizeof "XXXXXX/" + sizeof lock_name;
    char *path = malloc(room);
    if (!path) return ENOMEM;
    const int length = snprintf(path, room, "%s/%sXXXXXX", base, prefix);
    if (!mkdtemp(path)) {
        const int why = errno;
        free(path);
        return why;
    }
    f->path = path;
    snprintf(path + length, room - (size_t)length, "/%s", lock_name);
    f->lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int status = f->lock < 0 ? errno : 0;
    path[length] = 0;
    if (!status && flock(f->lock, LOCK_EX | LOCK_NB)) status = errno;
    if (!status) status = platform_put(f->lock, page, sizeof page);
    if (status) platform_folder_remove(f);
    return status;
}

const char *platform_folder_temporary(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

int platform_folder_make(platform_folder *f, const char *spare)
{
    const char *const base[] = {platform_folder_temporary(), "/tmp", spare};
    int status = ENOENT;
    *f = (platform_folder){.lock = -1};
    for (size_t i = 0; status && i < sizeof base / sizeof *base; i++) {
        char full[PLATFORM_PATH];
        if (!base[i] || (i == 1 && !strcmp(base[0], base[1]))) continue;
        status = platform_folder_ours(base[i], 1, full, NULL);
        if (status) continue;
        sweep(full);
        status = make_in(f, full);
    }
    return status;
}

void platform_folder_remove(platform_folder *f)
{
    if (f->lock >= 0) close(f->lock); /* first: the process may have no other file left to open */
    /* Again if need be: a compiler that was just ended may still have made a file. */
    for (int i = 0; f->path && i < 3 && !access(f->path, F_OK); i++) platform_remove(f->path);
    free(f->path);
    *f = (platform_folder){.lock = -1};
}

int platform_folder_path(const char *path)
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

int platform_folder_ours(const char *path, int shared, char *full, char *culprit)
{
    char above[PLATFORM_PATH];
    struct stat about;
    if (strlen(path) >= PLATFORM_PATH) return ENAMETOOLONG;
    if (!realpath(path, full)) return errno;
    strcpy(above, full);
    for (int more = 1; more; shared = 1) {
        if (stat(above, &about)) return errno;
        const int ours = about.st_uid == geteuid() || about.st_uid == 0, sticky = shared && about.st_mode & S_ISVTX;
        if (!ours || (about.st_mode & (S_IWGRP | S_IWOTH) && !sticky)) {
            if (culprit) strcpy(culprit, above);
            return EPERM;
        }
        more = above[1] != 0;
        char *slash = strrchr(above, '/');
        slash[slash == above] = 0;
    }
    return 0;
}
