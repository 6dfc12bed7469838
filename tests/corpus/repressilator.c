/* Genes that repress each other in a ring, mRNA and protein in an array of structs cast over the state. */
#include <costate/model.h>
#define GENES 5
typedef struct gene { double mrna, protein; } gene;

static void rhs(double t, const double *y, const double *p, double *f)
{
    const gene *g = (const gene *)y;
    gene *d = (gene *)f;
    for (int i = 0; i < GENES; i++) {
        const gene *repressor = &g[(i + GENES - 1) % GENES];
        d[i].mrna = -g[i].mrna + p[0] / (1.0 + pow(repressor->protein, p[1])) + p[2];
        d[i].protein = -p[3] * (g[i].protein - g[i].mrna);
    }
}

COSTATE_MODEL(repressilator, .states = 2 * GENES, .params = 4, .t0 = 0, .t1 = 20,
    .y0 = COSTATE_VALUES(1, 1.2, 2, 1.8, 0.5, 0.9, 3, 2.2, 1.4, 0.6), .p = COSTATE_VALUES(200, 2, 0.2, 1.5), .rhs = rhs)
