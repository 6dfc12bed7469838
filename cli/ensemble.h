/* ensemble.h - what run --ensemble and gradient --ensemble share: the members of a CSV file, computed, and told of. */
#ifndef COSTATE_CLI_ENSEMBLE_H
#define COSTATE_CLI_ENSEMBLE_H

#include "cli.h"

typedef struct ensemble {
    const cli_choice *wrt, *of; /* of gradients; NULL: none */
    cli_members m;              /* its y become the final states */
    int failed;
    int64_t steps;
    double *psi;            /* count x objectives */
    double *d;              /* count x wrt x of */
    double *row;            /* count x rows x n */
    costate_member *member; /* count */
    double *y_bar, *psi_bar, *d_bar, *row_bar; /* error bars, or NULL */
} ensemble;

typedef void ensemble_printer(cli_session *s, const ensemble *a);

/* Reads the file of --ensemble, computes all of it, prints it by print[cli_format], and tells of those that failed. Exit
 * codes. */
int ensemble_run(cli_session *s, ensemble *a, ensemble_printer *const print[3]);

const char *ensemble_status(const ensemble *a, int k); /* good or failed */
void ensemble_json(cli_session *s, const ensemble *a, void (*member)(cli_session *s, cli_json *j, const ensemble *a, int k));

#endif
