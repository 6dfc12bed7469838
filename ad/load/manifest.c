/* manifest.c - remembering what the preprocessor said. */
#include "load/manifest.h"

#include "base/file.h"
#include "load/cache.h"
#include "load/headers.h"
#include "platform/file.h"
#include "platform/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ending[] = ".model", text_ending[] = ".i";

/* ---- names ------------------------------------------------------------------------------------------------------------ */

/* What compilers look at besides their arguments. */
static void hash_surroundings(ad_hash *h)
{
    static const char *const names[] = {"CPATH",         "C_INCLUDE_PATH", "GCC_EXEC_PREFIX",
                                        "COMPILER_PATH", "SDKROOT",        "DEVELOPER_DIR"};
    char folder[4096];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        ad_hash_field(h, value ? value : "");
    }
    ad_hash_field(h, getcwd(folder, sizeof folder) ? folder : "");
}

/* The words of the compiler, and the file behind each that is a program: another one has another size, or is younger. */
static void hash_compiler(const ad_build *b, ad_hash *h)
{
    for (int i = 0; i < b->compiler.count; i++) {
        char path[4096];
        platform_file_stamp stamp;
        ad_hash_field(h, b->compiler.argv[i]);
        if (!platform_program_find(b->compiler.argv[i], path, sizeof path) || platform_file_about(path, &stamp)) continue;
        ad_hash_field(h, path);
        ad_hash_bytes(h, &stamp, sizeof stamp);
    }
}

static char *entry(const ad_build *b)
{
    ad_hash h;
    ad_hash_start(&h);
    ad_hash_field(&h, "manifest");
    ad_hash_field(&h, ad_source_digest);
    hash_compiler(b, &h);
    hash_surroundings(&h);
    for (int i = 0; i < b->wishes.defines; i++) ad_hash_field(&h, b->wishes.define[i]);
    ad_hash_field(&h, "");
    ad_hash_field(&h, b->wishes.file);
    return ad_cache_entry(b->m, b->cache, ad_hash_end(&h), ending);
}

/* ---- content ---------------------------------------------------------------------------------------------------------- */

static ad_digest digest_of(const char *text, size_t length)
{
    ad_hash h;
    ad_hash_start(&h);
    ad_hash_bytes(&h, text, length);
    return ad_hash_end(&h);
}

static int same(ad_digest a, ad_digest b)
{
    return a.half[0] == b.half[0] && a.half[1] == b.half[1];
}

/* Of the content of a file. 0: it cannot be read. */
static int file_digest(ad_arena *m, const char *path, ad_digest *digest)
{
    size_t length;
    const char *text = ad_file_read(m, path, &length);
    if (text) *digest = digest_of(text, length);
    return text != NULL;
}

static void put_digest(ad_out *o, const char *name, ad_digest d)
{
    ad_put(o, "%s %016" PRIx64 "%016" PRIx64, name, d.half[0], d.half[1]);
}

/* "name digest" at *at, which is moved behind it. */
static int take_digest(const char **at, const char *name, ad_digest *d)
{
    const size_t n = strlen(name);
    if (strncmp(*at, name, n) || sscanf(*at + n, " %16" SCNx64 "%16" SCNx64, &d->half[0], &d->half[1]) != 2) return 0;
    *at += n + 33;
    return 1;
}

static void put_text(ad_out *o, const char *name, const char *text)
{
    ad_put(o, "\n%s %zu\n%s", name, strlen(text), text);
}

static char *take_text(ad_arena *m, const char **at, const char *name)
{
    size_t length;
    int used = 0;
    const size_t n = strlen(name);
    if (**at != '\n' || strncmp(*at + 1, name, n) || sscanf(*at + 1 + n, " %zu%n", &length, &used) != 1) return NULL;
    *at += n + (size_t)used + 2;
    if (strlen(*at) < length) return NULL;
    char *text = ad_text_n(m, *at, length);
    *at += length;
    return text;
}

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

/* 1: every file of the list has the content that it had. */
static int unchanged(ad_build *b, const char *at)
{
    ad_digest wanted, is;
    while (*at == '\n' && *++at && take_digest(&at, "file", &wanted)) {
        const size_t length = strcspn(++at, "\n");
        if (!file_digest(b->m, ad_text_n(b->m, at, length), &is) || !same(is, wanted)) return 0;
        at += length;
    }
    return !*at;
}

static int understood(ad_build *b, const char *at, ad_manifest *x)
{
    char *version = NULL;
    if (!take_digest(&at, "text", &x->text) || *at++ != '\n' || !take_digest(&at, "files", &x->files)) return 0;
    if (!(version = take_text(b->m, &at, "version")) || !(x->warnings = take_text(b->m, &at, "warnings"))) return 0;
    if (!unchanged(b, at)) return 0;
    b->version = version;
    return 1;
}

int ad_manifest_recall(ad_build *b, ad_manifest *x)
{
    size_t length;
    char *text = b->cache ? ad_cache_read(entry(b), &length) : NULL;
    const char *kept = text ? ad_text_n(b->m, text, length) : NULL;
    free(text);
    return kept && understood(b, kept, x);
}

char *ad_manifest_text(ad_build *b, const ad_manifest *x, size_t *length)
{
    char *read = b->cache ? ad_cache_read(ad_cache_entry(b->m, b->cache, x->text, text_ending), length) : NULL;
    char *text = read ? ad_text_n(b->m, read, *length) : NULL;
    free(read);
    return text;
}

void ad_manifest_keep_text(ad_build *b, const ad_manifest *x, const char *text, size_t length)
{
    if (b->cache) ad_build_keep(b, ad_cache_entry(b->m, b->cache, x->text, text_ending), text, length);
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

int64_t ad_manifest_start(void)
{
    enum { TICK = 20000000 }; /* stamps of files may lag behind the clock by less than this */
    return platform_file_clock() - TICK;
}

/* The list of files, each once. 0: one of them is too young. */
static int put_files(ad_build *b, ad_out *o, ad_digest *all, const ad_words *reads, int64_t start)
{
    ad_hash h;
    ad_hash_start(&h);
    for (int i = 0; i < reads->count; i++) {
        const char *path = reads->argv[i];
        int before = 0;
        while (strcmp(reads->argv[before], path)) before++;
        if (before < i) continue;
        platform_file_stamp stamp;
        ad_digest digest;
        if (platform_file_about(path, &stamp) || stamp.changed >= start || !file_digest(b->m, path, &digest)) return 0;
        ad_hash_field(&h, path);
        ad_hash_bytes(&h, &digest, sizeof digest);
        put_digest(o, "\nfile", digest);
        ad_put(o, " %s", path);
    }
    *all = ad_hash_end(&h);
    return 1;
}

int ad_manifest_keep(ad_build *b, ad_manifest *x, const char *text, size_t length, const ad_words *reads, int64_t start)
{
    ad_out files = {.m = b->m}, o = {.m = b->m};
    if (!b->cache || !put_files(b, &files, &x->files, reads, start)) return 0;
    put_digest(&o, "text", x->text);
    put_digest(&o, "\nfiles", x->files);
    put_text(&o, "version", b->version);
    put_text(&o, "warnings", x->warnings);
    ad_puts(&o, ad_out_text(&files));
    ad_manifest_keep_text(b, x, text, length);
    if (b->cache) ad_build_keep(b, entry(b), o.text, o.length);
    return b->cache != NULL;
}
