/* test_ad_names.c - names of files and definitions are never options to a compiler, whatever is in them; what is no text is not
 * shown to one, and what a compiler says is cut and cleaned. */
#include "ad_place.h"

#include "base/clean.h"

/* A file of options that has the compiler run a program: it makes the file "caught". */
static void set_trap(const char *path)
{
    write_file(path, "-wrapper touch,caught\n");
}

static void in_place(const place *x)
{
    assert_int_equal(chdir(x->root), 0);
}

static void untouched(void)
{
    assert_int_equal(access("caught", F_OK), -1);
    assert_int_equal(chdir("/"), 0);
}

/* Every name opens the model; with a check for NaN the name is in the code, too. */
static void odd_names(void **state)
{
    static const char *const names[] = {"a b'$(touch caught)`touch caught`;touch caught|&.c", "a\"b\n\\c.c", "a:b#c%d\377\033.c",
                                        "-x.c", "@d/m.c", "d*/m.c", "costate-flags: -wrapper touch,caught .c"};
    const place *x = *state;
    in_place(x);
    assert_int_equal(mkdir("@d", 0700) | mkdir("d*", 0700), 0);
    set_trap("d");
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[PATH];
        snprintf(path, sizeof path, "./%s", names[i]);
        write_file(path, decay);
        costate_model *m = open_good(names[i], i % 2 ? &(costate_model_options){.flags = "-O0", .nan_check = 1} : &quick);
        assert_string_equal(costate_model_warnings(m), "");
        costate_model_close(m);
    }
    untouched();
}

/* Compilers take it for a file of options even behind a folder's name. */
static void at_sign(void **state)
{
    const place *x = *state;
    char path[PATH];
    in_place(x);
    write_file("@x.c", decay);
    set_trap("x.c");
    snprintf(path, sizeof path, "%s/@x.c", x->root);
    refused("@x.c", NULL, COSTATE_MODEL_FILE, "@x.c cannot be compiled");
    refused(path, NULL, COSTATE_MODEL_FILE, "@x.c cannot be compiled");
    untouched();
}

/* Folders whose names look like files of options. */
static void folders(void **state)
{
    const place *x = *state;
    in_place(x);
    set_trap("t");
    set_trap("c");
    assert_int_equal(mkdir("@t", 0700), 0);
    setenv("TMPDIR", "@t", 1);
    setenv("COSTATE_CACHE", "@c", 1);
    for (int i = 0; i < 2; i++) {
        costate_model *m = open_good(x->model, NULL);
        assert_string_equal(costate_model_warnings(m), "");
        costate_model_close(m);
    }
    assert_int_equal(count_files("@t", "", NULL), 0);
    assert_true(count_files("@c", "", NULL) > 0);
    untouched();
}

static void odd_definitions(void **state)
{
    static const char *const bad[] = {"@trap", "", "-o", "1x", "A B", "A(x)=2", "=1", "A=1\n#error", "A\033", "A=\001", "-x",
                                      NULL};
    static const char *const good[] = {"A", "A=", "_a1=@trap", "B=-o caught", "C=\"a b\"", "RATE=3"};
    const place *x = *state;
    in_place(x);
    set_trap("trap");
    for (size_t i = 0; i < COUNT(bad); i++)
        refused(x->model, &(costate_model_options){.defines = 1, .define = &bad[i]}, COSTATE_MODEL_FILE, "not of the form NAME");
    costate_model *m = open_good(x->model, &(costate_model_options){.flags = "-O0", .defines = COUNT(good), .define = good});
    const costate_model_info about = costate_model_about(m);
    double f[2];
    assert_int_equal(costate_model_problem(m)->rhs(0, about.y0, about.p, f, NULL), 0);
    assert_true(f[0] == -3 * 1.5);
    costate_model_close(m);
    untouched();
}

/* ---- texts --------------------------------------------------------------------------------------------------------------- */

static void write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

