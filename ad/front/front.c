/* front.c - the entries of the front end: lex, parse, lower. */
#include "front/lower.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>

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
    const ac_signature unknown = {.states = -1, .params = -1, .outputs = -1, .observations = -1};
    int raw = 0;
    return ac_lower_function(u, f, &unknown, &raw);
}

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

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

ad_model *ad_front(ad_arena *m, ad_diag *d, const char *file, const char *text, size_t length)
{
    size_t original_length = 0;
    const char *original = ad_file_read(m, file, &original_length);
    if (!original) {
        ad_error(d, (ad_place){.file = file}, NULL, "the file cannot be read: %s", strerror(errno));
        return NULL;
    }
    if (memchr(original, 0, original_length)) {
        ad_error(d, (ad_place){.file = file}, NULL, "this is not a text file");
        return NULL;
    }
    ad_diag_source(d, file, text, length);
    ac_names *names = ac_names_open(m);
    const ac_tokens tokens = ac_lex(m, d, names, file, text, length);
    align(m, d, names, tokens);
    return ac_model(ac_parse(m, d, names, file, tokens));
}
