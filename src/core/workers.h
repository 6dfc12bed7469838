/* workers.h - several threads at work on the blocks of one solver (option `threads`).
 *
 * Each thread has a worker: a solver of its own in all that is written to (scratch of the derivatives, the family's memory and
 * factors, statistics, message), which borrows what is only read: parameters, log of steps, trajectory. The solver itself is the
 * leader and the first of the workers. What a task computes depends on the task alone, so results do not depend on who does it,
 * nor on how many there are. */
#ifndef COSTATE_CORE_WORKERS_H
#define COSTATE_CORE_WORKERS_H

#include "solver/solver.h"

typedef int worker_task(costate_solver *worker, int task, void *ctx); /* 0, or what failed */

/* Workers for that many tasks: made when they are first needed, and brought up to date with the leader's run. *workers: how
 * many, 1 being the leader alone. */
int cst__workers_prepare(costate_solver *s, int tasks, int *workers);
costate_solver *cst__worker(costate_solver *s, int i);                    /* 0: the leader; NULL beyond the last */
int cst__workers_scratch(costate_solver *s, int workers, size_t doubles); /* memory of sweeps for all of them but the leader */

/* Does tasks 0 .. tasks-1 with the first `workers` of those prepared. Where some fail, those behind the first of them are left
 * out, and its return value, status and message are the leader's. by_step: the tasks walk back over the steps together, and the
 * first is the one that failed at the latest step. */
int cst__workers_run(costate_solver *s, int workers, int tasks, int by_step, worker_task *task, void *ctx);

/* A solver for another thread: problem and options of s, its pattern of the Jacobian, one thread. On failure what was made
 * is in *worker. */
int cst__worker_create(costate_solver *s, costate_solver **worker);
int cst__workers_threads(const costate_solver *s); /* option threads, as a number */

void cst__workers_drop(costate_solver *s, int which); /* their own trajectories */
void cst__workers_forget(costate_solver *s);          /* their adjoint equations, whose options are to change */
void cst__workers_close(costate_solver *s);

#endif
