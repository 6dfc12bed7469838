/* object.h - shared objects: what the compiler is told to make one, and loading it. */
#ifndef COSTATE_PLATFORM_OBJECT_H
#define COSTATE_PLATFORM_OBJECT_H

#include <stddef.h>

#ifdef __APPLE__
#define PLATFORM_OBJECT ".dylib"                   /* how its file ends */
#define PLATFORM_OBJECT_FLAGS "-fPIC -dynamiclib"  /* makes a shared object of a C text */
#else
#define PLATFORM_OBJECT ".so"
#define PLATFORM_OBJECT_FLAGS "-fPIC -shared"
#endif

void *platform_object_open(const char *path); /* with its symbols for itself alone; NULL: it cannot be loaded */
void *platform_object_keep(const char *path); /* the same, and it stays loaded after platform_object_close */
void *platform_object_find(void *object, const char *symbol); /* NULL: there is no such symbol */
void platform_object_close(void *object);                     /* NULL is fine */
const char *platform_object_error(void);                      /* why the last one of these failed */

/* The folder, with its slash, of the object that holds this address. 0: unknown, or longer than `room`. */
int platform_object_folder(const void *address, char *folder, size_t room);

#endif
