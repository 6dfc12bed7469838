/* libFuzzer: any bytes as the text of a model, through the front end, and what is accepted through every pass to the emitted
 * text. Nothing may crash, hang, read what is not there or break a promise of tree.h. Texts come with or without a descriptor. */
#define _GNU_SOURCE /* memmem */
#include "front/front.h"
#include "emit/generate.h"
#include "front/lint.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEMORY = 300 << 20,
    DEAR = 3000
}; /* bytes of text above which an accepted model is not generated: passes take long, not wrong */

static void generate(ad_arena *m, const ad_model *model)
{
    const ad_generate_options o = {.products = AD_FIRST | AD_SECOND};
    ad_out out = {.m = m};
    ad_generate(m, model, &o, &out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char descriptor[] = "\n;__costate_model__ m { .states = 24, .params = 12, .rhs = rhs };\n";
    jmp_buf out;
    ad_arena *volatile m = NULL;
    char *text = malloc(size + sizeof descriptor);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    const size_t length = memmem(text, size, "__costate_model__", 17) ? size : size + sizeof descriptor - 1;
    memcpy(text + size, descriptor, sizeof descriptor);
    if (setjmp(out) == 0) {
        m = ad_arena_open(&out, MEMORY);
        if (m) {
            ad_diag *d = ad_diag_open(m);
            const ad_model *model = ad_front_text(m, d, "model.c", text, length);
            if ((model == NULL) != (ad_diag_count(d) > 0)) abort();
            if (model) {
                ad_lint(m, d, model);
                if (size <= DEAR) generate(m, model);
            }
        }
    }
    ad_arena_close(m);
    free(text);
    return 0;
}
