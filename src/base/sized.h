/* sized.h - structs of programs that were built with another version of the header: they agree up to the smaller size. */
#ifndef COSTATE_BASE_SIZED_H
#define COSTATE_BASE_SIZED_H

#include <stddef.h>

/* The program's struct over the library's `own`, which holds what an older program leaves out. 0: the program is newer, and asks
 * for something that is not known here. */
int sized_take(void *own, size_t own_size, const void *given, size_t size);

void sized_give(void *wanted, size_t size, const void *own, size_t own_size); /* zero beyond what is known here */

#endif
