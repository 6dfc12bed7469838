/* object.c - shared objects by dlopen. */
#define _GNU_SOURCE /* dladdr */
#include "platform/object.h"

#include "platform/folder.h"
#include "platform/machine.h"

#include <dlfcn.h>
#include <string.h>

void *platform_object_open(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *platform_object_keep(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

void *platform_object_find(void *object, const char *symbol)
{
    return dlsym(object, symbol);
}

void platform_object_close(void *object)
{
    if (object) dlclose(object);
}

const char *platform_object_error(void)
{
    const char *why = dlerror();
    return why ? why : "";
}

int platform_object_folder(const void *address, char *folder, size_t room)
{
    Dl_info about;
    char program[PLATFORM_PATH];
    const char *file = dladdr(address, &about) && about.dli_fname ? about.dli_fname : "";
    if (!strchr(file, '/') && platform_program(program, sizeof program)) file = program; /* it was found in $PATH */
    const char *slash = strrchr(file, '/');
    const size_t length = slash ? (size_t)(slash + 1 - file) : 0;
    if (!length || length >= room) return 0;
    memcpy(folder, file, length);
    folder[length] = 0;
    return 1;
}
