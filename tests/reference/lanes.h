/* lanes.h - for hand-written products: lane l of component i of a block. As costate.h asks, a block that is NULL reads as zero
 * and swallows what is added to it. */
#ifndef COSTATE_LANES_H
#define COSTATE_LANES_H

/* Callbacks have the signatures of costate.h whether or not a problem has a use for every argument. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static inline double lane(const double *block, int i, int w, int l)
{
    return block ? block[i * w + l] : 0;
}

static inline void add(double *block, int i, int w, int l, double x)
{
    if (block) block[i * w + l] += x;
}

/* Lanes four at a time, for loops that no compiler would vectorize: up to four lanes of a row, the rest zero. Behind pointers,
 * because passing vectors by value is a matter of the processor. */
typedef double four __attribute__((vector_size(32)));
typedef double four_anywhere __attribute__((vector_size(32), aligned(8), may_alias));

static inline __attribute__((always_inline)) void get(const double *row, int lanes, four *x)
{
    if (row && lanes >= 4) *x = *(const four_anywhere *)row;
    else if (row && lanes == 1) *x = (four){row[0]};
    else if (row) *x = (four){row[0], row[1], lanes == 3 ? row[2] : 0};
    else *x = (four){0};
}

static inline __attribute__((always_inline)) void put(const four *x, int lanes, double *row) /* adds */
{
    if (lanes >= 4) *(four_anywhere *)row += *x;
    else
        for (int l = 0; l < lanes; l++) row[l] += (*x)[l];
}

#endif
