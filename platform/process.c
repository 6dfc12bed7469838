/* process.c - child processes by posix_spawn. */
#include "platform/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__ /* libraries have no environ of their own there */
#include <crt_externs.h>
#define environ (*_NSGetEnviron())
#else
extern char **environ;
#endif

/* "NAME=value", to be freed; NULL: no memory. */
static char *setting(const char *name, const char *value)
{
    const size_t length = strlen(name), rest = strlen(value) + 1;
    char *text = malloc(length + rest);
    if (text) memcpy(text, name, length), memcpy(text + length, value, rest);
    return text;
}

/* The environment with TMPDIR, which becomes `scratch`, and LC_ALL replaced; the array is to be freed. */
static char **surroundings(char *scratch)
{
    static char english[] = "LC_ALL=C";
    size_t count = 0, kept = 0;
    while (environ && environ[count]) count++;
    char **e = malloc((count + 3) * sizeof *e);
    if (!e) return NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) && strncmp(environ[i], "LC_ALL=", 7)) e[kept++] = environ[i];
    e[kept++] = scratch;
    e[kept++] = english;
    e[kept] = NULL;
    return e;
}

static int spawn(pid_t *pid, char *const *argv, const char *out, const char *err, char **env)
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
    if (!status) status = posix_spawnp(pid, argv[0], &files, NULL, argv, env);
    posix_spawn_file_actions_destroy(&files);
    return status;
}

int platform_process_start(platform_process *p, char *const *argv, const char *out, const char *err, const char *scratch)
{
    char *folder = setting("TMPDIR=", scratch), **env = folder ? surroundings(folder) : NULL;
    pid_t pid = 0;
    const int status = env ? spawn(&pid, argv, out, err, env) : ENOMEM;
    p->pid = status ? 0 : pid;
    free(env);
    free(folder);
    return status;
}

int platform_process_wait(platform_process *p, const volatile sig_atomic_t *stop)
{
    if (!p->pid) return -1;
    int status = 0, ended = 0;
    pid_t got;
    do {
        if (stop && *stop && !ended) {
            kill(p->pid, SIGTERM);
            ended = 1;
        }
        got = waitpid(p->pid, &status, 0);
    } while (got < 0 && errno == EINTR);
    p->pid = 0;
    if (got < 0) return 0; /* the program ignores SIGCHLD, so nobody knows; what the process was to write will show */
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int platform_process_ended(const platform_process *p)
{
    siginfo_t info = {0};
    if (!p->pid || waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid) return 1;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return 0;
}

void platform_process_end(platform_process *p)
{
    if (!p->pid) return;
    kill(p->pid, SIGTERM);
    platform_process_wait(p, NULL);
}

int platform_filter(char *const *argv, int in, int out)
{
    posix_spawn_file_actions_t files;
    int bad = posix_spawn_file_actions_init(&files);
    if (bad) return -bad;
    platform_process p = {0};
    bad = posix_spawn_file_actions_adddup2(&files, in, 0);
    if (!bad) bad = posix_spawn_file_actions_adddup2(&files, out, 1);
    if (!bad) bad = posix_spawnp(&p.pid, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return bad ? -bad : platform_process_wait(&p, NULL);
}

int platform_program_find(const char *name, char *path, size_t room)
{
    const char *folders = getenv("PATH");
    if (strchr(name, '/')) return (size_t)snprintf(path, room, "%s", name) < room && !access(path, X_OK);
    for (const char *at = folders ? folders : ""; *at;) {
        const int length = (int)strcspn(at, ":");
        const int needs = snprintf(path, room, "%.*s%s%s", length, at, length ? "/" : "./", name);
        if ((size_t)needs < room && !access(path, X_OK)) return 1;
        at += length + (at[length] != 0);
    }
    return 0;
}
