/* test_ad_cache.c - what was compiled is kept: by many processes at once, whatever became of an entry or of the folder
 * meanwhile, and as long as nothing has changed no compiler is started. */
#include "ad_place.h"

#include "load/cache.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

/* ---- entries ----------------------------------------------------------------------------------------------------------- */

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

enum {
    EMPTY, HALF, FLIPPED, FLIPPED_LAST, LONGER, OPEN_TO_ALL, SYMLINK, HARD_LINK, PIPE, FOLDER, HUGE_FILE, NAMESAKE, ALIEN, WAYS
};

/* Bytes of an entry. */
static void change_bytes(const char *entry, int how)
{
    struct stat about;
    char byte;
    const int fd = open(entry, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &about), 0);
    if (how == EMPTY) assert_int_equal(ftruncate(fd, 0), 0);
    if (how == HALF) assert_int_equal(ftruncate(fd, about.st_size / 2), 0);
    if (how == HUGE_FILE) assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
    if (how == FLIPPED || how == FLIPPED_LAST) {
        const off_t at = how == FLIPPED ? about.st_size / 2 : about.st_size - 1;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte ^= 1;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    if (how == LONGER) assert_int_equal(pwrite(fd, "more", 4, about.st_size), 4);
    close(fd);
}

/* Something else has its name: a link to what it was, under this name by its side, ... */
static void change_kind(const char *entry, int how)
{
    char aside[PATH + 8], inside[PATH + 8];
    snprintf(aside, sizeof aside, "%s.aside", entry);
    snprintf(inside, sizeof inside, "%s/file", entry);
    assert_int_equal(rename(entry, aside), 0);
    if (how == SYMLINK) assert_int_equal(symlink(aside, entry), 0);
    if (how == HARD_LINK) assert_int_equal(link(aside, entry), 0);
    if (how == PIPE) assert_int_equal(mkfifo(entry, 0600), 0);
    if (how == FOLDER) {
        assert_int_equal(mkdir(entry, 0700), 0);
        write_file(inside, "in the way");
    }
}

/* Changes an entry of the cache. */
static void damage(const place *x, const char *kind, const char *entry, int how)
{
    char other[PATH];
    if (how == OPEN_TO_ALL) assert_int_equal(chmod(entry, 0666), 0); /* others may have written to it */
    else if (how == ALIEN) assert_int_equal(geteuid() ? chmod(entry, 0020) : chown(entry, 65534, 65534), 0);
    else if (how == NAMESAKE) { /* whole, but another one */
        count_files(x->cache, strcmp(kind, ".so") ? ".so" : ".i", other);
        assert_int_equal(rename(other, entry), 0);
    } else if (how >= SYMLINK && how <= FOLDER) change_kind(entry, how);
    else change_bytes(entry, how);
}

/* A bad entry is made again, at once, and nobody is bothered. */
static void damaged_entries(void **state)
{
    const place *x = *state;
    static const char *const kinds[] = {".so", ".model", ".i"};
    char entry[PATH], object[PATH];
    costate_model_close(open_good(x->model, NULL));
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int how = 0; how < WAYS; how++) {
            assert_true(count_files(x->cache, kinds[k], entry) > 0);
            assert_int_equal(good(entry), 1);
            damage(x, kinds[k], entry, how);
            alarm(60);
            assert_int_equal(good(entry), 0);
            while (k == 2 && count_files(x->cache, ".so", object)) unlink(object); /* else nobody has a use for the text */
            costate_model *m = open_good(x->model, NULL);
            check_decay(m, 1);
            assert_string_equal(costate_model_warnings(m), "");
            costate_model_close(m);
            assert_int_equal(good(entry), 1); /* made again */
            alarm(0);
            while (count_files(x->cache, ".aside", object)) unlink(object);
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
    assert_int_equal(chmod(x->root, 0777), 0); /* others can put another folder in its place */
    snprintf(path, sizeof path, "others may write to %s", x->root);
    without_cache(x, path);
    assert_int_equal(count_files(x->cache, "", NULL), 0);
    assert_int_equal(chmod(x->root, 01777), 0); /* they cannot: as in /tmp */
    without_cache(x, "");
    assert_true(count_files(x->cache, "", NULL) > 0);
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
            bad = chmod(x->root, 0755) || chown(x->cache, nobody, nobody) || chown(x->tmp, nobody, nobody) || setuid(nobody);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(at_once),          TEST(in_threads), TEST(damaged_entries), TEST(useless_folders),
        TEST(read_only_folder), TEST(warm),       TEST(ahead),           TEST(lost_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
