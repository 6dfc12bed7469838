/* disk.c - states in a file without a name, which is gone however the program ends. */
#include "platform/file.h"
#include "platform/folder.h"
#include "traj/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int failed(traj_disk *d, const char *operation)
{
    int why = errno;
    snprintf(d->detail, sizeof d->detail, "folder '%s': cannot %s: %s", d->dir, operation, strerror(why));
    errno = why;
    return why == ENOSPC || why == EDQUOT || why == EFBIG ? COSTATE_ERR_DISK_FULL : COSTATE_ERR_DISK;
}

static int make(traj_disk *d)
{
    d->fd = platform_nameless_file(d->dir);
    if (d->fd >= 0) return 0;
    failed(d, "make a file");
    return COSTATE_ERR_DISK_DIR;
}

/* A file is made to see whether it can be, and closed again: a store that never needs it does not hold a descriptor. */
int traj_disk_open(traj_disk *d, const char *dir)
{
    if (!dir || !*dir) dir = platform_folder_temporary();
    d->dir = cst__alloc(d->alloc, strlen(dir) + 1, 1);
    if (!d->dir) return COSTATE_ERR_MEMORY;
    strcpy(d->dir, dir);
    TRY(make(d));
    close(d->fd);
    d->fd = -1;
    return 0;
}

void traj_disk_close(traj_disk *d)
{
    if (d->fd >= 0) close(d->fd);
    cst__release(d->alloc, d->dir);
}

int traj_disk_write(traj_disk *d, const double *from, size_t bytes, int64_t at)
{
    if (d->fd < 0) TRY(make(d));
    for (const char *p = (const char *)from; bytes;) {
        ssize_t done = pwrite(d->fd, p, bytes, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return failed(d, "write a state");
        p += done;
        at += done;
        bytes -= (size_t)done;
    }
    return 0;
}

int traj_disk_read(traj_disk *d, double *to, size_t bytes, int64_t at)
{
    for (char *p = (char *)to; bytes;) {
        ssize_t done = pread(d->fd, p, bytes, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (done == 0) errno = EIO; /* what was written is not there any more */
        if (done <= 0) return failed(d, "read a state");
        p += done;
        at += done;
        bytes -= (size_t)done;
    }
    return 0;
}
