/* sized.c - see sized.h */
#include "base/sized.h"

#include <string.h>

int sized_take(void *own, size_t own_size, const void *given, size_t size)
{
    memcpy(own, given, size < own_size ? size : own_size);
    for (size_t i = own_size; i < size; i++)
        if (((const char *)given)[i]) return 0;
    return 1;
}

void sized_give(void *wanted, size_t size, const void *own, size_t own_size)
{
    const size_t both = size < own_size ? size : own_size;
    memcpy(wanted, own, both);
    memset((char *)wanted + both, 0, size - both);
}
