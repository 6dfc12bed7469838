/* compile.c - running the system's compiler on units, with the cache before it. */
#include "load/compile.h"

#include "load/cache.h"
#include "base/file.h"
#include "load/headers.h"
#include "platform/file.h"
#include "platform/machine.h"
#include "platform/object.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOG_MAX = 1 << 14 }; /* bytes of a compiler's messages that are passed on */

/* No -ffast-math: NaN and infinity are meant. The rest is what vector code needs. */
static const char fast_flags[] = "-O3 -fopenmp-simd -fno-math-errno -fno-trapping-math -ffp-contract=fast "
#if defined(__x86_64__) || defined(__i386__) /* lanes are vectors of four: wider ones elsewhere only cost */
                                 "-march=native -mprefer-vector-width=256 "
#elif defined(__aarch64__)
                                 "-mcpu=native "
#endif
                                 PLATFORM_OBJECT_FLAGS " -fvisibility=hidden";
static const char plain_flags[] = "-O0 -w " PLATFORM_OBJECT_FLAGS " -fvisibility=hidden -x cpp-output";

static ad_trouble fail(ad_build *b, ad_trouble what, const char *text)
{
    b->error.length = 0;
    ad_puts(&b->error, text);
    return what;
}

static void warn(ad_build *b, const char *text)
{
    ad_put(&b->warnings, "%s\n", text);
}

static int stopped(const ad_build *b)
{
    return b->stop && *b->stop;
}

/* Whether a compiler was interrupted. The keyboard's signal goes to it and to this program, and it may be gone before the signal
 * arrives here. */
static int interrupted(const ad_build *b, int status)
{
    return stopped(b) || status == 128 + SIGINT || status == 128 + SIGTERM || status == 128 + SIGHUP;
}

/* ---- opening ---------------------------------------------------------------------------------------------------------- */

static char *processor(ad_arena *m)
{
    char kind[1 << 13];
    platform_processor_kind(kind, sizeof kind);
    return ad_text(m, "%s", kind);
}

/* GCC 8 to 12 tunes for AMD's processors with AVX-512 as for those before them, which have half the registers: it reads from
 * memory again what would stay in one. The tuning for others with AVX-512 does not. */