/* No compiler is asked. */
static void no_text(void **state)
{
    static const char zero[] = "int x;\0 int y;", control[] = "\001\002\003 int x;", wide[] = "\377\376i\0n\0t\0";
    const place *x = *state;
    const costate_model_options none = {.compiler = "/nonexistent"};
    in_place(x);
    write_bytes("zero.c", zero, sizeof zero - 1);
    write_bytes("control.c", control, sizeof control - 1);
    write_bytes("wide.c", wide, sizeof wide - 1);
    refused("zero.c", &none, COSTATE_MODEL_FILE, "zero.c is no text");
    refused("control.c", &none, COSTATE_MODEL_FILE, "control.c is no text");
    refused("wide.c", &none, COSTATE_MODEL_FILE, "wide.c is no text");
    refused(COSTATE, &none, COSTATE_MODEL_FILE, "is no text");
    write_bytes("late.c", decay, sizeof decay - 1);
    assert_int_equal(truncate("late.c", (off_t)1 << 40), 0); /* nor is it read to its end */
    refused("late.c", &none, COSTATE_MODEL_FILE, "late.c is no text");
    assert_int_equal(mkfifo("pipe.c", 0600), 0);
    refused("pipe.c", &none, COSTATE_MODEL_FILE, "pipe.c is a pipe or a device");
    refused("/dev/zero", &none, COSTATE_MODEL_FILE, "is a pipe or a device");
    write_file("latin.c", "/* caf\351 */\n"); /* other encodings are fine */
    refused("latin.c", &none, COSTATE_MODEL_COMPILER, "/nonexistent");
    untouched();
}

/* Few lines, none of them long, without a byte that a terminal would obey. */
static void check_quotation(const char *file)
{
    costate_model *m = NULL;
    assert_int_equal(costate_model_open(&m, file, NULL), COSTATE_MODEL_COMPILE);
    int lines = 0;
    size_t column = 0;
    for (const char *s = costate_model_message(m); *s; s++) {
        column = *s == '\n' ? 0 : column + 1;
        lines += *s == '\n';
        assert_true(column <= 210 && lines <= 41);
        assert_true(*s == '\n' || *s == '\t' || (*s >= ' ' && *s < 127));
    }
    assert_true(lines > 0);
    costate_model_close(m);
}

static void quotations(void **state)
{
    static char text[1 << 14];
    const place *x = *state;
    in_place(x);
    for (int i = 1; i < 1000; i++) text[i - 1] = (char)(i % 10 == 3 ? 10 : 1 + i % 255);
    write_file("bytes.h", text); /* included, so that it comes to a compiler */
    write_file("bytes.c", "#include \"bytes.h\"\n");
    check_quotation("bytes.c");
    for (size_t i = 0; i + 16 < sizeof text; i += 16) memcpy(text + i, "int x = \"a\" + ;\n", 17);
    write_file("many.c", text);
    check_quotation("many.c");
    memset(text, '+', sizeof text - 1);
    memcpy(text, "int \033[31m\233 = ", 14);
    write_file("long.c", text);
    check_quotation("long.c");
    untouched();
}

static void cleaning(void **state)
{
    (void)state;
    jmp_buf escape;
    ad_arena *m = ad_arena_open(&escape, 0);
    assert_non_null(m);
    if (setjmp(escape)) fail_msg("no memory");
    assert_string_equal(ad_clean(m, "a\tb\n\033[1m\x7f"), "a\tb\n\\x1b[1m\\x7f");
    assert_string_equal(ad_clean(m, "\u00fc \u20ac \U0001F600"), "\u00fc \u20ac \U0001F600");
    assert_string_equal(ad_clean(m, "\xc2\x9b \xff \xc3"), "\\xc2\\x9b \\xff \\xc3");
    assert_string_equal(ad_clean(m, ""), "");
    assert_string_equal(ad_clean_name(m, "a*/b\nc"), "a?/b?c");
    char long_line[5000], *two = long_line + sizeof long_line - 5;
    memset(long_line, 'x', sizeof long_line);
    strcpy(two, "\ntwo");
    const char *cut = ad_clean(m, long_line), *rest = cut + strspn(cut, "x");
    assert_string_equal(rest, " ...\ntwo");
    assert_true(rest - cut > 1000 && rest - cut < two - long_line);
    assert_string_equal(ad_clean_excerpt(m, "one\ntwo"), "one\ntwo\n");
    assert_string_equal(ad_clean_excerpt(m, ""), "");
    ad_arena_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(odd_names), TEST(at_sign), TEST(folders), TEST(odd_definitions), TEST(no_text), TEST(quotations), TEST(cleaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
