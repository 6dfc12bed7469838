/* corpus.h - the texts of tests/corpus: each is differentiated, what was emitted is compiled, and so is the text itself as a
 * reference (corpus/oracle.h); all of it becomes one library that is loaded. The first line of a text may be a
 * comment `kinks`: its derivatives jump somewhere, so that the complex step cannot be taken; or `refused: LINE:COLUMN: error:
 * ...`: costate diff refuses it, and this is the first message. */
#ifndef TESTS_CORPUS_H
#define TESTS_CORPUS_H

#include "ad_read.h"
#include "emit/generate.h"

#include <costate/model.h>
#include <costate/runtime.h>

#include <complex.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#undef I

#define CORPUS SOURCE_DIR "/tests/corpus"
#define INCLUDE SOURCE_DIR "/include"

enum { TEXTS = 200, PATH = 512 };

typedef enum part { RHS, INIT, TERMINAL, RUNNING, OBSERVE, PARTS } part;
static const char *const part_name[PARTS] = {"rhs", "init", "terminal", "running", "observe"};

typedef void real_fn(int k, double t, const double *y, const double *p, double *g, void *data);
typedef void complex_fn(int k, double _Complex t, const double _Complex *y, const double _Complex *p, double _Complex *g,
                        void *data);

typedef struct text {
    char name[64];
    char *source;              /* the text itself */
    int kinks;
    char *refused;             /* the message to come; NULL: it is accepted */
    char member[PARTS][64];    /* functions that the descriptor names; "": none */
    int accepted, compiled;
    char *message;

    const costate_problem *made;         /* NULL: not compiled */
    costate_pattern_fn *pattern;
    const costate_descriptor *descriptor; /* from here on: the reference */
    void *data, *complex_data;
    real_fn *real[PARTS];
    complex_fn *complex_[PARTS];
} text;

typedef struct corpus {
    int count;
    text *item;
    char folder[PATH];
    void *library;
} corpus;

/* ---- reading ----------------------------------------------------------------------------------------------------------- */

static char *corpus_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    size_t length = 0, room = 1 << 18;
    char *all = malloc(room);
    if (all) {
        length = fread(all, 1, room - 1, file);
        all[length] = 0;
    }
    fclose(file);
    return all;
}

/* The word after ".member =" in the descriptor. */
static void corpus_member(const char *source, const char *name, char out[64])
{
    char key[32];
    snprintf(key, sizeof key, ".%s", name);
    const char *s = strstr(source, "COSTATE_MODEL(");
    size_t n = 0;
    for (out[0] = 0; s && (s = strstr(s, key)); ) {
        s += strlen(key);
        if (isalnum((unsigned char)*s) || *s == '_') continue;
        s += strspn(s, " =");
        for (; n < 63 && (isalnum((unsigned char)s[n]) || s[n] == '_'); n++) out[n] = s[n];
        out[n] = 0;
        return;
    }
}

static void corpus_tags(text *x)
{
    static const char kinks[] = "/* kinks */", refused[] = "/* refused: ";
    x->kinks = !strncmp(x->source, kinks, sizeof kinks - 1);
    if (!strncmp(x->source, refused, sizeof refused - 1)) {
        const char *from = x->source + sizeof refused - 1, *to = strstr(from, " */\n");
        x->refused = to ? strndup(from, (size_t)(to - from)) : strdup("");
    }
    for (int m = 0; m < PARTS; m++) corpus_member(x->source, part_name[m], x->member[m]);
}

static int corpus_order(const void *a, const void *b)
{
    return strcmp(((const text *)a)->name, ((const text *)b)->name);
}

static void corpus_list(corpus *c)
{
    char path[PATH];
    DIR *d = opendir(CORPUS);
    for (struct dirent *e; d && (e = readdir(d)) && c->count < TEXTS; ) {
        const size_t n = strlen(e->d_name);
        if (n < 3 || n > 60 || strcmp(e->d_name + n - 2, ".c")) continue;
        text *x = &c->item[c->count];
        snprintf(x->name, sizeof x->name, "%.*s", (int)n - 2, e->d_name);
        snprintf(path, sizeof path, "%s/%s.c", CORPUS, x->name);
        x->source = corpus_read(path);
        if (!x->source) continue;
        corpus_tags(x);
        c->count++;
    }
    if (d) closedir(d);
    qsort(c->item, (size_t)c->count, sizeof *c->item, corpus_order);
}

/* ---- making ------------------------------------------------------------------------------------------------------------ */

static void corpus_write(const corpus *c, const text *x, const char *kind, const char *what)
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s_%s.c", c->folder, x->name, kind);
    FILE *file = fopen(path, "w");
    if (!file) return;
    if (what) fputs(what, file);
    else {
        fprintf(file, "#define MODEL %s\n%s#include \"%s/oracle.h\"\n#include \"%s/%s.c\"\n", x->name,
                strcmp(kind, "complex") ? "" : "#define ORACLE_COMPLEX\n", CORPUS, CORPUS, x->name);
        for (int m = 0; m < PARTS; m++) {
            if (!x->member[m][0]) continue;
            fputs("ORACLE_", file);
            for (const char *s = part_name[m]; *s; s++) fputc(toupper((unsigned char)*s), file);
            fprintf(file, "(%s)\n", x->member[m]);
        }
    }
    fclose(file);
}

