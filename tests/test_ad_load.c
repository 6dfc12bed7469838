/* test_ad_load.c - models are compiled and loaded: through the cache and without it, by many processes at once, and when
 * something is in the way. Every test has a cache and a folder for temporary files of its own, and leaves nothing in the
 * latter. */
#include "support.h"

#include "load/cache.h"

#include <costate/diff.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

enum { PATH = 512, OLD = 50000 }; /* OLD: microseconds */

/* What the cache holds of a model that was opened: the user's file, the base, its text, and the manifest. */
enum { OBJECTS = 2, OPENED = 4 };

typedef struct place {
    char root[64], cache[PATH], tmp[PATH], model[PATH];
} place;

/* ---- files ------------------------------------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* How many entries of a folder have names that end so; the path of the last one. */
static int count_files(const char *folder, const char *end, char *path)
{
    DIR *d = opendir(folder);
    int count = 0;
    if (!d) return 0;
    for (struct dirent *e; (e = readdir(d));) {
        const size_t length = strlen(e->d_name), tail = strlen(end);
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (length < tail || strcmp(e->d_name + length - tail, end)) continue;
        count++;
        if (path) snprintf(path, PATH, "%s/%.200s", folder, e->d_name);
    }
    closedir(d);
    return count;
}

static const char decay[] =
    "#include <costate/model.h>\n"
    "#ifndef RATE\n"
    "#define RATE 1\n"
    "#endif\n"
    "static void rhs(double t, const double *y, const double *p, double *f)\n"
    "{\n"
    "    f[0] = -RATE * p[0] * y[0];\n"
    "    f[1] = y[0] * y[1];\n"
    "}\n"
    "COSTATE_MODEL(decay, .states = 2, .params = 1, .y0 = COSTATE_VALUES(3, 4), .p = COSTATE_VALUES(0.5), .t0 = 0, .t1 = 2,\n"
    "    .state_names = COSTATE_NAMES(\"a\", \"b\"), .rhs = rhs)\n";

static int setup(void **state)
{
    place *x = calloc(1, sizeof *x);
    assert_non_null(x);
    snprintf(x->root, sizeof x->root, "/tmp/test_ad_load-XXXXXX");
    assert_non_null(mkdtemp(x->root));
    snprintf(x->cache, PATH, "%s/cache", x->root);
    snprintf(x->tmp, PATH, "%s/tmp", x->root);
    snprintf(x->model, PATH, "%s/decay.c", x->root);
    assert_int_equal(mkdir(x->tmp, 0700), 0);
    write_file(x->model, decay);
    usleep(OLD); /* so that it is not taken for one that is being written */
    setenv("COSTATE_CACHE", x->cache, 1);
    setenv("TMPDIR", x->tmp, 1);
    *state = x;
    return 0;
}

static int teardown(void **state)
{
    place *x = *state;
    const int left = count_files(x->tmp, "", NULL);
    char command[PATH];
    snprintf(command, sizeof command, "chmod -R u+w '%s' && rm -rf '%s'", x->root, x->root);
    assert_int_equal(system(command), 0);
    unsetenv("TMPDIR");
    free(x);
    return left; /* nothing may be */
}

/* ---- opening
 * ---------------------------------------------------------------------------------------------------------------- */

static const costate_model_options quick = {.flags = "-O0"};

static costate_model *open_good(const char *file, const costate_model_options *options)
{
    costate_model *m = NULL;
    const int status = costate_model_open(&m, file, options ? options : &quick);
    if (status) fail_msg("status %d: %s", status, costate_model_message(m));
    return m;
}

static void check_decay(const costate_model *m, double rate)
{
    const costate_problem *c = costate_model_problem(m);
    const costate_model_info about = costate_model_about(m);
    double f[2], u[2] = {1, 10}, yb[2] = {0}, pb[1] = {0};
    assert_int_equal(c->n, 2);
    assert_int_equal(c->np, 1);
    assert_string_equal(about.name, "decay");
    assert_string_equal(c->state_names[1], "b");
    assert_int_equal(c->rhs(0, about.y0, about.p, f, c->data), 0);
    assert_true(f[0] == -rate * 1.5 && f[1] == 12);
    assert_int_equal(c->vjp(0, about.y0, about.p, 1, u, yb, pb, c->data), 0);
    assert_true(yb[0] == -rate * 0.5 + 40 && yb[1] == 30 && pb[0] == -rate * 3);
}

