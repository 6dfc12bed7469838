/* lapack.h - the LAPACK routines that are called, by their Fortran names. Complex arrays are arrays of pairs. */
#ifndef COSTATE_LINSOL_LAPACK_H
#define COSTATE_LINSOL_LAPACK_H

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void zgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgbtrf_(const int *m, const int *n, const int *kl, const int *ku, double *ab, const int *ldab, int *ipiv, int *info);
void zgbtrf_(const int *m, const int *n, const int *kl, const int *ku, double *ab, const int *ldab, int *ipiv, int *info);
void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau, double *work, const int *lwork,
             int *info);
void dgesvd_(const char *u_wanted, const char *v_wanted, const int *m, const int *n, double *a, const int *lda, double *sigma,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *info);

#endif
