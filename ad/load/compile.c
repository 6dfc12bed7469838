/* compile.c - running the system's compiler on units, with the cache before it. */
#include "load/compile.h"

#include "base/file.h"
#include "base/clean.h"
#include "load/cache.h"
#include "load/headers.h"
#include "platform/file.h"
#include "platform/machine.h"
#include "platform/object.h"

#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOG_MAX = 1 << 16 }; /* bytes of a compiler's messages that are looked at */

/* No -ffast-math: NaN and infinity are meant. The rest is what vector code needs. */
static const char fast_flags[] = "-O3 -fopenmp-simd -fno-math-errno -fno-trapping-math -ffp-contract=fast "
#if defined(__x86_64__) || defined(__i386__) /* lanes are vectors of four: wider ones elsewhere only cost */
                                 "-march=native -mprefer-vector-width=256 "
#elif defined(__aarch64__)
                                 "-mcpu=native "
#endif
                                 PLATFORM_OBJECT_FLAGS " -fvisibility=hidden";
static const char plain_flags[] = "-O0 -w " PLATFORM_OBJECT_FLAGS " -fvisibility=hidden";

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
    return b->wishes.stop && *b->wishes.stop;
}

/* Whether a compiler was interrupted. The keyboard's signal goes to it and to this program, and it may be gone before the signal
 * arrives here. */
static int interrupted(const ad_build *b, int status)
{
    return stopped(b) || status == 128 + SIGINT || status == 128 + SIGTERM || status == 128 + SIGHUP;
}

/* ---- opening ---------------------------------------------------------------------------------------------------------- */

void ad_build_open(ad_build *b, ad_arena *m, const ad_wishes *wishes)
{
    *b = (ad_build){.m = m, .wishes = *wishes, .folder.lock = -1, .warnings.m = m, .error.m = m, .jobs = platform_processors()};
    if (b->jobs > AD_JOBS) b->jobs = AD_JOBS;
    const char *cc = wishes->compiler ? wishes->compiler : getenv("CC");
    if (wishes->flags) ad_words_split(m, &b->flags, wishes->flags);
    ad_words_split(m, &b->compiler, cc ? cc : "");
    if (!b->compiler.count) ad_words_add(m, &b->compiler, "cc");
    char *why, kind[1 << 13];
    platform_processor_kind(kind, sizeof kind);
    b->processor = ad_text(m, "%s", kind);
    b->cache = ad_cache_folder(m, wishes->cache, &why);
    if (why) warn(b, ad_text(m, "warning: %s; the model is compiled anew each time", why));
}

static int write_headers(ad_build *b)
{
    int status = platform_folder_path(ad_text(b->m, "%s/costate", b->folder.path));
    for (int i = 0; !status && i < ad_header_count; i++)
        status = platform_file_write(ad_text(b->m, "%s/costate/%s", b->folder.path, ad_headers[i].name),
                                     ad_headers[i].text, ad_headers[i].length);
    return status;
}

/* The folder for temporary files, if it is not there. */
static ad_trouble make_folder(ad_build *b)
{
    if (b->folder.path) return AD_FINE;
    if (b->wishes.busy) *b->wishes.busy = 1;
    int status = platform_folder_make(&b->folder, b->cache);
    if (!status) status = write_headers(b);
    if (!status) return AD_FINE;
    return fail(b, AD_NO_ROOM, ad_text(b->m, "error: there is no folder for temporary files: %s\n  try: set TMPDIR to one\n",
                                       strerror(status)));
}

void ad_build_rest(ad_build *b)
{
    for (int i = 0; i < AD_JOBS; i++) {
        if (b->running[i]) platform_process_end(&b->running[i]->job);
        b->running[i] = NULL;
    }
    platform_folder_remove(&b->folder);
    if (b->wishes.busy) *b->wishes.busy = 0;
}

/* ---- one run of the compiler ------------------------------------------------------------------------------------------ */

static ad_trouble no_compiler(ad_build *b, const char *why)
{
    return fail(b, AD_NO_COMPILER,
                ad_text(b->m, "error: the C compiler '%s' %s\n  try: install one (Debian: apt install gcc), or set CC to yours\n",
                        ad_words_join(b->m, &b->compiler), why));
}

static ad_words with_compiler(const ad_build *b)
{
    ad_words w = {0};
    for (int i = 0; i < b->compiler.count; i++) ad_words_add(b->m, &w, b->compiler.argv[i]);
    return w;
}

