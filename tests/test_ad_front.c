/* The language that costate diff accepts: every construct is lowered, run by an interpreter of trees, as it is and with its loops
 * cut into pieces, and compared bit for bit with what a compiler makes of the same text. */
#include "ad_interpret.h"
#include "front/front.h"
#include "tree/loops.h"
#include "shape/index_set_split.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <dlfcn.h>
#include <unistd.h>

#define RHS "static void rhs(double t, const double *y, const double *p, double *f)"

enum { NY = 24, NP = 12, NF = 24, POINTS = 4 };

typedef struct accepted {
    const char *name, *text;
} accepted;

static accepted *texts;
static int count;
static char *page;

/* The folder of this file. */
static void beside(char *path, size_t room, const char *name)
{
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, room, "%.*s%s", slash ? (int)(slash - __FILE__) + 1 : 0, __FILE__, name);
}

static const char *expanded(const char *text)
{
    if (strncmp(text, "RHS", 3) != 0 && !strstr(text, "\nRHS")) return text;
    const char *at = strncmp(text, "RHS", 3) == 0 ? text : strstr(text, "\nRHS") + 1;
    char *all = malloc(strlen(text) + sizeof RHS);
    assert_non_null(all);
    sprintf(all, "%.*s" RHS "%s", (int)(at - text), text, at + 3);
    return all;
}

/* Reads ad_accepted.txt. */
static void read_texts(void)
{
    char path[1000];
    beside(path, sizeof path, "ad_accepted.txt");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    page = calloc(1, 1 << 20);
    texts = calloc(1000, sizeof *texts);
    assert_true(page && texts && fread(page, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    for (char *at = strstr(page, "\n== "); at; at = strstr(at, "\n== ")) {
        char *end = strchr(at + 1, '\n');
        *at = *end = 0;
        texts[count++] = (accepted){at + 4, end + 1};
        at = end + 1;
    }
    for (int i = 0; i < count; i++) texts[i].text = expanded(texts[i].text);
    assert_true(count > 50 && count < 1000);
}

/* ---- the compiler's view --------------------------------------------------------------------------------------------------- */

typedef int rhs_fn(double t, const double *y, const double *p, double *f);

static char folder[] = "/tmp/costate-front-XXXXXX";
static void *library;

static void in_folder(char *path, size_t room, const char *name, int number)
{
    snprintf(path, room, "%s/%s%d.c", folder, name, number);
}

static void write_text(int i)
{
    char path[256];
    in_folder(path, sizeof path, "text", i);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n#include <string.h>\n#include "
            "<stdlib.h>\n#include <assert.h>\n"
            "#include <stdio.h>\n%s\n",
            texts[i].text);
    fprintf(file, "int rhs_%d(double t, const double *y, const double *p, double *f)\n{\n", i);
    fprintf(file,
            strstr(texts[i].text, "int rhs(") ? "    return rhs(t, y, p, f);\n}\n" : "    rhs(t, y, p, f);\n    return 0;\n}\n");
    fclose(file);
}

static int compile_all(void **state)
{
    (void)state;
    read_texts();
    if (!mkdtemp(folder)) return -1;
    for (int i = 0; i < count; i++) write_text(i);
    const char *cc = getenv("CC");
    char command[600], path[256];
    snprintf(command, sizeof command, "cd %s && %s -std=gnu11 -w -O0 -ffp-contract=off -fPIC -shared -o texts.so text*.c -lm",
             folder, cc && *cc ? cc : "cc");
    if (system(command) != 0) return -1;
    snprintf(path, sizeof path, "%s/texts.so", folder);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library ? 0 : -1;
}

static int remove_all(void **state)
{
    (void)state;
    char path[256];
    if (library) dlclose(library);
    for (int i = 0; i < count; i++) {
        in_folder(path, sizeof path, "text", i);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/texts.so", folder);
    unlink(path);
    for (int i = 0; i < count; i++) {
        if (texts[i].text < page || texts[i].text > page + (1 << 20)) free((void *)texts[i].text);
    }
    free(texts);
    free(page);
    return rmdir(folder);
}

/* ---- comparison ------------------------------------------------------------------------------------------------------------ */

static void fill(double *x, int n, int point, double from, double to)
{
    uint32_t seed = 12345u + 7919u * (uint32_t)point + (uint32_t)n;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = from + (to - from) * (double)(seed >> 8) / 16777216.0;
    }
}

static int same_bits(const double *a, const double *b, int n, int *where)
{
    for (int i = 0; i < n; i++) {
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) {
            *where = i;
            return 0;
        }
    }
    return 1;
}

/* 1: the tree does what the compiled text does. */
static int compare(ad_arena *m, int i, const ad_fn *fn)
{
    char name[32];
    rhs_fn *compiled;
    snprintf(name, sizeof name, "rhs_%d", i);
    *(void **)&compiled = dlsym(library, name);
    assert_non_null(compiled);
    for (int point = 0; point < POINTS; point++) {
        double y[NY], p[NP], ours[NF], theirs[NF];
        int status = 0, where = 0;
        const double t = 0.25 + point;
        fill(y, NY, point, point == 3 ? -2 : 0.1, 3);
        fill(p, NP, point + 100, 0.2, 2.5);
        for (int k = 0; k < NF; k++) ours[k] = theirs[k] = 0.125 * k;
        const char *fault = interpret(m, fn, t, y, NY, p, NP, ours, NF, &status);
        const int wanted = compiled(t, y, p, theirs);
        const int differs = wanted == 0 && !same_bits(ours, theirs, NF, &where);
        if (!fault[0] && status == wanted && !differs) continue;
        print_error("%s: %s\n", texts[i].name, fault[0] ? fault : status != wanted ? "another status" : "another value");
        if (differs) print_error("f[%d] is %.17g, not %.17g\n", where, ours[where], theirs[where]);
        print_error("%s", ad_print_fn(m, fn));
        return 0;
    }
    return 1;
}

static int accepts(int i)
{
    jmp_buf out;
    if (setjmp(out)) fail_msg("%s", "no memory");
    ad_arena *m = ad_arena_open(&out, 0);
    assert_non_null(m);
    ad_diag *d = ad_diag_open(m);
    ad_fn *fn = ad_front_function(m, d, "model.c", texts[i].text, "rhs");
    if (!fn) print_error("%s is refused:\n%s", texts[i].name, ad_diag_text(d));
    const ad_fn *pieces = fn ? ad_split_index_sets(m, fn) : NULL;
    const int good = fn && compare(m, i, fn) && (!pieces || compare(m, i, pieces));
    ad_arena_close(m);
    return good;
}

static void accepted_texts(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < count; i++) wrong += !accepts(i);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(accepted_texts)};
    return cmocka_run_group_tests(tests, compile_all, remove_all);
}
