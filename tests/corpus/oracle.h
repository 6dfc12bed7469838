/* oracle.h - the text of a model compiled by the plain compiler, over the real or (ORACLE_COMPLEX) the complex numbers, as the
 * reference for what costate diff makes of it. Who includes it has defined MODEL, the model's name; then come the model's text
 * and, for each function that its descriptor names, ORACLE_RHS(function), ORACLE_INIT(function), ... : these define functions of
 * one signature,
 *
 *     void MODEL_rhs_real(int k, double t, const double *y, const double *p, double *g, void *data)
 *
 * and MODEL_rhs_complex, whatever the model's own return and whether or not they take data. MODEL_corpus_data_real is the text's
 * corpus_data, if it has one: the user's data.
 *
 * Over the complex numbers the derivative along d is Im f(x + i h d) / h with h so small that there is no truncation. Functions
 * of math.h without a complex version are continued to first order in h, which is all that is asked of them. */
#include <costate/model.h>

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORACLE_JOIN2(a, b, c) a##_##b##_##c
#define ORACLE_JOIN(a, b, c) ORACLE_JOIN2(a, b, c)

#ifdef ORACLE_COMPLEX

#include <complex.h>
#undef complex
#define ORACLE_KIND complex

typedef double _Complex oracle_number;

static inline oracle_number oracle_lift(double value, double slope, oracle_number x)
{
    return value + I * (slope * cimag(x));
}
static inline oracle_number oracle_pow(oracle_number a, oracle_number b)
{
    const double x = creal(a), y = creal(b);
    const double by_a = y == 0 ? 0 : y * pow(x, y - 1), by_b = cimag(b) == 0 ? 0 : log(x) * pow(x, y);
    return pow(x, y) + I * (by_a * cimag(a) + by_b * cimag(b));
}
static inline oracle_number oracle_log10(oracle_number x) { return clog(x) / log(10.0); }
static inline oracle_number oracle_log2(oracle_number x) { return clog(x) / log(2.0); }
static inline oracle_number oracle_log1p(oracle_number x) { return oracle_lift(log1p(creal(x)), 1 / (1 + creal(x)), x); }
static inline oracle_number oracle_expm1(oracle_number x) { return oracle_lift(expm1(creal(x)), exp(creal(x)), x); }
static inline oracle_number oracle_cbrt(oracle_number x)
{
    return oracle_lift(cbrt(creal(x)), pow(fabs(creal(x)), -2.0 / 3.0) / 3, x);
}
static inline oracle_number oracle_erf(oracle_number x)
{
    return oracle_lift(erf(creal(x)), 2 / sqrt(M_PI) * exp(-creal(x) * creal(x)), x);
}
static inline oracle_number oracle_asinh(oracle_number x) { return clog(x + csqrt(x * x + 1)); }
static inline oracle_number oracle_floor(oracle_number x) { return floor(creal(x)); }
static inline oracle_number oracle_hypot(oracle_number a, oracle_number b) { return csqrt(a * a + b * b); }
static inline oracle_number oracle_atan2(oracle_number a, oracle_number b)
{
    const double x = creal(a), y = creal(b);
    return atan2(x, y) + I * ((y * cimag(a) - x * cimag(b)) / (x * x + y * y));
}

#define exp(x) cexp(x)
#define log(x) clog(x)
#define sqrt(x) csqrt(x)
#define sin(x) csin(x)
#define cos(x) ccos(x)
#define tan(x) ctan(x)
#define sinh(x) csinh(x)
#define cosh(x) ccosh(x)
#define tanh(x) ctanh(x)
#define pow(a, b) oracle_pow(a, b)
#define log10(x) oracle_log10(x)
#define log2(x) oracle_log2(x)
#define log1p(x) oracle_log1p(x)
#define expm1(x) oracle_expm1(x)
#define cbrt(x) oracle_cbrt(x)
#define erf(x) oracle_erf(x)
#define asinh(x) oracle_asinh(x)
#define floor(x) oracle_floor(x)
#define hypot(a, b) oracle_hypot(a, b)
#define atan2(a, b) oracle_atan2(a, b)

/* The descriptor is that of the real numbers. */
#undef COSTATE_MODEL
#define COSTATE_MODEL(model, ...)
#undef I /* texts use this name */
#pragma GCC diagnostic ignored "-Wunused-function"
#define double double _Complex

#else

#define ORACLE_KIND real
#define costate_model_descriptor ORACLE_JOIN(MODEL, corpus, descriptor)

#endif

#define corpus_data ORACLE_JOIN(MODEL, corpus_data, ORACLE_KIND)

/* A function of the model is called by its own type, which is one of four. */
#define ORACLE_CALL(function, args, args_data, values, values_data)                                                              \
    _Generic(&function, void(*) args: ((void(*) args)function)values, int(*) args: (void)((int(*) args)function)values,          \
             void(*) args_data: ((void(*) args_data)function)values_data,                                                        \
             int(*) args_data: (void)((int(*) args_data)function)values_data)

#define ORACLE_DEFINE(member, function, args, args_data, values, values_data)                                                    \
    void ORACLE_JOIN(MODEL, member, ORACLE_KIND)(int k, double t, const double *y, const double *p, double *g, void *data);      \
    void ORACLE_JOIN(MODEL, member, ORACLE_KIND)(int k, double t, const double *y, const double *p, double *g, void *data)       \
    {                                                                                                                            \
        (void)k, (void)t, (void)y, (void)data;                                                                                   \
        ORACLE_CALL(function, args, args_data, values, values_data);                                                             \
    }
#define ORACLE_TYP(member, function)                                                                                             \
    ORACLE_DEFINE(member, function, (double, const double *, const double *, double *),                                          \
                  (double, const double *, const double *, double *, void *), (t, y, p, g), (t, y, p, g, data))
#define ORACLE_RHS(function) ORACLE_TYP(rhs, function)
#define ORACLE_TERMINAL(function) ORACLE_TYP(terminal, function)
#define ORACLE_RUNNING(function) ORACLE_TYP(running, function)
#define ORACLE_INIT(function)                                                                                                    \
    ORACLE_DEFINE(init, function, (const double *, double *), (const double *, double *, void *), (p, g), (p, g, data))
#define ORACLE_OBSERVE(function)                                                                                                 \
    ORACLE_DEFINE(observe, function, (int, double, const double *, const double *, double *),                                    \
                  (int, double, const double *, const double *, double *, void *), (k, t, y, p, g), (k, t, y, p, g, data))
