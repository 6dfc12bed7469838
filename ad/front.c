/* front.c - the entries of the front end: lex, parse, lower. */
#include "lower.h"
#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- text -------------------------------------------------------------------------------------------------------------------- */

static ac_unit *read_text(ad_arena *m, ad_diag *d, const char *name, const char *text, size_t length, const ac_original *originals, int count)
{
    ac_names *names = ac_names_open(m);
    const ac_tokens tokens = ac_lex(m, d, names, name, text, length);
    (void)originals;
    (void)count;
    return ac_parse(m, d, names, name, tokens);
}

ad_model *ad_front_text(ad_arena *m, ad_diag *d, const char *name, const char *text, size_t length)
{
    ad_diag_source(d, name, text, length);
    ac_unit *u = read_text(m, d, name, text, length, NULL, 0);
    return ac_model(u);
}

ad_fn *ad_front_function(ad_arena *m, ad_diag *d, const char *name, const char *text, const char *function)
{
    const size_t length = strlen(text);
    ad_diag_source(d, name, text, length);
    ac_unit *u = read_text(m, d, name, text, length, NULL, 0);
    ac_entity *f = ac_function(u, function);
    if (!f && ad_diag_count(d) == 0) ad_error(d, (ad_place){.file = name}, NULL, "there is no function '%s' in this file", function);
    if (!f || ad_diag_count(d) > 0) return NULL;
    const ac_signature unknown = {.states = -1, .params = -1, .outputs = -1};
    int raw = 0;
    return ac_lower_function(u, f, &unknown, &raw);
}
