/* plugin.c - see plugin.h. A plugin exports one function, costate_NAME_solver(version, size): the
 * tables of both must be laid out alike, which between versions only the size tells. */
#include "linsol/plugin.h"

#include "platform/machine.h"
#include "platform/object.h"

#include <stdio.h>
#include <string.h>

typedef const linsol_ops *plugin_fn(const char *version, size_t size);

enum { PATH = 4096 };

/* folder: with its slash; "": the system's path. The object stays without a handle that somebody would have to keep. */
static const linsol_ops *load_from(const char *folder, const char *name)
{
    char file[PATH], symbol[64];
    int size = snprintf(file, sizeof file, "%slibcostate_%s" PLATFORM_OBJECT, folder, name);
    if (size < 0 || (size_t)size >= sizeof file) return NULL;
    snprintf(symbol, sizeof symbol, "costate_%s_solver", name);
    void *object = platform_object_keep(file);
    if (!object) return NULL;
    void *found = platform_object_find(object, symbol);
    plugin_fn *ops;
    memcpy(&ops, &found, sizeof ops); /* ISO C knows no conversion */
    const linsol_ops *loaded = ops ? ops(COSTATE_VERSION, LINSOL_LAYOUT) : NULL;
    platform_object_close(object);
    return loaded;
}

const linsol_ops *plugin_load(const char *name)
{
    static const char here; /* an address within the library */
    char folder[PATH];
    const linsol_ops *ops = platform_object_folder(&here, folder, sizeof folder) ? load_from(folder, name) : NULL;
    if (!ops) ops = load_from("", name);
    const char *dir = platform_secure_getenv("COSTATE_PLUGIN_DIR");
    if (!ops && dir && *dir) {
        int size = snprintf(folder, sizeof folder, "%s/", dir);
        if (size > 0 && (size_t)size < sizeof folder) ops = load_from(folder, name);
    }
    return ops;
}