/* Runs the compiler with these words more; its output becomes *out, its messages *err. */
static ad_trouble run(ad_build *b, const ad_words *w, const char *name, char **out, size_t *length, char **err, int *status)
{
    char *out_file = ad_text(b->m, "%s/%s", b->folder.path, name), *err_file = ad_text(b->m, "%s.log", out_file);
    platform_process job;
    size_t said;
    if (stopped(b)) return fail(b, AD_STOPPED, "stopped\n");
    const int started = platform_process_start(&job, w->argv, out_file, err_file, b->folder.path);
    if (started) return no_compiler(b, ad_text(b->m, "cannot be started: %s", strerror(started)));
    *status = platform_process_wait(&job, b->wishes.stop);
    if (interrupted(b, *status)) return fail(b, AD_STOPPED, "stopped\n");
    *out = ad_file_read(b->m, out_file, length);
    *err = ad_file_head(b->m, err_file, LOG_MAX, &said);
    if (!*out || !*err)
        return fail(b, AD_NO_ROOM, ad_text(b->m, "error: what the compiler writes cannot be read from %s\n", b->folder.path));
    return AD_FINE;
}

ad_trouble ad_build_version(ad_build *b)
{
    ad_trouble trouble = b->version ? AD_FINE : make_folder(b);
    if (trouble || b->version) return trouble;
    ad_words w = with_compiler(b);
    ad_words_add(b->m, &w, "--version");
    char *version, *log;
    size_t length;
    int status;
    trouble = run(b, &w, "version", &version, &length, &log, &status);
    if (trouble) return trouble;
    if (status) return no_compiler(b, "does not work: it does not tell its version");
    b->version = version;
    return AD_FINE;
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

/* The files in a rule for make, "target: file file \", which are not headers of costate's own. */
static void add_reads(ad_build *b, const char *rule, ad_words *reads)
{
    size_t length;
    char *at = ad_file_read(b->m, rule, &length), *to;
    if (!at) return;
    for (at += strcspn(at, ":") + (at[strcspn(at, ":")] != 0); *at;) {
        const char *word = to = at;
        for (; *at && !strchr(" \n", *at); at++) { /* a blank in a name has a backslash before it, and $ is doubled */
            if ((*at == '\\' && at[1] && strchr(" #\n", at[1])) || (*at == '$' && at[1] == '$')) at++;
            if (*at != '\n') *to++ = *at;
        }
        const int more = *at != 0;
        *to = 0;
        at += more;
        if (*word && strncmp(word, b->folder.path, strlen(b->folder.path))) ad_words_add(b->m, reads, word);
    }
}

/* The words for the user's file, with a list of what is read. Its name and the definitions were looked at: they are
 * no options. */
static void add_model(const ad_build *b, ad_words *w, const char *reads)
{
    ad_words_split(b->m, w, "-MD -MT model -MF");
    ad_words_add(b->m, w, reads);
    ad_words_split(b->m, w, "-x c -I");
    ad_words_add(b->m, w, b->folder.path);
    for (int i = 0; i < b->wishes.defines; i++) ad_words_add(b->m, w, ad_text(b->m, "-D%s", b->wishes.define[i]));
    ad_words_add(b->m, w, b->wishes.file);
}

ad_trouble ad_preprocess(ad_build *b, char **text, size_t *length, ad_words *reads)
{
    ad_trouble trouble = make_folder(b);
    if (trouble) return trouble;
    ad_words w = with_compiler(b);
    char *rule = ad_text(b->m, "%s/model.d", b->folder.path), *log;
    int status;
    ad_words_split(b->m, &w, "-E -DCOSTATE_DIFF=1 -DNDEBUG");
    add_model(b, &w, rule);
    trouble = run(b, &w, "model.i", text, length, &log, &status);
    if (trouble) return trouble;
    if (status) {
        take_out(log, strlen(log), b->folder.path);
        return fail(b, AD_NOT_C, ad_clean_excerpt(b->m, log));
    }
    add_reads(b, rule, reads);
    *length = take_out(*text, *length, b->folder.path);
    return AD_FINE;
}

void ad_unit_reads(ad_build *b, const ad_unit *u, ad_words *reads)
{
    if (u->reads) add_reads(b, u->reads, reads);
}

/* ---- flags ------------------------------------------------------------------------------------------------------------ */

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

/* Flags that the text asks for in a comment that it begins with. */
static void own_flags(ad_arena *m, ad_words *w, const char *text)
{
    static const char mark[] = "/* costate-flags:";
    const char *flags = text + sizeof mark - 1, *end = strncmp(text, mark, sizeof mark - 1) ? NULL : strstr(flags, "*/");
    if (end) ad_words_split(m, w, ad_text_n(m, flags, (size_t)(end - flags)));
}

/* Those for what costate diff emits; `text` may ask for some. */
static ad_words emitted_flags(const ad_build *b, const char *text)
{
    ad_words flags = {0};
    ad_words_split(b->m, &flags, fast_flags);
    ad_words_split(b->m, &flags, tuning(b->version));
    own_flags(b->m, &flags, text);
    for (int i = 0; i < b->flags.count; i++) ad_words_add(b->m, &flags, b->flags.argv[i]);
    return flags;
}

void ad_build_hash(const ad_build *b, ad_hash *h)
{
    const ad_words flags = emitted_flags(b, "");
    ad_hash_field(h, ad_source_digest);
    ad_hash_field(h, ad_words_join(b->m, &b->compiler));
    ad_hash_field(h, b->version);
    ad_hash_field(h, b->processor);
    ad_hash_field(h, ad_words_join(b->m, &flags));
}

/* ---- units ------------------------------------------------------------------------------------------------------------ */

/* Loads a shared object that is in memory. */
static void *load(ad_build *b, const char *bytes, size_t length)
{
    void *handle = b->cache ? ad_cache_load(b->m, b->cache, bytes, length) : NULL;
    if (!handle && !make_folder(b)) handle = ad_cache_load(b->m, b->folder.path, bytes, length);
    return handle;
}

void ad_build_keep(ad_build *b, const char *entry, const void *bytes, size_t length)
{
    const int status = b->cache ? ad_cache_put(b->m, entry, bytes, length) : 0;
    if (!status) return;
    warn(b, ad_text(b->m, "warning: the cache folder %s cannot be used: %s; the model is compiled anew each time", b->cache,
                    strerror(status)));
    b->cache = NULL;
}

int ad_unit_recall(ad_build *b, ad_unit *u)
{
    size_t length;
    char *bytes = u->entry ? ad_cache_read(u->entry, &length) : NULL;
    if (bytes) u->handle = load(b, bytes, length);
    free(bytes);
    return u->handle != NULL;
}

/* Waits for the unit's compiler, if one runs. */
static void settle(ad_build *b, ad_unit *u)
{
    if (!u->job.pid) return;
    u->status = platform_process_wait(&u->job, b->wishes.stop);
    for (int i = 0; i < AD_JOBS; i++)
        if (b->running[i] == u) b->running[i] = NULL;
}

static ad_unit **free_place(ad_build *b)
{
    for (int i = 0; i < b->jobs; i++)
        if (!b->running[i]) return &b->running[i];
    int first = 0;
    while (!platform_process_ended(&b->running[first]->job) && !stopped(b)) first = (first + 1) % b->jobs;
    settle(b, b->running[first]);
    return &b->running[first];
}

/* The command that makes a shared object of the unit, whose text is written to a file. */
static ad_trouble unit_words(ad_build *b, ad_unit *u, ad_words *w)
{
    *w = with_compiler(b);
    if (!u->text) {
        u->reads = ad_text(b->m, "%s/unit%d.d", b->folder.path, u->number);
        ad_words_split(b->m, w, plain_flags);
        add_model(b, w, u->reads);
        return AD_FINE;
    }
    u->source = ad_text(b->m, "%s/unit%d.c", b->folder.path, u->number);
    const int status = platform_file_write(u->source, u->text, u->length);
    if (status) return fail(b, AD_NO_ROOM, ad_text(b->m, "error: %s cannot be written: %s\n", u->source, strerror(status)));
    const ad_words flags = emitted_flags(b, u->text);
    for (int i = 0; i < flags.count; i++) ad_words_add(b->m, w, flags.argv[i]);
    ad_words_split(b->m, w, "-I");
    ad_words_add(b->m, w, b->folder.path);
    ad_words_add(b->m, w, u->source);
    return AD_FINE;
}

ad_trouble ad_unit_start(ad_build *b, ad_unit *u)
{
    ad_words w;
    ad_trouble trouble = ad_build_version(b);
    if (!trouble) trouble = make_folder(b);
    if (trouble) return trouble;
    u->number = b->units++;
    u->log = ad_text(b->m, "%s/unit%d.log", b->folder.path, u->number);
    u->path = ad_text(b->m, "%s/unit%d" PLATFORM_OBJECT, b->folder.path, u->number);
    trouble = unit_words(b, u, &w);
    if (trouble) return trouble;
    ad_words_split(b->m, &w, "-o");
    ad_words_add(b->m, &w, u->path);
    ad_words_add(b->m, &w, "-lm");
    ad_unit **place = free_place(b);
    if (stopped(b)) return fail(b, AD_STOPPED, "stopped\n");
    const int status = platform_process_start(&u->job, w.argv, u->log, u->log, b->folder.path);
    if (status) return no_compiler(b, ad_text(b->m, "cannot be started: %s", strerror(status)));
    *place = u;
    return AD_FINE;
}

/* Waits for the compiler and judges what it did. */
static ad_trouble compiled(ad_build *b, ad_unit *u)
{
    settle(b, u);
    if (interrupted(b, u->status)) return fail(b, AD_STOPPED, "stopped\n");
    if (!u->status && !access(u->path, R_OK)) return AD_FINE;
    size_t length = 0;
    char *log = ad_file_head(b->m, u->log, LOG_MAX, &length);
    if (log) take_out(log, strlen(log), b->folder.path);
    const char *said = !log || !*log ? "error: the compiler failed without a word\n" : ad_clean_excerpt(b->m, log);
    if (!u->text) return fail(b, AD_NOT_C, said);
    if (u->status > 128)
        return fail(b, AD_NOT_C, ad_text(b->m, "error: the compiler was ended by signal %d: %s\n%s", u->status - 128,
                                         strsignal(u->status - 128), said));
    return fail(b, AD_OWN_BUG,
                ad_text(b->m,
                        "error: costate diff wrote C that the compiler does not take; this is a mistake of costate, please "
                        "report it with the model\n%s",
                        said));
}

void ad_unit_keep(ad_build *b, const ad_unit *u)
{
    size_t length;
    const char *bytes = u->entry && u->path ? ad_file_read(b->m, u->path, &length) : NULL;
    if (bytes) ad_build_keep(b, u->entry, bytes, length);
}

/* ---- functions that nobody defines --------------------------------------------------------------------------------------- */

static const char UNDEFINED[] = "undefined symbol: ";

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The last place of the text where a name stands before a parenthesis: what stands before may be its declaration. */
static const char *last_call(const char *text, const char *name, size_t length)
{
    const char *found = NULL;
    for (const char *at = text; (at = strstr(at, name)); at++) {
        const char *end = at + length;
        if (is_word(*end) || (at > text && is_word(at[-1]))) continue;
        if (end[strspn(end, " \t\n")] == '(') found = at;
    }
    return found;
}

/* costate diff refuses those that the model's functions call, with their places; the compiler's file may have more functions. */
static const char *nobody_defines(ad_build *b, const char *symbol)
{
    const size_t length = strcspn(symbol, " ,;:()\n");
    const char *name = ad_text(b->m, "%.*s", (int)length, symbol), *file = b->wishes.file;
    size_t size;
    const char *text = ad_file_read(b->m, file, &size), *at = text ? last_call(text, name, length) : NULL, *start = at;
    int line = 1;
    for (const char *c = text; at && c < at; c++) line += *c == '\n';
    while (at && start > text && start[-1] != '\n') start--;
    if (!at) return ad_text(b->m, "%s: error: '%s' is called and has no definition in this file\n", file, name);
    return ad_text(b->m, "%s:%d:%d: error: '%s' has no definition in this file\n  try: a definition of '%s', or no call of it\n",
                   file, line, (int)(at - start) + 1, name, name);
}

/* Programs may not be run from the folder for temporary files, perhaps, but from that of the cache. */
static void load_elsewhere(ad_build *b, ad_unit *u)
{
    size_t length;
    const char *bytes = b->cache ? ad_file_read(b->m, u->path, &length) : NULL;
    if (bytes) u->handle = ad_cache_load(b->m, b->cache, bytes, length);
}

ad_trouble ad_unit_finish(ad_build *b, ad_unit *u)
{
    if (u->handle) return AD_FINE;
    const ad_trouble trouble = compiled(b, u);
    if (trouble) return trouble;
    ad_unit_keep(b, u);
    u->handle = platform_object_open(u->path);
    if (!u->handle) load_elsewhere(b, u);
    if (u->handle) return AD_FINE;
    const char *why = platform_object_error();
    const char *missing = u->text ? NULL : strstr(why, UNDEFINED);
    if (missing) return fail(b, AD_NOT_C, nobody_defines(b, missing + strlen(UNDEFINED)));
    return fail(b, AD_NO_ROOM,
                ad_text(b->m,
                        "error: the compiled model cannot be loaded: %s\n  try: set TMPDIR to a folder that programs may be run "
                        "from\n",
                        why));
}
