/* bdf_tables.c - backward differentiation formulas. Their coefficients depend on the steps; a table says how high their order may
 * be (up to 5), and looks like the implicit Euler method, which they begin with. */
#include "tableau/tableau.h"

static const double one[] = {1};

const costate_table tableau_bdf[] = {
    {.name = "bdf", .family = COSTATE_BDF, .stages = 1, .order = 5, .embedded_order = 4, .a = one, .b = one, .e = one,
     .source = "Brenan, Campbell, Petzold, Numerical Solution of Initial-Value Problems in DAEs, 5.2"},
};
const int tableau_bdf_count = sizeof tableau_bdf / sizeof *tableau_bdf;
