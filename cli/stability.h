/* stability.h - the stability of a method, from its coefficients. */
#ifndef COSTATE_STABILITY_H
#define COSTATE_STABILITY_H

#include <costate/costate.h>

typedef struct stability {
    int a, l;    /* 1: A-stable, L-stable */
    double real; /* how far the region reaches along the negative real axis; infinity: all the way */
} stability;

stability stability_of(const costate_table *t);

#endif