/* Opens a model that cannot be opened: the status, and what the message says. */
static void refused(const char *file, const costate_model_options *options, int status, const char *says)
{
    costate_model *m = NULL;
    const int got = costate_model_open(&m, file, options);
    if (got != status) fail_msg("status %d, not %d: %s", got, status, costate_model_message(m));
    if (!strstr(costate_model_message(m), says)) fail_msg("\"%s\" does not say \"%s\"", costate_model_message(m), says);
    int placed;
    const char *reason = costate_model_reason(m, &placed);
    if (status != COSTATE_MODEL_STOPPED)
        assert_int_equal(placed, status == COSTATE_MODEL_REFUSED || status == COSTATE_MODEL_COMPILE);
    assert_string_equal(reason, costate_model_message(m) + (placed ? 0 : strlen("error: ")));
    costate_model_close(m);
}

static void opens(void **state)
{
    const place *x = *state;
    costate_model *m = open_good(x->model, NULL);
    check_decay(m, 1);
    assert_string_equal(costate_model_warnings(m), "");
    assert_int_equal(costate_model_about(m).order, 3);
    assert_int_equal(count_files(x->cache, ".so", NULL), OBJECTS + 1); /* and vjp, which was called */

    assert_int_equal(costate_model_need(m, 2), 0);
    check_decay(m, 1);
    assert_int_equal(count_files(x->cache, ".so", NULL), OBJECTS + 5); /* and jvp, jac, jvp2, vjp_dot */
    costate_model_close(m);

    m = open_good(x->model, &(costate_model_options){.order = 3, .flags = "-O0"}); /* all but vjp_dot2 from the cache */
    check_decay(m, 1);
    costate_model_close(m);
    assert_int_equal(count_files(x->cache, "", NULL), OPENED + 6);
    costate_model_close(NULL);
}

static void definitions(void **state)
{
    const place *x = *state;
    const char *define[] = {"RATE=3", "UNUSED"};
    costate_model *m = open_good(x->model, &(costate_model_options){.flags = "-O0", .defines = 2, .define = define});
    costate_model *other = open_good(x->model, NULL);
    check_decay(m, 3);
    check_decay(other, 1);
    costate_model_close(m);
    check_decay(other, 1);
    costate_model_close(other);
}

static void pattern(void **state)
{
    const place *x = *state;
    costate_model *m = open_good(x->model, NULL);
    const int *colptr, *rowind, by_y[] = {0, 2, 3}, by_y_rows[] = {0, 1, 1};
    assert_int_equal(costate_model_pattern(m, 0, &colptr, &rowind), 0);
    assert_memory_equal(colptr, by_y, sizeof by_y);
    assert_memory_equal(rowind, by_y_rows, sizeof by_y_rows);
    assert_int_equal(costate_model_pattern(m, 1, &colptr, &rowind), 0);
    assert_true(colptr[0] == 0 && colptr[1] == 1 && rowind[0] == 0);
    costate_model_close(m);
}

/* ---- the cache
 * ---------------------------------------------------------------------------------------------------------------- */

static void at_once(void **state)
{
    const place *x = *state;
    enum { PROCESSES = 8 };
    pid_t child[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i]) continue;
        costate_model *m = NULL;
        int bad = costate_model_open(&m, x->model, &quick);
        double f[2];
        const costate_problem *c = costate_model_problem(m);
        if (!bad) bad = c->rhs(0, costate_model_about(m).y0, costate_model_about(m).p, f, NULL) || f[1] != 12;
        if (!bad) bad = *costate_model_warnings(m) != 0;
        costate_model_close(m);
        _exit(bad);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(count_files(x->cache, "", NULL), OPENED); /* whole entries, and nothing else */
    assert_int_equal(count_files(x->cache, ".so", NULL), OBJECTS);
}

static void *thread(void *model)
{
    costate_model *m = open_good(model, NULL);
    check_decay(m, 1);
    costate_model_close(m);
    return NULL;
}

