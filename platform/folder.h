/* folder.h - folders: for temporary files, private ones, and paths. */
#ifndef COSTATE_PLATFORM_FOLDER_H
#define COSTATE_PLATFORM_FOLDER_H

/* A private folder for temporary files. It is made in $TMPDIR, else in /tmp, else in `spare`, if others cannot
 * put another in its place there, and goes with all it holds; its name is a full one. The
 * process that made it holds a lock in it for as long as it lives; folders whose process was killed are removed by the next
 * one. */
typedef struct platform_folder {
    char *path; /* NULL: there is none */
    int lock;   /* the open lock file; -1: none */
} platform_folder;

int platform_folder_make(platform_folder *f, const char *spare); /* 0, or an errno; spare may be NULL */
void platform_folder_remove(platform_folder *f);

int platform_folder_path(const char *path); /* makes a folder and those above it: 0, or an errno */

/* 0: nobody but this user and root can put anything in place of what is in the folder, for neither it nor a folder above it is
 * another's or can be written to by others. Of those above, and with `shared` of itself, it is enough that they are sticky, as
 * /tmp is: others may add to them, but not rename. EPERM: others can, in the folder *culprit; else an errno. The folder by its
 * full name, without links, comes to `full`; it has PLATFORM_PATH bytes, as has culprit, which may be NULL. */
enum { PLATFORM_PATH = 4096 };
int platform_folder_ours(const char *path, int shared, char *full, char *culprit);

void platform_remove(const char *path); /* a file or a folder with all it holds, as far as it can be; links are not followed */
const char *platform_folder_temporary(void); /* $TMPDIR, else /tmp */

#endif