static const char *tuning(const char *version)
{
#if defined(__x86_64__) && defined(__GNUC__)
    const char *line_end = version + strcspn(version, "\n"), *number = line_end;
    while (number > version && number[-1] != ' ') number--;
    const long major = strstr(version, "Free Software Foundation") ? strtol(number, NULL, 10) : 0;
    if (major >= 8 && major < 13 && __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512vl")) return "-mtune=icelake-server";
#else
    (void)version;
#endif
    return "";
}

static int write_headers(ad_build *b)
{
    int status = platform_folder_path(ad_text(b->m, "%s/costate", b->folder.path));
    for (int i = 0; !status && i < ad_header_count; i++)
        status = platform_file_write(ad_text(b->m, "%s/costate/%s", b->folder.path, ad_headers[i].name),
                                     ad_headers[i].text, ad_headers[i].length);
    return status;
}

static ad_trouble no_compiler(ad_build *b, const char *why)
{
    return fail(b, AD_NO_COMPILER,
                ad_text(b->m, "error: the C compiler '%s' %s\n  try: install one (Debian: apt install gcc), or set CC to yours\n",
                        ad_words_join(b->m, &b->compiler), why));
}

/* Runs the compiler with these words more; its output becomes *out, its messages *err. */
static ad_trouble run(ad_build *b, const ad_words *w, const char *name, char **out, size_t *length, char **err, int *status)
{
    char *out_file = ad_text(b->m, "%s/%s", b->folder.path, name), *err_file = ad_text(b->m, "%s.log", out_file);
    platform_process job;
    size_t err_length;
    const int started = platform_process_start(&job, w->argv, out_file, err_file, b->folder.path);
    if (started) return no_compiler(b, ad_text(b->m, "cannot be started: %s", strerror(started)));
    *status = platform_process_wait(&job, b->stop);
    if (interrupted(b, *status)) return fail(b, AD_STOPPED, "stopped\n");
    *out = ad_file_read(b->m, out_file, length);
    *err = ad_file_read(b->m, err_file, &err_length);
    if (!*out || !*err)
        return fail(b, AD_NO_ROOM, ad_text(b->m, "error: what the compiler writes cannot be read from %s\n", b->folder.path));
    if (err_length > LOG_MAX) (*err)[LOG_MAX] = 0;
    return AD_FINE;
}

static ad_words with_compiler(const ad_build *b)
{
    ad_words w = {0};
    for (int i = 0; i < b->compiler.count; i++) ad_words_add(b->m, &w, b->compiler.argv[i]);
    return w;
}

ad_trouble ad_build_open(ad_build *b, ad_arena *m, const ad_wishes *wishes)
{
    *b = (ad_build){.m = m, .stop = wishes->stop, .folder.lock = -1, .warnings.m = m, .error.m = m};
    const char *cc = wishes->compiler ? wishes->compiler : getenv("CC");
    if (wishes->flags) ad_words_split(m, &b->flags, wishes->flags);
    ad_words_split(m, &b->compiler, cc ? cc : "");
    if (!b->compiler.count) ad_words_add(m, &b->compiler, "cc");

    char *why;
    b->cache = ad_cache_folder(m, wishes->cache, &why);
    if (why) warn(b, ad_text(m, "warning: %s; the model is compiled anew each time", why));
    int status = platform_folder_make(&b->folder, b->cache);
    if (!status) status = write_headers(b);
    if (status)
        return fail(b, AD_NO_ROOM,
                    ad_text(m, "error: there is no folder for temporary files: %s\n  try: set TMPDIR to one\n",
                            strerror(status)));

    ad_words w = with_compiler(b);
    ad_words_add(m, &w, "--version");
    char *version, *log;
    size_t length;
    const ad_trouble trouble = run(b, &w, "version", &version, &length, &log, &status);
    if (trouble) return trouble;
    if (status) return no_compiler(b, "does not work: it does not tell its version");
    b->tuning = tuning(version);
    b->identity = ad_text(m, "%s\n%s\n%s", ad_words_join(m, &b->compiler), version, processor(m));
    return AD_FINE;
}

void ad_build_close(ad_build *b)
{
    for (int i = 0; i < AD_JOBS; i++) {
        if (b->running[i]) platform_process_end(&b->running[i]->job);
        b->running[i] = NULL;
    }
    platform_folder_remove(&b->folder);
}

/* ---- the user's file -------------------------------------------------------------------------------------------------- */

/* Takes every "folder/" out of the text, in place: names of headers must not change from run to run. Returns the new length. */
static size_t take_out(char *text, size_t length, const char *folder)
{
    const size_t n = strlen(folder);
    char *to = text;
    for (const char *from = text, *end = text + length; from < end;) {
        if (*from == *folder && (size_t)(end - from) > n && !memcmp(from, folder, n) && from[n] == '/') from += n + 1;
        else *to++ = *from++;
    }
    *to = 0;
    return (size_t)(to - text);
}

/* The compiler on the user's file itself. */
static ad_trouble run_on_model(ad_build *b, const char *how, const char *name, char **out, size_t *length, char **err, int *status)
{
    ad_words w = with_compiler(b);
    ad_words_split(b->m, &w, how);
    for (int i = 0; i < b->model.count; i++) ad_words_add(b->m, &w, b->model.argv[i]);
    return run(b, &w, name, out, length, err, status);
}

ad_trouble ad_preprocess(ad_build *b, const char *file, int defines, const char *const *define, char **text, size_t *length)
{
    b->model = (ad_words){0};
    ad_words_split(b->m, &b->model, "-x c -I");
    ad_words_add(b->m, &b->model, b->folder.path);
    for (int i = 0; i < defines; i++) ad_words_add(b->m, &b->model, ad_text(b->m, "-D%s", define[i]));
    ad_words_add(b->m, &b->model, file);
    char *log;
    int status;
    const ad_trouble trouble = run_on_model(b, "-E", "model.i", text, length, &log, &status);
    if (trouble) return trouble;
    if (status) {
        take_out(log, strlen(log), b->folder.path);
        return fail(b, AD_NOT_C, log);
    }
    *length = take_out(*text, *length, b->folder.path);
    return AD_FINE;
}

/* ---- units ------------------------------------------------------------------------------------------------------------ */

/* Flags that the text asks for in a comment on its first line. */
static void own_flags(ad_arena *m, ad_words *w, const ad_unit *u)
{
    static const char mark[] = "costate-flags:";
    const char *line = ad_text_n(m, u->text, strcspn(u->text, "\n")), *flags = strstr(line, mark);
    if (!flags) return;
    flags += sizeof mark - 1;
    const char *end = strstr(flags, "*/");
    ad_words_split(m, w, end ? ad_text_n(m, flags, (size_t)(end - flags)) : flags);
}

static ad_digest key(const ad_build *b, const ad_unit *u, const ad_words *flags)
{
    ad_hash h;
    ad_hash_start(&h);
    ad_hash_field(&h, u->origin ? "model" : "emitted");
    ad_hash_field(&h, b->identity);
    ad_hash_field(&h, ad_words_join(b->m, flags));
    for (int i = 0; !u->origin && i < ad_header_count; i++) ad_hash_bytes(&h, ad_headers[i].text, ad_headers[i].length);
    ad_hash_bytes(&h, u->text, u->length);
    return ad_hash_end(&h);
}

/* Waits for the unit's compiler, if one runs. */
static void settle(ad_build *b, ad_unit *u)
{
    if (!u->job.pid) return;
    u->status = platform_process_wait(&u->job, b->stop);
    for (int i = 0; i < AD_JOBS; i++)
        if (b->running[i] == u) b->running[i] = NULL;
}

static ad_unit **free_place(ad_build *b)
{
    for (int i = 0; i < AD_JOBS; i++)
        if (!b->running[i]) return &b->running[i];
    ad_unit *oldest = b->running[0];
    for (int i = 1; i < AD_JOBS; i++)
        if (b->running[i]->number < oldest->number) oldest = b->running[i];
    settle(b, oldest);
    return free_place(b);
}

static ad_words unit_flags(const ad_build *b, const ad_unit *u)
{
    ad_words flags = {0};
    ad_words_split(b->m, &flags, u->origin ? plain_flags : fast_flags);
    if (u->origin) return flags;
    ad_words_split(b->m, &flags, b->tuning);
    own_flags(b->m, &flags, u);
    for (int i = 0; i < b->flags.count; i++) ad_words_add(b->m, &flags, b->flags.argv[i]);
    return flags;
}

static ad_trouble compile(ad_build *b, ad_unit *u)
{
    u->number = b->units++;
    u->source = ad_text(b->m, "%s/unit%d.%s", b->folder.path, u->number, u->origin ? "i" : "c");
    u->log = ad_text(b->m, "%s/unit%d.log", b->folder.path, u->number);
    u->path = ad_text(b->m, "%s/unit%d" PLATFORM_OBJECT, b->folder.path, u->number);
    int status = platform_file_write(u->source, u->text, u->length);
    if (status) return fail(b, AD_NO_ROOM, ad_text(b->m, "error: %s cannot be written: %s\n", u->source, strerror(status)));

    ad_words w = with_compiler(b);
    const ad_words flags = unit_flags(b, u);
    for (int i = 0; i < flags.count; i++) ad_words_add(b->m, &w, flags.argv[i]);
    if (!u->origin) ad_words_split(b->m, &w, "-I"), ad_words_add(b->m, &w, b->folder.path);
    ad_words_add(b->m, &w, u->source);
    ad_words_split(b->m, &w, "-o");
    ad_words_add(b->m, &w, u->path);
    ad_words_add(b->m, &w, "-lm");
    ad_unit **place = free_place(b);
    if (stopped(b)) return fail(b, AD_STOPPED, "stopped\n");
    status = platform_process_start(&u->job, w.argv, u->log, u->log, b->folder.path);
    if (status) return no_compiler(b, ad_text(b->m, "cannot be started: %s", strerror(status)));
    *place = u;
    return AD_FINE;
}

ad_trouble ad_unit_start(ad_build *b, ad_unit *u)
{
    const ad_words flags = unit_flags(b, u);
    u->entry = b->cache ? ad_cache_entry(b->m, b->cache, key(b, u, &flags)) : NULL;
    if (!u->entry || !ad_cache_good(u->entry)) return compile(b, u);
    u->path = u->entry;
    return AD_FINE;
}

/* What the compiler says of the user's file as it stands: in the preprocessed text all of COSTATE_MODEL is on one line. */
static char *said_of_model(ad_build *b, char *log)
{
    char *out, *err;
    size_t length;
    int status = 0;
    if (run_on_model(b, "-fsyntax-only -w", "model.said", &out, &length, &err, &status) || !status || !*err) return log;
    return err;
}

static ad_trouble compiled(ad_build *b, ad_unit *u)
{
    settle(b, u);
    if (interrupted(b, u->status)) return fail(b, AD_STOPPED, "stopped\n");
    if (!u->status && !access(u->path, R_OK)) return AD_FINE;
    size_t length = 0;
    char *log = ad_file_read(b->m, u->log, &length);
    if (length > LOG_MAX) log[LOG_MAX] = 0;
    if (log && u->origin) log = said_of_model(b, log);
    if (log) take_out(log, strlen(log), b->folder.path);
    const char *said = !log || !*log ? "error: the compiler failed without a word\n" : log;
    if (u->status > 128 && !u->origin)
        return fail(b, AD_NOT_C, ad_text(b->m, "error: the compiler was ended by signal %d: %s\n%s", u->status - 128,
                                         strsignal(u->status - 128), said));
    if (u->origin) return fail(b, AD_NOT_C, said);
    return fail(b, AD_OWN_BUG,
                ad_text(b->m,
                        "error: costate diff wrote C that the compiler does not take; this is a mistake of costate, please "
                        "report it with the model\n%s",
                        said));
}

/* A shared object that was just made goes into the cache and is loaded from there, or from where it is. */
static void keep(ad_build *b, ad_unit *u)
{
    const int status = u->entry ? ad_cache_put(b->m, u->path, u->entry) : 0;
    if (status) {
        warn(b, ad_text(b->m, "warning: the cache folder %s cannot be used: %s; the model is compiled anew each time", b->cache,
                        strerror(status)));
        b->cache = u->entry = NULL;
    }
    if (u->entry) u->handle = platform_object_open(u->entry);
    if (!u->handle) u->handle = platform_object_open(u->path);
}

ad_trouble ad_unit_finish(ad_build *b, ad_unit *u)
{
    if (u->path == u->entry && !(u->handle = platform_object_open(u->path))) {
        const ad_trouble trouble = compile(b, u); /* whole, but not for this system: made again, and not kept */
        if (trouble) return trouble;
        u->entry = NULL;
    }
    if (u->handle) return AD_FINE;
    const ad_trouble trouble = compiled(b, u);
    if (trouble) return trouble;
    keep(b, u);
    if (u->handle) return AD_FINE;
    return fail(b, AD_NO_ROOM, ad_text(b->m, "error: the compiled model cannot be loaded: %s\n", platform_object_error()));
}