static void in_threads(void **state)
{
    place *x = *state;
    pthread_t threads[4];
    for (size_t i = 0; i < COUNT(threads); i++) assert_int_equal(pthread_create(&threads[i], NULL, thread, x->model), 0);
    for (size_t i = 0; i < COUNT(threads); i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(count_files(x->cache, "", NULL), OPENED + 1);
}

/* 1: an entry of the cache is there and whole. */
static int good(const char *entry)
{
    size_t length;
    char *bytes = ad_cache_read(entry, &length);
    free(bytes);
    return bytes != NULL;
}

/* Changes an entry of the cache in the way of number `how`. */
static void damage(const char *entry, int how)
{
    struct stat about;
    assert_int_equal(stat(entry, &about), 0);
    const int fd = open(entry, O_RDWR);
    assert_true(fd >= 0);
    char byte;
    if (how == 0) assert_int_equal(ftruncate(fd, 0), 0);
    if (how == 1) assert_int_equal(ftruncate(fd, about.st_size / 2), 0);
    if (how == 2 || how == 3) {
        const off_t at = how == 2 ? about.st_size / 2 : about.st_size - 1;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte ^= 1;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    if (how == 4) assert_int_equal(pwrite(fd, "more", 4, about.st_size), 4);
    close(fd);
    if (how == 6) assert_int_equal(chmod(entry, 0666), 0); /* others may have written to it */
    if (how == 5) {
        assert_int_equal(unlink(entry), 0);
        assert_int_equal(symlink("/dev/null", entry), 0);
    }
}

static void damaged_entries(void **state)
{
    const place *x = *state;
    static const char *const kinds[] = {".so", ".model", ".i"};
    char entry[PATH], object[PATH];
    costate_model_close(open_good(x->model, NULL));
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int how = 0; how < 7; how++) {
            assert_true(count_files(x->cache, kinds[k], entry) > 0);
            assert_int_equal(good(entry), 1);
            damage(entry, how);
            assert_int_equal(good(entry), 0);
            while (k == 2 && count_files(x->cache, ".so", object)) unlink(object); /* else nobody has a use for the text */
            costate_model *m = open_good(x->model, NULL);
            check_decay(m, 1);
            assert_string_equal(costate_model_warnings(m), "");
            costate_model_close(m);
            assert_int_equal(good(entry), 1); /* made again */
        }
    assert_int_equal(count_files(x->cache, "", NULL), OPENED + 1);
}

/* A cache that cannot be written to is done without, and the user is told. */
static void without_cache(const place *x, const char *says)
{
    costate_model *m = open_good(x->model, NULL);
    check_decay(m, 1);
    if (!strstr(costate_model_warnings(m), says)) fail_msg("\"%s\" does not say \"%s\"", costate_model_warnings(m), says);
    int length = 0;
    const char *line = costate_model_warning(m, 0, &length);
    if (*says) { /* one, of one line */
        assert_ptr_equal(line, costate_model_warnings(m));
        assert_int_equal(length + 1, strlen(line));
        assert_null(costate_model_warning(m, 1, &length));
    } else assert_null(line);
    costate_model_close(m);
}

static void useless_folders(void **state)
{
    const place *x = *state;
    char path[PATH + 8];
    snprintf(path, sizeof path, "%s/below", x->model); /* a file is in the way */
    setenv("COSTATE_CACHE", path, 1);
    without_cache(x, "cannot be made: Not a directory");
    setenv("COSTATE_CACHE", "none", 1);
    without_cache(x, "");
    setenv("COSTATE_CACHE", x->cache, 1);

    assert_int_equal(mkdir(x->cache, 0700), 0);
    assert_int_equal(chmod(x->cache, 0777), 0);
    without_cache(x, "others may write to it");
    assert_int_equal(count_files(x->cache, "", NULL), 0);
    assert_int_equal(chmod(x->cache, 0700), 0);
}

/* An entry's name is taken by a folder: it cannot be put there. */
static void entry_in_the_way(void **state)
{
    const place *x = *state;
    char entry[PATH];
    costate_model_close(open_good(x->model, NULL));
    assert_int_equal(count_files(x->cache, ".so", entry), OBJECTS);
    assert_int_equal(unlink(entry), 0);
    assert_int_equal(mkdir(entry, 0700), 0);
    without_cache(x, "cannot be used: Is a directory");
    assert_int_equal(count_files(x->cache, "", NULL), OPENED);
}

/* A folder without the right to write, seen by one whom rights bind. */
static void read_only_folder(void **state)
{
    const place *x = *state;
    const uid_t nobody = 65534;
    assert_int_equal(mkdir(x->cache, 0700), 0);
    assert_int_equal(chmod(x->cache, 0500), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        int bad = 0;
        if (!geteuid())
            bad = chmod(x->root, 0777) || chown(x->cache, nobody, nobody) || chown(x->tmp, nobody, nobody) || setuid(nobody);
        costate_model *m = NULL;
        if (!bad) bad = costate_model_open(&m, x->model, &quick);
        if (!bad) bad = !strstr(costate_model_warnings(m), "cannot be used: Permission denied");
        if (bad) fprintf(stderr, "%s%s\n", costate_model_message(m), costate_model_warnings(m));
        costate_model_close(m);
        _exit(bad);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(count_files(x->cache, "", NULL), 0);
}

/* ---- how often a compiler runs ------------------------------------------------------------------------------------------ */

/* A compiler that writes a line for each time it is started. */
static costate_model_options counted(const place *x, char compiler[PATH])
{
    char script[2 * PATH];
    snprintf(compiler, PATH, "%.200s/counted-cc", x->root);
    snprintf(script, sizeof script, "#!/bin/sh\necho >>%.200s/started\nexec %.200s \"$@\"\n", x->root,
             getenv("CC") ? getenv("CC") : "cc");
    write_file(compiler, script);
    assert_int_equal(chmod(compiler, 0700), 0);
    usleep(OLD);
    return (costate_model_options){.flags = "-O0", .compiler = compiler};
}

static int started(const place *x) /* since it was last asked */
{
    char path[PATH];
    snprintf(path, sizeof path, "%.200s/started", x->root);
    FILE *f = fopen(path, "r");
    int count = 0;
    for (int c; f && (c = getc(f)) != EOF;) count += c == '\n';
    if (f) fclose(f);
    unlink(path);
    return count;
}

static int starts_for(const place *x, const costate_model_options *options, double rate)
{
    costate_model *m = open_good(x->model, options);
    check_decay(m, rate);
    costate_model_close(m);
    return started(x);
}

/* None while nothing has changed; some after a change of the file, of a header of its own, of a definition, of the compiler. */
static void warm(void **state)
{
    const place *x = *state;
    char compiler[PATH], header[PATH], text[2048];
    costate_model_options options = counted(x, compiler);
    snprintf(header, sizeof header, "%.200s/rate.h", x->root);
    snprintf(text, sizeof text, "#include \"rate.h\"\n%s", decay);
    write_file(header, "#define RATE 2\n");
    write_file(x->model, text);
    usleep(OLD);
    assert_true(starts_for(x, &options, 2) > 0);
    assert_int_equal(starts_for(x, &options, 2), 0);
    write_file(header, "#define RATE 5\n");
    usleep(OLD);
    assert_true(starts_for(x, &options, 5) > 0);
    assert_int_equal(starts_for(x, &options, 5), 0);
    write_file(x->model, decay);
    usleep(OLD);
    assert_true(starts_for(x, &options, 1) > 0);
    assert_int_equal(starts_for(x, &options, 1), 0);
    const char *define[] = {"RATE=4"};
    options.defines = 1, options.define = define;
    assert_true(starts_for(x, &options, 4) > 0);
    assert_int_equal(starts_for(x, &options, 4), 0);
    FILE *f = fopen(compiler, "a");
    assert_non_null(f);
    assert_true(fputs("# another one\n", f) >= 0);
    assert_int_equal(fclose(f), 0);
    usleep(OLD);
    assert_true(starts_for(x, &options, 4) > 0);
    assert_int_equal(starts_for(x, &options, 4), 0);
}

/* What the model is opened for is compiled with it; the same once more starts nothing, and an unknown task is no matter. */
static void ahead(void **state)
{
    const place *x = *state;
    char compiler[PATH];
    costate_model_options options = counted(x, compiler);
    options.ahead = "gradient implicit";
    costate_model *m = open_good(x->model, &options);
    assert_int_equal(count_files(x->cache, ".so", NULL), OBJECTS + 2); /* vjp and jac */
    assert_true(started(x) > 0);
    check_decay(m, 1);
    assert_int_equal(started(x), 0);
    costate_model_close(m);
    assert_int_equal(starts_for(x, &options, 1), 0);
    options.ahead = "dinner";
    assert_int_equal(starts_for(x, &options, 1), 0);
}

/* A compiler that fails in the middle: the call fails, the model says why, and once it works again so does the model. */
static void lost_compiler(void **state)
{
    const place *x = *state;
    char compiler[PATH];
    costate_model_options options = counted(x, compiler);
    costate_model *m = open_good(x->model, &options);
    write_file(compiler, "#!/bin/sh\necho the disk is full >&2\nexit 1\n");
    const costate_problem *c = costate_model_problem(m);
    const costate_model_info about = costate_model_about(m);
    double u[2] = {1, 10}, yb[2] = {0}, pb[1] = {0};
    assert_int_equal(c->vjp(0, about.y0, about.p, 1, u, yb, pb, c->data), -1);
    assert_non_null(strstr(costate_model_message(m), "the disk is full"));
    counted(x, compiler);
    assert_int_equal(c->vjp(0, about.y0, about.p, 1, u, yb, pb, c->data), -1); /* not tried again by itself */
    assert_int_equal(costate_model_need(m, 0), 0);
    check_decay(m, 1);
    costate_model_close(m);
}

/* ---- what is in the way
 * ------------------------------------------------------------------------------------------------------ */

static void no_compiler(void **state)
{
    const place *x = *state;
    const costate_model_options none = {.compiler = "/nonexistent"}, useless = {.compiler = "false"};
    refused(x->model, &none, COSTATE_MODEL_COMPILER, "'/nonexistent' cannot be started");
    refused(x->model, &useless, COSTATE_MODEL_COMPILER, "'false' does not work");
    const char *before = getenv("CC");
    char kept[PATH] = "";
    if (before) snprintf(kept, sizeof kept, "%s", before);
    setenv("CC", "/nonexistent", 1);
    refused(x->model, NULL, COSTATE_MODEL_COMPILER, "'/nonexistent' cannot be started");
    if (before) setenv("CC", kept, 1);
    else unsetenv("CC");
}

static void no_file(void **state)
{
    const place *x = *state;
    refused("/nonexistent.c", NULL, COSTATE_MODEL_FILE, "/nonexistent.c cannot be read: No such file");
    refused(x->tmp, NULL, COSTATE_MODEL_FILE, "Is a directory");
}

static void faulty(const place *x, const char *text, int status, const char *says)
{
    char path[PATH + 16], line[PATH + 64];
    snprintf(path, sizeof path, "%s/faulty.c", x->root);
    write_file(path, text);
    snprintf(line, sizeof line, "%s%s", *says == ':' ? path : "", says);
    refused(path, NULL, status, line);
    assert_int_equal(count_files(x->cache, "", NULL), count_files(x->cache, ".so", NULL));
}

#define RHS "static void rhs(double t, const double *y, const double *p, double *f) { f[0] = p[0] * y[0]; }\n"
#define HEAD "#include <costate/model.h>\n"

static void not_c(void **state)
{
    const place *x = *state;
    faulty(x, HEAD "\nstatic void rhs(double t, const double *y, const double *p, double *f)\n{\n    f[0] = y[0] +;\n}\n"
                   "COSTATE_MODEL(faulty, .states = 1, .rhs = rhs)\n",
           COSTATE_MODEL_COMPILE, ":5:");
    faulty(x, HEAD "#include <no/such/header.h>\n" RHS, COSTATE_MODEL_COMPILE, ":2:");
    /* Fine to costate diff, which leaves `defaults` alone. */
    faulty(x, HEAD RHS "static void defaults(double *p)\n{\n    p[0] = \"text\";\n}\n"
                       "COSTATE_MODEL(faulty, .states = 1, .params = 1, .y0 = COSTATE_VALUES(1), .rhs = rhs,\n"
                       "    .defaults = defaults)\n",
           COSTATE_MODEL_COMPILE, ":5:");
    /* In the descriptor, which is one line to the compiler once it is preprocessed. */
    faulty(x, HEAD RHS "COSTATE_MODEL(faulty, .states = 1, .params = 1,\n    .yo = COSTATE_VALUES(1), .rhs = rhs)\n",
           COSTATE_MODEL_COMPILE, ":4:6:");
}

static void not_taken(void **state)
{
    const place *x = *state;
    faulty(x, HEAD "static void rhs(double t, const double *y, const double *p, double *f)\n{\n    f[0] = y[0];\n"
                   "    while (f[0] > 1) f[0] /= 2;\n}\n"
                   "COSTATE_MODEL(faulty, .states = 1, .y0 = COSTATE_VALUES(1), .rhs = rhs)\n",
           COSTATE_MODEL_REFUSED, ":5:5: error:");
    faulty(x, "", COSTATE_MODEL_REFUSED, "faulty.c");
}

static void descriptors(void **state)
{
    const place *x = *state;
    static const struct {
        const char *members, *says;
    } wrong[] = {
        {".params = 1, .p = COSTATE_VALUES(1)", "the initial state is missing"},
        {".params = 1, .p = COSTATE_VALUES(1), .y0 = COSTATE_VALUES(1, 2)", ".y0 has 2 values, but .states is 1"},
        {".params = 1, .y0 = COSTATE_VALUES(1)", "the nominal parameters are missing"},
        {".params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1, 2, 3)", ".p has 3 values, but .params is 1"},
        {".params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1), .state_names = COSTATE_NAMES(\"a\", \"b\")",
         ".state_names has 2 "},
        {".params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1), .t1 = INFINITY", "t0 and t1 must be finite"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char text[1024];
        snprintf(text, sizeof text, HEAD RHS "COSTATE_MODEL(faulty, .states = 1, .rhs = rhs, %s)\n", wrong[i].members);
        faulty(x, text, COSTATE_MODEL_REFUSED, wrong[i].says);
    }
}

static void stopped(void **state)
{
    const place *x = *state;
    volatile sig_atomic_t stop = 1;
    refused(x->model, &(costate_model_options){.stop = &stop}, COSTATE_MODEL_STOPPED, "stopped");
}

/* A process that is killed leaves its folder, and the next one removes it. */
static void killed(void **state)
{
    const place *x = *state;
    char slow[PATH + 16], folder[PATH];
    snprintf(slow, sizeof slow, "%s/slow.sh", x->root);
    write_file(slow, "#!/bin/sh\nsleep 60\n");
    assert_int_equal(chmod(slow, 0700), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        setpgid(0, 0);
        costate_model *m = NULL;
        costate_model_open(&m, x->model, &(costate_model_options){.compiler = slow});
        _exit(0);
    }
    char log[PATH + 16];
    do { /* until the compiler runs */
        usleep(1000);
        snprintf(log, sizeof log, "%s/version", count_files(x->tmp, "", folder) ? folder : "");
    } while (access(log, F_OK));
    setpgid(child, child);
    kill(-child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(count_files(x->tmp, "", folder), 1);

    const char *const define[] = {"RATE=2", "RATE=3"}; /* something to compile each time */
    costate_model_options anew = {.flags = "-O0", .defines = 1, .define = &define[0]};
    costate_model_close(open_good(x->model, &anew)); /* too young to be judged */
    assert_int_equal(count_files(x->tmp, "", NULL), 1);
    assert_int_equal(utime(folder, &(struct utimbuf){1, 1}), 0);
    anew.define = &define[1];
    costate_model_close(open_good(x->model, &anew));
    assert_int_equal(count_files(x->tmp, "", NULL), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(opens), TEST(definitions), TEST(pattern), TEST(at_once), TEST(in_threads), TEST(damaged_entries),
        TEST(useless_folders), TEST(entry_in_the_way), TEST(read_only_folder), TEST(no_compiler), TEST(no_file), TEST(not_c),
        TEST(not_taken), TEST(descriptors), TEST(stopped), TEST(killed), TEST(warm), TEST(ahead), TEST(lost_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
