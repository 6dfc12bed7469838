/* plugin.c - see plugin.h. libcostate_NAME.so exports one function, costate_NAME_ops(version). */
#define _GNU_SOURCE /* dladdr, secure_getenv */
#include "linsol/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const linsol_ops *plugin_fn(const char *version);

/* dir: `length` characters, the last of them a slash; none: the system's path. RTLD_NODELETE lets the object stay without a
 * handle that somebody would have to keep. */
static const linsol_ops *load_from(const char *dir, size_t length, const char *name)
{
    char file[PATH_MAX], symbol[64];
    int size = snprintf(file, sizeof file, "%.*slibcostate_%s.so", (int)length, dir, name);
    if (size < 0 || (size_t)size >= sizeof file) return NULL;
    snprintf(symbol, sizeof symbol, "costate_%s_ops", name);
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!object) return NULL;
    void *found = dlsym(object, symbol);
    plugin_fn *ops;
    memcpy(&ops, &found, sizeof ops); /* ISO C knows no conversion */
    const linsol_ops *loaded = ops ? ops(COSTATE_VERSION) : NULL;
    dlclose(object);
    return loaded;
}

const linsol_ops *plugin_load(const char *name)
{
    static const char here; /* an address within the library */
    Dl_info self;
    const linsol_ops *ops = NULL;
    if (dladdr(&here, &self) && self.dli_fname && strchr(self.dli_fname, '/'))
        ops = load_from(self.dli_fname, (size_t)(strrchr(self.dli_fname, '/') + 1 - self.dli_fname), name);
    if (!ops) ops = load_from("", 0, name);
    const char *dir = secure_getenv("COSTATE_PLUGIN_DIR");
    if (!ops && dir && *dir) {
        char folder[PATH_MAX];
        int size = snprintf(folder, sizeof folder, "%s/", dir);
        if (size > 0 && (size_t)size < sizeof folder) ops = load_from(folder, (size_t)size, name);
    }
    return ops;
}
