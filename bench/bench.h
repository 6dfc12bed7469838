/* bench.h - what all benchmark programs share. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stddef.h>

double bench_now(void); /* seconds of processor time: unlike those of the clock, they do not count what other programs take */
double bench_clock(void);                      /* seconds by the clock */
double bench_clock_cost(void);                 /* what reading the clock adds to a time: not negligible beside microseconds */
double bench_median(double *x, size_t count);  /* sorts x */
double bench_peak(void);                       /* bytes of memory that this process had at most */
void *bench_alloc(size_t count, size_t size);  /* zeroed, 64-byte aligned; never NULL */
double *bench_read(const char *path, size_t count); /* numbers of a file; to be freed; never NULL */
void bench_widen(double *worst, double d);          /* worst = max(worst, |d|); a NaN sticks */
_Noreturn void bench_give_up(const char *what, const char *which);

#endif
