/* compress_pattern.c - patterns of Jacobians: the rows that a pattern function finds become compressed columns. */
#include "load/load.h"

#include <stdlib.h>

/* Narrow bands are stored as such: LAPACK's band solver is the fastest there is, if little of the band is empty. */
enum { BAND_MAX = 9 };
static const double band_filled = 0.6;

/* The transpose of `rows` index sets, of those entries that are from first to first + columns - 1. */
static int transpose(const costate_pattern_sink *sink, int first, int columns, ad_columns *c)
{
    int *start = calloc((size_t)columns + 2, sizeof *start);
    if (!start) return 0;
    size_t entries = 0;
    for (int i = 0; i < sink->rows; i++)
        for (int k = 0; k < sink->row[i].count; k++) {
            const int j = sink->row[i].item[k] - first;
            if (j >= 0 && j < columns) start[j + 2]++, entries++;
        }
    int *rowind = entries <= INT32_MAX ? malloc((entries + 1) * sizeof *rowind) : NULL;
    if (!rowind) {
        free(start);
        return 0;
    }
    for (int j = 2; j <= columns; j++) start[j] += start[j - 1];
    for (int i = 0; i < sink->rows; i++) /* start[j + 1] runs to the end of column j */
        for (int k = 0; k < sink->row[i].count; k++) {
            const int j = sink->row[i].item[k] - first;
            if (j >= 0 && j < columns) rowind[start[j + 1]++] = i;
        }
    c->colptr = start, c->rowind = rowind;
    return 1;
}

int ad_compress_pattern(costate_model *m, int of_params)
{
    ad_columns *c = &m->pattern[of_params];
    const int n = m->problem.n, columns = of_params ? m->problem.np : n;
    if (c->colptr) return COSTATE_MODEL_OK;
    costate_pattern_sink sink = {.rows = n, .states = n, .params = of_params};
    sink.row = costate_sets_new(&sink, (size_t)n);
    const int status = sink.row ? m->functions.pattern(m->descriptor->t0, m->y0, m->p, &sink, NULL) : -1;
    const int good = !status && !sink.failed && transpose(&sink, of_params ? n : 0, columns, c);
    costate_sets_free(sink.row, (size_t)n);
    if (good) return COSTATE_MODEL_OK;
    return ad_model_fail(m, COSTATE_MODEL_MEMORY, "%s: error: out of memory for the pattern of the Jacobian\n", m->file);
}

void ad_model_choose_format(costate_model *m)
{
    const int n = m->problem.n, *colptr = m->pattern[0].colptr, *rowind = m->pattern[0].rowind;
    int lower = 0, upper = 0;
    for (int j = 0; j < n; j++)
        for (int k = colptr[j]; k < colptr[j + 1]; k++) {
            if (rowind[k] - j > lower) lower = rowind[k] - j;
            if (j - rowind[k] > upper) upper = j - rowind[k];
        }
    const double entries = colptr[n], band = (double)n * (lower + upper + 1.0);
    if (entries >= (double)n * n) m->problem.pattern = (costate_pattern){.format = COSTATE_DENSE};
    else if (lower + upper + 1 <= BAND_MAX && lower + upper + 1 < n && entries >= band_filled * band)
        m->problem.pattern = (costate_pattern){.format = COSTATE_BANDED, .lower = lower, .upper = upper};
    else m->problem.pattern = (costate_pattern){.format = COSTATE_CSC, .colptr = colptr, .rowind = rowind};
}
