/* front.c - the entries of the front end: lex, parse, lower. */
#include "front/lower.h"
#include "base/file.h"
#include "base/words.h"
#include "platform/folder.h"
#include "platform/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- text ------------------------------------------------------------------------------------------------------------------ */

static ac_unit *read_text(ad_arena *m, ad_diag *d, const char *name, const char *text, size_t length)
{
    ac_names *names = ac_names_open(m);
    const ac_tokens tokens = ac_lex(m, d, names, name, text, length);
    return ac_parse(m, d, names, name, tokens);
}

ad_model *ad_front_text(ad_arena *m, ad_diag *d, const char *name, const char *text, size_t length)
{
    ad_diag_source(d, name, text, length);
    ac_unit *u = read_text(m, d, name, text, length);
    return ac_model(u);
}

ad_fn *ad_front_function(ad_arena *m, ad_diag *d, const char *name, const char *text, const char *function)
{
    const size_t length = strlen(text);
    ad_diag_source(d, name, text, length);
    ac_unit *u = read_text(m, d, name, text, length);
    ac_entity *f = ac_function(u, function);
    if (!f && ad_diag_count(d) == 0)
        ad_error(d, (ad_place){.file = name}, NULL, "there is no function '%s' in this file", function);
    if (!f || ad_diag_count(d) > 0) return NULL;
    const ac_signature unknown = {.function = -1, .states = -1, .params = -1, .outputs = -1};
    int raw = 0;
    return ac_lower_function(u, f, &unknown, &raw);
}

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

/* Runs the preprocessor; NULL after an error. */
static char *preprocessed(ad_arena *m, ad_diag *d, const char *file, const ad_front_options *o, size_t *length)
{
    const ad_place place = {.file = file};
    const char *folder = o->scratch ? o->scratch : platform_folder_temporary();
    char *out = ad_text(m, "%s/costate-XXXXXX", folder), *err = ad_text(m, "%s/costate-XXXXXX", folder), *text = NULL;
    ad_words w = {0};
    platform_process job = {0};
    const int made = mkstemp(out), made_err = made >= 0 ? mkstemp(err) : -1;
    if (made_err < 0) {
        ad_error(d, place, NULL, "no temporary file could be made in '%s': %s", folder, strerror(errno));
    } else {
        ad_words_split(m, &w, o->compiler && o->compiler[0] ? o->compiler : "cc");
        const char *const fixed[] = {"-E", "-x", "c", "-DCOSTATE_DIFF=1", "-DNDEBUG"};
        for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) ad_words_add(m, &w, fixed[i]);
        if (o->include) ad_words_add(m, &w, ad_text(m, "-I%s", o->include));
        for (int i = 0; i < o->defines; i++) ad_words_add(m, &w, ad_text(m, "-D%s", o->define[i]));
        ad_words_add(m, &w, file);
        const int failed = platform_process_start(&job, w.argv, out, err, folder);
        const int code = failed ? 0 : platform_process_wait(&job, NULL);
        if (failed) {
            ad_error(d, place, "CC=... in the environment", "the compiler '%s' cannot be run: %s", w.argv[0], strerror(failed));
        } else if (code != 0) {
            size_t n = 0;
            const char *said = ad_file_read(m, err, &n);
            ad_error(d, place, NULL, "the preprocessor failed:\n%s", said ? said : "");
        } else {
            text = ad_file_read(m, out, length);
            if (!text) ad_error(d, place, NULL, "what the preprocessor made cannot be read: %s", strerror(errno));
        }
    }
    if (made >= 0) close(made), unlink(out);
    if (made_err >= 0) close(made_err), unlink(err);
    return text;
}

/* Leads the columns of every file of the user back to what he wrote. */
static void align(ad_arena *m, ad_diag *d, ac_names *names, ac_tokens tokens)
{
    const char *done[64];
    int count = 0;
    for (int i = 0; i < tokens.count && count < 64; i++) {
        const char *file = tokens.at[i].place.file;
        int known = 0;
        for (int k = 0; k < count; k++) known |= done[k] == file;
        if (known) continue;
        done[count++] = file;
        ac_original o = {.file = file};
        o.text = ad_file_read(m, file, &o.length);
        if (!o.text) continue;
        ad_diag_source(d, file, o.text, o.length);
        ac_align(m, names, tokens, &o);
    }
}

ad_model *ad_front(ad_arena *m, ad_diag *d, const char *file, const ad_front_options *options)
{
    static const ad_front_options none = {0};
    size_t length = 0;
    const char *text = ad_file_read(m, file, &length);
    if (!text) {
        ad_error(d, (ad_place){.file = file}, NULL, "the file cannot be read: %s", strerror(errno));
        return NULL;
    }
    if (memchr(text, 0, length)) {
        ad_error(d, (ad_place){.file = file}, NULL, "this is not a text file");
        return NULL;
    }
    text = preprocessed(m, d, file, options ? options : &none, &length);
    if (!text) return NULL;
    ad_diag_source(d, file, text, length);
    ac_names *names = ac_names_open(m);
    const ac_tokens tokens = ac_lex(m, d, names, file, text, length);
    align(m, d, names, tokens);
    return ac_model(ac_parse(m, d, names, file, tokens));
}
