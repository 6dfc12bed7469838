/* plugin.h - back ends that are shared objects of their own, because their licence is not the library's. */
#ifndef COSTATE_LINSOL_PLUGIN_H
#define COSTATE_LINSOL_PLUGIN_H

#include "linsol/linsol.h"

/* The back end in libcostate_NAME.so (.dylib on macOS), which is looked for next to the library itself, on the system's path, and
 * in the folder that the environment variable COSTATE_PLUGIN_DIR names. Once loaded it stays. NULL: not found, or made for
 * another version. */
const linsol_ops *plugin_load(const char *name);

#define LINSOL_LAYOUT (sizeof(linsol_ops) + sizeof(linsol_config))

#endif
