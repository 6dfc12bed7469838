/* ad_check.h - for tests of costate diff: functions given as C text are differentiated, compiled with cc and called. What they
 * are compared with comes from the same text, compiled with complex numbers (complex step) or long doubles (differences) in place
 * of doubles. */
#ifndef COSTATE_TESTS_AD_CHECK_H
#define COSTATE_TESTS_AD_CHECK_H

#include "base/arena.h"
#include "front/front.h"
#include "emit/generate.h"

#include <costate/runtime.h>

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AD_CYCLE = 80 };

/* A right-hand side and the point where it is looked at. The function in the text is called `name`. */
typedef struct ad_case {
    const char *name;
    int n, np;
    const char *text;
    double t;
    double y[AD_CYCLE], p[AD_CYCLE]; /* cyclic beyond the last */
} ad_case;

/* ---- compiling --------------------------------------------------------------------------------------------------------- */

static jmp_buf ad_no_memory; /* main's: arenas leave to it */
static char ad_folder[256];

static inline const char *ad_folder_open(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(ad_folder, sizeof ad_folder, "%s/costate-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(ad_folder)) {
        perror(ad_folder);
        exit(1);
    }
    return ad_folder;
}

static inline void ad_folder_close(void)
{
    rmdir(ad_folder);
}

/* 0: the compiler takes it without a word. */
static inline int ad_compile_quietly(const char *compiler, const char *text, const char *flags, const char *object)
{
    char source[300], command[1600];
    snprintf(source, sizeof source, "%s/text.c", ad_folder);
    FILE *f = fopen(source, "w");
    if (!f) return -1;
    fputs(text, f);
    fclose(f);
    snprintf(command, sizeof command, "%s -std=gnu11 %s -I%s/include %s%s %s%s 2>&1", compiler, flags, SOURCE_DIR,
             object ? "-fPIC -shared -o " : "-fsyntax-only", object ? object : "", source, object ? " -lm" : "");
    FILE *c = popen(command, "r");
    int said = 0;
    for (int ch; c && (ch = getc(c)) != EOF;) {
        if (said++ == 0) fprintf(stderr, "%s\n", command);
        putc(ch, stderr);
    }
    int status = c ? pclose(c) : -1;
    unlink(source);
    return status || said;
}

/* A loaded object; NULL: it did not compile. */
static inline void *ad_load(const char *text, const char *flags)
{
    static int number;
    char object[300];
    snprintf(object, sizeof object, "%s/object%d.so", ad_folder, number++);
    void *handle = NULL;
    if (ad_compile_quietly("cc", text, flags, object) == 0) handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    unlink(object);
    return handle;
}

#define AD_WARNINGS "-Wall -Wextra -Wshadow -Wconversion -fopenmp-simd -fno-math-errno -fno-trapping-math "

/* ---- differentiating --------------------------------------------------------------------------------------------------- */

/* The emitted file of all cases, in the arena; NULL: one was refused, with the message printed. */
static inline const char *ad_emit_with(ad_arena *m, const ad_case *cases, int count, const ad_generate_options *options)
{
    ad_out o = {.m = m};
    for (int i = 0; i < count; i++) {
        ad_diag *d = ad_diag_open(m);
        ad_fn *fn = ad_front_function(m, d, cases[i].name, cases[i].text, cases[i].name);
        if (!fn) {
            fprintf(stderr, "%s\n", ad_diag_text(d));
            return NULL;
        }
        ad_model model = {.file = cases[i].name, .name = cases[i].name, .states = cases[i].n, .params = cases[i].np,
                          .fn = {[AD_FN_rhs] = fn}, .prelude = ""};
        if (ad_generate(m, &model, options, &o)) {
            fprintf(stderr, "%s: not generated\n", cases[i].name);
            return NULL;
        }
    }
    return ad_out_text(&o);
}

static inline const char *ad_emit_cases(ad_arena *m, const ad_case *cases, int count, int orders)
{
    return ad_emit_with(m, cases, count, &(ad_generate_options){.products = orders});
}

static inline const costate_generated *ad_generated(void *handle, const char *name)
{
    char symbol[200];
    snprintf(symbol, sizeof symbol, "%s_generated", name);
    return dlsym(handle, symbol);
}

static inline const costate_problem *ad_table(void *handle, const char *name)
{
    const costate_generated *g = ad_generated(handle, name);
    return g ? &g->problem : NULL;
}

/* All texts in one, with another type for double. */
static inline char *ad_text_with(ad_arena *m, const ad_case *cases, int count, const char *head)
{
    ad_out o = {.m = m};
    ad_puts(&o, head);
    for (int i = 0; i < count; i++) ad_put(&o, "%s\n", cases[i].text);
    return (char *)(uintptr_t)ad_out_text(&o);
}

#define AD_COMPLEX "#include <complex.h>\n#include <tgmath.h>\n#include <string.h>\n#define double double complex\n"
#define AD_LONG_DOUBLE "#include <tgmath.h>\n#include <string.h>\n#define double long double\n"

/* ---- arrays ------------------------------------------------------------------------------------------------------------ */

static inline double ad_random(unsigned long long *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

static inline double *ad_randoms(ad_arena *m, int count, unsigned long long *state)
{
    double *a = ad_take(m, ((size_t)count + 1) * sizeof *a);
    for (int i = 0; i < count; i++) a[i] = ad_random(state);
    return a;
}

static inline double *ad_zeros(ad_arena *m, int count)
{
    return ad_take(m, ((size_t)count + 1) * sizeof(double));
}

static inline double *ad_point(ad_arena *m, const double *cycle, int count)
{
    double *a = ad_zeros(m, count);
    for (int i = 0; i < count; i++) a[i] = cycle[i % AD_CYCLE];
    return a;
}

static inline double ad_dot(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

/* Largest |a - b| over the largest |b|, or 1 if all are smaller. */
static inline double ad_defect(int n, const double *a, const double *b)
{
    double worst = 0, scale = 1;
    for (int i = 0; i < n; i++) {
        if (!(fabs(b[i]) <= scale)) scale = fabs(b[i]);
        if (!(fabs(a[i] - b[i]) <= worst)) worst = fabs(a[i] - b[i]);
    }
    return worst / scale;
}

#endif
