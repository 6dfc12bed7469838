/* process.c - child processes by posix_spawn. */
#include "load/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- words ------------------------------------------------------------------------------------------------------------ */

void ad_words_add(ad_arena *m, ad_words *w, const char *word)
{
    if (w->count + 2 > w->room) {
        const int room = 2 * w->room + 16;
        w->argv = ad_grow(m, w->argv, (size_t)w->room * sizeof *w->argv, (size_t)room * sizeof *w->argv);
        w->room = room;
    }
    w->argv[w->count++] = ad_text_n(m, word, strlen(word));
    w->argv[w->count] = NULL;
}

void ad_words_split(ad_arena *m, ad_words *w, const char *text)
{
    const char *blank = " \t\r\n";
    for (text += strspn(text, blank); *text; text += strspn(text, blank)) {
        const size_t length = strcspn(text, blank);
        ad_words_add(m, w, ad_text_n(m, text, length));
        text += length;
    }
}

char *ad_words_join(ad_arena *m, const ad_words *w)
{
    size_t length = 1;
    for (int i = 0; i < w->count; i++) length += strlen(w->argv[i]) + 1;
    char *text = ad_take(m, length), *end = text;
    for (int i = 0; i < w->count; i++) {
        if (i) *end++ = ' ';
        const size_t n = strlen(w->argv[i]);
        memcpy(end, w->argv[i], n);
        end += n;
    }
    return text;
}

/* ---- jobs ------------------------------------------------------------------------------------------------------------- */

/* The environment with TMPDIR and LC_ALL replaced. */
static char **surroundings(ad_arena *m, const char *scratch)
{
    int count = 0, kept = 0;
    while (environ && environ[count]) count++;
    char **e = ad_take(m, ((size_t)count + 3) * sizeof *e);
    for (int i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) && strncmp(environ[i], "LC_ALL=", 7)) e[kept++] = environ[i];
    e[kept++] = ad_text(m, "TMPDIR=%s", scratch);
    e[kept] = ad_text(m, "LC_ALL=C");
    return e;
}

static int spawn(pid_t *pid, const ad_words *w, const char *out, const char *err, char **env)
{
    posix_spawn_file_actions_t files;
    int status = posix_spawn_file_actions_init(&files);
    if (status) return status;
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    status = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!status) status = posix_spawn_file_actions_addopen(&files, 1, out, flags, 0600);
    if (!status)
        status = strcmp(out, err) ? posix_spawn_file_actions_addopen(&files, 2, err, flags, 0600)
                                  : posix_spawn_file_actions_adddup2(&files, 1, 2);
    if (!status) status = posix_spawnp(pid, w->argv[0], &files, NULL, w->argv, env);
    posix_spawn_file_actions_destroy(&files);
    return status;
}

int ad_job_start(ad_arena *m, ad_job *j, const ad_words *w, const char *out, const char *err, const char *scratch)
{
    pid_t pid = 0;
    const int status = spawn(&pid, w, out, err, surroundings(m, scratch));
    j->pid = status ? 0 : pid;
    return status;
}

int ad_job_wait(ad_job *j, const volatile sig_atomic_t *stop)
{
    if (!j->pid) return -1;
    int status = 0, ended = 0;
    pid_t got;
    do {
        if (stop && *stop && !ended) {
            kill(j->pid, SIGTERM);
            ended = 1;
        }
        got = waitpid(j->pid, &status, 0);
    } while (got < 0 && errno == EINTR);
    j->pid = 0;
    if (got < 0) return 0; /* the program ignores SIGCHLD, so nobody knows; what the job was to write will show */
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- files ------------------------------------------------------------------------------------------------------------ */

char *ad_file_read(ad_arena *m, const char *path, size_t *length)
{
    struct stat about;
    if (stat(path, &about)) return NULL;
    if (!S_ISREG(about.st_mode)) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    const size_t size = (size_t)about.st_size;
    char *text = ad_take(m, size + 1);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    size_t have = 0;
    for (ssize_t got = 1; got && have < size;) {
        got = read(fd, text + have, size - have);
        if (got > 0) have += (size_t)got;
        else if (got < 0 && errno != EINTR) break;
    }
    close(fd);
    *length = have;
    return text;
}
