/* machine.c - see machine.h */
#define _GNU_SOURCE /* secure_getenv */
#include "platform/machine.h"
#include "platform/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <stdint.h>
#include <sys/sysctl.h>
#endif

double platform_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

int platform_processors(void)
{
#ifdef __APPLE__
    int n = 0;
    size_t size = sizeof n;
    if (sysctlbyname("hw.logicalcpu", &n, &size, NULL, 0)) n = 1;
#else
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return n > 0 && n < 1024 ? (int)n : 1;
}

/* Adds a line to the text. */
static void add(char *text, size_t room, const char *line, size_t length)
{
    const size_t have = strlen(text);
    if (have + 1 < room) snprintf(text + have, room - have, "\n%.*s", (int)length, line);
}

#ifdef __APPLE__
static void details(char *text, size_t room)
{
    static const char *const keys[] = {"machdep.cpu.brand_string", "machdep.cpu.features", "machdep.cpu.leaf7_features"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char value[1 << 12];
        size_t size = sizeof value - 1;
        if (!sysctlbyname(keys[i], value, &size, NULL, 0)) add(text, room, value, size);
    }
}
#else
/* Lines of /proc/cpuinfo, of the first processor. */
static void details(char *text, size_t room)
{
    static const char *const keys[] = {"model name", "flags", "Features", "CPU part"};
    char all[1 << 14];
    size_t length = 0;
    platform_file_read("/proc/cpuinfo", all, sizeof all - 1, &length);
    all[length] = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *line = strstr(all, keys[i]);
        if (line) add(text, room, line, strcspn(line, "\n"));
    }
}
#endif

void platform_processor_kind(char *text, size_t room)
{
    struct utsname name;
    snprintf(text, room, "%s", uname(&name) ? "" : name.machine);
    details(text, room);
}

int platform_program(char *path, size_t room)
{
#ifdef __APPLE__
    uint32_t size = (uint32_t)room;
    return !_NSGetExecutablePath(path, &size);
#else
    const ssize_t length = readlink("/proc/self/exe", path, room - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return 1;
#endif
}

int platform_terminal_width(int fd)
{
    struct winsize window;
    if (!isatty(fd)) return 0;
    return !ioctl(fd, TIOCGWINSZ, &window) && window.ws_col ? window.ws_col : -1;
}

const char *platform_secure_getenv(const char *name)
{
#ifdef __APPLE__
    return issetugid() ? NULL : getenv(name);
#else
    return secure_getenv(name);
#endif
}