/* Third derivatives are long: of short texts only. Texts that are longer than `longest` are differentiated, but not compiled. */
static void corpus_differentiate(const corpus *c, text *x, size_t longest)
{
    const size_t length = strlen(x->source);
    const int orders = AD_FIRST | AD_SECOND | (length < 1300 ? AD_THIRD : 0);
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s.c", CORPUS, x->name);
    jmp_buf out_of_memory;
    ad_arena *m = ad_arena_open(&out_of_memory, 0);
    if (!m || setjmp(out_of_memory)) abort();
    ad_diag *d = ad_diag_open(m);
    const ad_model *tree = ad_read(m, d, path);
    x->message = strdup(ad_diag_text(d));
    ad_out emitted = {.m = m};
    x->accepted = tree && !ad_generate(m, tree, &(ad_generate_options){.products = orders}, &emitted);
    x->compiled = x->accepted && length <= longest;
    if (x->compiled) {
        corpus_write(c, x, "made", ad_out_text(&emitted));
        corpus_write(c, x, "real", NULL);
        if (!x->kinks) corpus_write(c, x, "complex", NULL);
    }
    ad_arena_close(m);
}

/* What is emitted compiles without a warning; the references need not. Two compilers at once; a file that fails leaves the others
 * alone. */
static int corpus_compile(const corpus *c, const char *made_flags)
{
    char command[4 * PATH];
    const char *cc = getenv("CC");
    if (!cc || !*cc) cc = "cc";
    snprintf(command, sizeof command,
             "cd '%s' && CC='%s' && F='-std=gnu11 -fPIC -c -I%s' && "
             "{ $CC $F -O0 -w *_real.c *_complex.c & $CC $F %s -Wall -Wextra -Wshadow -Wconversion -Werror *_made.c; wait; "
             "$CC %s -shared -o corpus.so *.o -lm; }",
             c->folder, cc, INCLUDE, made_flags, strstr(made_flags, "-fsanitize") ? strstr(made_flags, "-fsanitize") : "");
    return system(command);
}

static void *corpus_symbol(const corpus *c, const text *x, const char *what)
{
    char name[160];
    snprintf(name, sizeof name, "%s_%s", x->name, what);
    return dlsym(c->library, name);
}

static void corpus_load(const corpus *c, text *x)
{
    char name[64];
    const costate_generated *made = corpus_symbol(c, x, "generated");
    x->made = made ? &made->problem : NULL;
    x->pattern = made ? made->pattern : NULL;
    x->descriptor = corpus_symbol(c, x, "corpus_descriptor");
    x->data = corpus_symbol(c, x, "corpus_data_real");
    x->complex_data = corpus_symbol(c, x, "corpus_data_complex");
    for (int m = 0; m < PARTS; m++) {
        snprintf(name, sizeof name, "%s_real", part_name[m]);
        *(void **)&x->real[m] = corpus_symbol(c, x, name);
        snprintf(name, sizeof name, "%s_complex", part_name[m]);
        *(void **)&x->complex_[m] = corpus_symbol(c, x, name);
    }
}

/* Only texts whose name contains $CORPUS_ONLY, if that is set: for people who look into one. */
static corpus *corpus_open(size_t longest, const char *made_flags)
{
    corpus *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->item = calloc(TEXTS, sizeof *c->item);
    const char *tmp = getenv("TMPDIR"), *only = getenv("CORPUS_ONLY");
    snprintf(c->folder, sizeof c->folder, "%s/costate-corpus-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!c->item || !mkdtemp(c->folder)) return c;
    corpus_list(c);
    int kept = 0;
    for (int i = 0; i < c->count; i++)
        if (!only || strstr(c->item[i].name, only)) c->item[kept++] = c->item[i];
    c->count = kept;
    for (int i = 0; i < c->count; i++) corpus_differentiate(c, &c->item[i], longest);
    if (corpus_compile(c, made_flags)) fprintf(stderr, "the compiler complains\n");
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/corpus.so", c->folder);
    c->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!c->library) fprintf(stderr, "%s\n", dlerror());
    for (int i = 0; c->library && i < c->count; i++) corpus_load(c, &c->item[i]);
    return c;
}

static void corpus_close(corpus *c)
{
    if (!c) return;
    if (c->library) dlclose(c->library);
    char command[2 * PATH];
    snprintf(command, sizeof command, "rm -rf '%s'", c->folder);
    if (!getenv("CORPUS_KEEP") && system(command)) fprintf(stderr, "%s could not be removed\n", c->folder);
    for (int i = 0; i < c->count; i++) free(c->item[i].source), free(c->item[i].refused), free(c->item[i].message);
    free(c->item);
    free(c);
}

#endif
