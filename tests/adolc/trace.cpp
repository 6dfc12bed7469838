/* trace.cpp - a text of tests/corpus over ADOL-C's active numbers: compiled once for each model with TEXT, its path, MODEL, its
 * name, and RHS, the name of its right-hand side. Defines the function that traces f(t, y, p) onto a tape. */
#include <adolc/adolc.h>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <costate/model.h>

#undef COSTATE_MODEL
#define COSTATE_MODEL(model, ...)
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

namespace {
#define double adouble
#include TEXT
#undef double
}

/* x: t, y, p in a row. value: f(x). */
void JOIN(trace_, MODEL)(short tape, int states, int params, const double *x, double *value);
void JOIN(trace_, MODEL)(short tape, int states, int params, const double *x, double *value)
{
    const int columns = 1 + states + params;
    adouble *a = new adouble[(std::size_t)(columns + states)];
    trace_on(tape);
    for (int j = 0; j < columns; j++) a[j] <<= x[j];
    RHS(a[0], a + 1, a + 1 + states, a + columns);
    for (int i = 0; i < states; i++) a[columns + i] >>= value[i];
    trace_off();
    delete[] a;
}
