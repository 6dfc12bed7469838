/* blas.c - see blas.h. Which BLAS there is, is known when the program is loaded. MKL has a number for each thread; that of
 * OpenBLAS and BLIS is the whole program's: the first of our threads to come lowers it, the last to go restores it, unless
 * the program has changed it meanwhile. */
#include "linsol/blas.h"

#include <pthread.h>
#include <stdint.h>

#ifdef __APPLE__ /* Accelerate looks after itself */

int blas_calm(void)
{
    return 0;
}

void blas_as_before(int number)
{
    (void)number;
}

#else

#define WEAK __attribute__((weak))
extern WEAK int openblas_get_num_threads(void);
extern WEAK void openblas_set_num_threads(int);
extern WEAK int64_t bli_thread_get_num_threads(void);
extern WEAK void bli_thread_set_num_threads(int64_t);
extern WEAK int MKL_Set_Num_Threads_Local(int); /* returns the number before; 0: the program's */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, before; /* threads between the two calls; the number that the first of them found */

static int get(void)
{
    if (openblas_get_num_threads && openblas_set_num_threads) return openblas_get_num_threads();
    return bli_thread_get_num_threads && bli_thread_set_num_threads ? (int)bli_thread_get_num_threads() : 1;
}

static void set(int number)
{
    if (openblas_get_num_threads && openblas_set_num_threads) openblas_set_num_threads(number);
    else if (bli_thread_set_num_threads) bli_thread_set_num_threads(number);
}

int blas_calm(void)
{
    if (MKL_Set_Num_Threads_Local) return MKL_Set_Num_Threads_Local(1);
    pthread_mutex_lock(&lock);
    if (!inside++) {
        before = get();
        if (before > 1) set(1);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

void blas_as_before(int number)
{
    if (MKL_Set_Num_Threads_Local) {
        MKL_Set_Num_Threads_Local(number);
        return;
    }
    pthread_mutex_lock(&lock);
    if (!--inside && before > 1 && get() == 1) set(before);
    pthread_mutex_unlock(&lock);
}

#endif
