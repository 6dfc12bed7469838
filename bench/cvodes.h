/* cvodes.h - what the programs that call CVODES share. */
#ifndef BENCH_CVODES_H
#define BENCH_CVODES_H

#include <stdio.h>
#include <stdlib.h>

/* The call must succeed. */
#define MUST(call)                                                       \
    do {                                                                 \
        int status_ = (call);                                            \
        if (status_ < 0) {                                               \
            fprintf(stderr, "CVODES: %s returned %d\n", #call, status_); \
            exit(1);                                                     \
        }                                                                \
    } while (0)

#endif
