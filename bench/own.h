/* own.h - what the programs that call Costate share: calls that must succeed, options by name. */
#ifndef BENCH_OWN_H
#define BENCH_OWN_H

#include "bench.h"

#include <costate/costate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void must(costate_solver *s, int status)
{
    if (status == COSTATE_OK) return;
    fprintf(stderr, "%s\n", costate_message(s));
    exit(1);
}

/* Sets option=value, and returns the value if the option is `wanted`, else NULL. */
static inline const char *own_option(costate_solver *s, const char *text, const char *wanted)
{
    char name[64];
    const char *value = strchr(text, '=');
    if (!value || (size_t)(value - text) >= sizeof name) bench_give_up("not option=value:", text);
    memcpy(name, text, (size_t)(value - text));
    name[value - text] = 0;
    must(s, costate_set(s, name, value + 1));
    return strcmp(name, wanted) ? NULL : value + 1;
}

#endif
