/* process.h - runs the system's compiler: as a child process, without a shell, without touching the caller's signals or other
 * children. */
#ifndef COSTATE_AD_PROCESS_H
#define COSTATE_AD_PROCESS_H

#include "base/arena.h"

#include <signal.h>
#include <sys/types.h>

/* A growing list of arguments; argv[count] is NULL. */
typedef struct ad_words {
    int count, room;
    char **argv;
} ad_words;

void ad_words_add(ad_arena *m, ad_words *w, const char *word);
void ad_words_split(ad_arena *m, ad_words *w, const char *text); /* at white space: $CC may be "ccache gcc -m64" */
char *ad_words_join(ad_arena *m, const ad_words *w);             /* with blanks between, for people and for hashing */

typedef struct ad_job {
    pid_t pid; /* 0: none runs */
} ad_job;

/* Starts w->argv[0], looked for in $PATH, with nothing on standard input, its output in the files `out` and `err` (which may
 * be the same), the folder `scratch` for its temporary files and messages in English. Returns 0 or an errno: ENOENT if there
 * is no such program. */
int ad_job_start(ad_arena *m, ad_job *j, const ad_words *w, const char *out, const char *err, const char *scratch);

/* Waits for it. Returns its exit code, or 128 + the signal that ended it. When *stop (NULL: never) becomes non-zero it is
 * ended. */
int ad_job_wait(ad_job *j, const volatile sig_atomic_t *stop);

/* The text of a file, ended by 0, and its length; NULL: cannot be read (errno). */
char *ad_file_read(ad_arena *m, const char *path, size_t *length);

#endif
