/* methods.h - how many of the listed methods are explicit: they come first. The implicit families have tests of their own. */
#ifndef COSTATE_TESTS_METHODS_H
#define COSTATE_TESTS_METHODS_H

#include <costate/costate.h>

static inline int explicit_methods(void)
{
    int count = 0;
    while (costate_method(count) && costate_method(count)->family == COSTATE_ERK) count++;
    return count;
}

#endif
