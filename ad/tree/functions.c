/* functions.c - the table of a model's functions. */
#include "tree/functions.h"

#include "tree/tree.h"

#include <string.h>

const ad_function_info ad_functions[AD_FUNCTIONS] = {
#define COSTATE_SYSTEM(name, arguments, rows, products, each, meaning) {#name, arguments, products, AD_EACH_##each, 1},
#define COSTATE_FUNCTION(name, arguments, rows, products, each, meaning) {#name, arguments, products, AD_EACH_##each, 0},
#include <costate/model.def>
};

int ad_has_product(ad_function f, const char *product)
{
    const size_t length = strlen(product);
    for (const char *at = ad_functions[f].products; *at; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, product, length) == 0) return 1;
        at += word;
    }
    return 0;
}

int ad_output_rows(const ad_model *model, ad_function f)
{
    switch (f) {
#define COSTATE_FUNCTION(name, arguments, rows, ...) \
    case AD_FN_##name: return model->rows;
#include <costate/model.def>
    default: return 0;
    }
}
