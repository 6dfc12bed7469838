/* folder.h - folders: for temporary files, private ones, and paths. */
#ifndef COSTATE_PLATFORM_FOLDER_H
#define COSTATE_PLATFORM_FOLDER_H

/* A private folder for temporary files. It is made in $TMPDIR, else in /tmp, else in `spare`, and goes with all it holds. The
 * process that made it holds a lock in it for as long as it lives; folders whose process was killed are removed by the next
 * one. */
typedef struct platform_folder {
    char *path; /* NULL: there is none */
    int lock;   /* the open lock file; -1: none */
} platform_folder;

int platform_folder_make(platform_folder *f, const char *spare); /* 0, or an errno; spare may be NULL */
void platform_folder_remove(platform_folder *f);

int platform_folder_path(const char *path);  /* makes a folder and those above it: 0, or an errno */
int platform_folder_ours(const char *path);  /* 0: only this user and root may write to it; EPERM: others may; else an errno */
const char *platform_folder_temporary(void); /* $TMPDIR, else /tmp */

#endif
