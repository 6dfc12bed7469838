/* process.h - child processes, without a shell, without touching the caller's signals or other children. */
#ifndef COSTATE_PLATFORM_PROCESS_H
#define COSTATE_PLATFORM_PROCESS_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct platform_process {
    pid_t pid; /* 0: none runs */
} platform_process;

/* Starts argv[0], looked for in $PATH, with nothing on standard input, its output in the files `out` and `err` (which may be
 * the same), the folder `scratch` for its temporary files and messages in English. Returns 0 or an errno: ENOENT if there is
 * no such program. */
int platform_process_start(platform_process *p, char *const *argv, const char *out, const char *err, const char *scratch);

/* Waits for it. Returns its exit code, or 128 + the signal that ended it. When *stop (NULL: never) becomes non-zero it is
 * ended. */
int platform_process_wait(platform_process *p, const volatile sig_atomic_t *stop);

/* 1: it has ended, so that waiting for it takes no time. Where it has not, this takes a millisecond. */
int platform_process_ended(const platform_process *p);

void platform_process_end(platform_process *p); /* ends it, if one runs */

/* Runs argv[0] from the open file `in` to the open file `out` and waits for it. Returns its exit code as above; < 0: it could
 * not be started, and this is minus the errno. */
int platform_filter(char *const *argv, int in, int out);

/* Where a program is that is started by this name: found in $PATH, unless the name is a path. 0: nowhere. */
int platform_program_find(const char *name, char *path, size_t room);

#endif
