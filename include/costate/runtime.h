/* runtime.h - what the C that costate diff writes needs besides math.h: a tape, scratch arrays, lanes as vectors, index sets
 * for sparsity patterns, and the table in which an emitted file offers its functions.
 *
 * Header only; nothing to link. Each emitted file has memory of its own, one piece for each thread that runs it, which goes
 * when that thread ends, and at the latest when the file's code is unloaded or the program ends. A function that needs tape or
 * scratch is written as
 *
 *     costate_work *work = costate_work_open();
 *     if (!work) return -1;
 *     const costate_mark mark = costate_scratch_mark(work);
 *     double *row = costate_scratch(work, n);
 *     if (!row) return costate_scratch_back(work, mark, -1);
 *     ... costate_push(work, x) ...                                         forward sweep
 *     if (work->failed) return costate_scratch_back(work, mark, -1);        before the first pop
 *     ... x = costate_pop(work) ...                                         backward sweep, pops what was pushed
 *     return costate_scratch_back(work, mark, 0);
 *
 * -1 is what the callbacks of costate.h return to stop a run. */
#ifndef COSTATE_RUNTIME_H
#define COSTATE_RUNTIME_H

#include <costate/costate.h>

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Emitted functions have the signatures of costate.h whether or not a model has a use for every argument, and `omp simd`
 * whether or not the compiler is told to heed it, or can. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wpass-failed"
#else /* before an element of an array is overwritten it may be saved, though nobody has set it yet */
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
/* emitted loops have their iterations side by side where it pays; gcc would do the same to loops over points, and then take the
 * elements of vectors one by one */
#pragma GCC optimize("no-loop-unroll-and-jam")
#endif

/* What costs no less than a call of it: compilers would copy it to every place that has a use for it, and that is where most of
 * the time went in which a small model is compiled. */
#define COSTATE_APART __attribute__((noinline, unused)) static

/* Four lanes. It may lie wherever a double may; behind pointers when handed to a function, for how vectors are passed by value
 * depends on the processor. */
typedef double costate_v4 __attribute__((vector_size(32), aligned(8)));
typedef int64_t costate_i4 __attribute__((vector_size(32), aligned(8)));

/* Asks for `count` elements some way ahead of x, so that they are in the cache when the loop comes to them. They need not
 * exist. */
static inline void costate_fetch(const double *x, ptrdiff_t count)
{
    enum { LINE = 8, AHEAD = 800 }; /* elements */
    for (ptrdiff_t i = 0; i < count; i += LINE) __builtin_prefetch(x + AHEAD + i, 0, 2);
}

/* ---- models with events ------------------------------------------------------------------------------------------------- */

/* What the data of a model with events hold. Functions that are called without any are in mode 0, and no condition is held. */
static inline int costate_mode(const void *data)
{
    return data ? ((const costate_modal *)data)->mode : 0;
}

static inline void *costate_data(const void *data)
{
    return data ? ((const costate_modal *)data)->data : NULL;
}

/* What the user's functions know event k by: numbers of conditions that are held come behind those of his guards. */
static inline int costate_number(int k, int guards, int held)
{
    return k < guards ? k : k - held;
}

/* Whether condition j holds; now: what the text says. */
static inline int costate_holds(const costate_modal *held, int j, int now)
{
    return !held || held->released >> j & 1 ? now : (int)(held->held >> j & 1);
}

/* ---- arithmetic of derivatives ---------------------------------------------------------------------------------------- */

/* a b, and 0 where b is 0, whatever a is: nothing moves along a direction that is 0, however steep the slope. */
static inline double costate_along(double a, double b)
{
    return b == 0 ? 0.0 : a * b;
}

/* The same for four lanes: a mask of zeros where b is 0. */
#define costate_along_lanes(a, b) ((costate_v4)((costate_i4)((a) * (b)) & (costate_i4)((b) != 0)))

/* x rounded to a float. + - * / and sqrt of floats, computed as doubles and rounded so, are what float arithmetic gives.
 * Compilers see that, too, and would fuse such an operation with the next one, unrounded. */
static inline double costate_float(double x)
{
#if defined(__GNUC__) && __GNUC__ >= 12
    return (double)__builtin_assoc_barrier((float)x);
#else
    float r = (float)x;
    __asm__("" : "+m"(r));
    return (double)r;
#endif
}

/* x; where it has overflowed a large number of its sign. A function whose value is finite there, as 1 / (1 + exp(y)), has a
 * factor 0 beside it, and the derivative is 0 instead of 0 times infinity. */
static inline double costate_bounded(double x)
{
    return x > 1.7976931348623157e308 ? 1e150 : x < -1.7976931348623157e308 ? -1e150 : x;
}

/* a, a factor of a derivative; 0 where the value has overflowed that it belongs to: what is finite there stands still. */
static inline double costate_tamed(double a, double value)
{
    return value > 1.7976931348623157e308 || value < -1.7976931348623157e308 ? 0.0 : a;
}

/* a^b; bounded where a is large. Where a is 0 it stays infinite. */
static inline double costate_pow(double a, double b)
{
    const double r = pow(a, b);
    return a > 1 || a < -1 ? costate_bounded(r) : r;
}

/* a^b log(a); at a = 0 its limit. */
static inline double costate_powlog(double a, double b)
{
    return a == 0 ? (b > 0 ? 0 : -INFINITY) : pow(a, b) * log(a);
}

/* ---- memory of a thread ----------------------------------------------------------------------------------------------- */

typedef union costate_cell {
    double real;
    int64_t whole;
} costate_cell;

typedef struct costate_chunk costate_chunk;
struct costate_chunk {
    costate_chunk *next, *before;
    size_t room, used; /* in doubles */
    double *item;      /* aligned to 64 bytes */
};

typedef struct costate_work costate_work;
struct costate_work {
    costate_cell *tape;
    size_t top, room;                  /* cells in use, and those there are */
    int failed;                        /* 1: no memory for the tape; what was pushed since is lost */
    costate_chunk *chunk, *first;      /* scratch: the chunk in use, and the list of them */
    costate_work *next, **link;        /* all threads' */
};

/* `mine` is this thread's; `all` is the list of them. */
static _Thread_local costate_work *costate_work_mine;
static costate_work *costate_work_all;
static pthread_mutex_t costate_work_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t costate_work_once = PTHREAD_ONCE_INIT;
static pthread_key_t costate_work_key;
static int costate_work_keyed;

/* Unlinked and freed; the lock is held. */
static inline void costate_work_free(costate_work *k)
{
    *k->link = k->next;
    if (k->next) k->next->link = k->link;
    for (costate_chunk *c = k->first, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(k->tape);
    free(k);
}

static inline void costate_work_thread_ends(void *k)
{
    pthread_mutex_lock(&costate_work_lock);
    costate_work_free((costate_work *)k);
    pthread_mutex_unlock(&costate_work_lock);
    costate_work_mine = NULL;
}

static inline void costate_work_key_make(void)
{
    costate_work_keyed = !pthread_key_create(&costate_work_key, costate_work_thread_ends);
}

/* dlclose and the end of the program come here: the code is about to go, and so must what points to it. */
__attribute__((destructor, unused)) static void costate_work_unload(void)
{
    if (costate_work_keyed) pthread_key_delete(costate_work_key);
    costate_work_keyed = 0;
    pthread_mutex_lock(&costate_work_lock);
    while (costate_work_all) costate_work_free(costate_work_all);
    pthread_mutex_unlock(&costate_work_lock);
    costate_work_mine = NULL;
}

COSTATE_APART costate_work *costate_work_new(void)
{
    costate_work *k = (costate_work *)calloc(1, sizeof *k);
    if (!k) return NULL;
    pthread_once(&costate_work_once, costate_work_key_make);
    pthread_mutex_lock(&costate_work_lock);
    k->next = costate_work_all;
    k->link = &costate_work_all;
    if (k->next) k->next->link = &k->next;
    costate_work_all = k;
    pthread_mutex_unlock(&costate_work_lock);
    if (costate_work_keyed) pthread_setspecific(costate_work_key, k);
    return costate_work_mine = k;
}

/* This thread's memory with an empty tape; NULL: there is none. */
static inline costate_work *costate_work_open(void)
{
    costate_work *k = costate_work_mine;
    if (!k) k = costate_work_new();
    if (k) k->top = 0, k->failed = 0;
    return k;
}

/* ---- scratch: arrays that are given back in the reverse order, by going back to a mark -------------------------------- */

typedef struct costate_mark {
    costate_chunk *chunk;
    size_t used;
} costate_mark;

static inline costate_mark costate_scratch_mark(const costate_work *k)
{
    const costate_mark mark = {k->chunk, k->chunk ? k->chunk->used : 0};
    return mark;
}

/* Forgets every array taken since the mark, and hands `status` through. */
static inline int costate_scratch_back(costate_work *k, costate_mark mark, int status)
{
    for (costate_chunk *c = k->chunk; c != mark.chunk; c = c->before) c->used = 0;
    k->chunk = mark.chunk;
    if (k->chunk) k->chunk->used = mark.used;
    return status;
}

/* Another chunk behind the last, twice as large, with room for `count` doubles. */
COSTATE_APART costate_chunk *costate_chunk_new(costate_work *k, size_t count)
{
    costate_chunk *last = k->chunk ? k->chunk : k->first;
    while (last && last->next) last = last->next;
    size_t room = last ? 2 * last->room : 8192;
    if (room < count) room = count;
    if (room > (SIZE_MAX - sizeof(costate_chunk) - 64) / sizeof(double)) return NULL;
    costate_chunk *c = (costate_chunk *)malloc(sizeof *c + 64 + room * sizeof(double));
    if (!c) return NULL;
    c->next = NULL, c->before = last, c->room = room, c->used = 0;
    c->item = (double *)(((uintptr_t)(c + 1) + 63) & ~(uintptr_t)63);
    if (last) last->next = c;
    else k->first = c;
    return c;
}

/* `count` doubles, not zeroed, aligned to 64 bytes; NULL: no memory. */
COSTATE_APART double *costate_scratch(costate_work *k, size_t count)
{
    if (count > SIZE_MAX / 2 / sizeof(double)) return NULL;
    count = (count + 7) & ~(size_t)7;
    costate_chunk *c = k->chunk ? k->chunk : k->first;
    while (c && c->room - c->used < count) c = c->next;
    if (!c) c = costate_chunk_new(k, count);
    if (!c) return NULL;
    k->chunk = c;
    double *array = c->item + c->used;
    c->used += count;
    return array;
}

COSTATE_APART double *costate_scratch_zero(costate_work *k, size_t count)
{
    double *array = costate_scratch(k, count);
    if (array && count) memset(array, 0, count * sizeof(double));
    return array;
}

/* ---- lanes that do not fill a vector ---------------------------------------------------------------------------------- */

/* The first `lanes` lanes, at most 3, of each row: from a block with `given` lanes in a row to one with `wanted`; added if `add`.
 * Compilers see the number. */
static inline __attribute__((always_inline)) void costate_rows(double *to, size_t wanted, const double *from, size_t given,
                                                               size_t rows, int lanes, int add)
{
    for (size_t i = 0; i < rows; i++, to += wanted, from += given)
        for (int l = 0; l < lanes; l++) to[l] = (add ? to[l] : 0) + from[l];
}

COSTATE_APART void costate_lanes_copy(double *to, size_t wanted, const double *from, size_t given, size_t rows, int lanes,
                                      int add)
{
    if (lanes == 1) costate_rows(to, wanted, from, given, rows, 1, add);
    else if (lanes == 2) costate_rows(to, wanted, from, given, rows, 2, add);
    else costate_rows(to, wanted, from, given, rows, 3, add);
}

/* The first `lanes` of the w lanes of each row of x, as a block of its own with `width` lanes, the others 0. On scratch; NULL: no
 * memory. */
COSTATE_APART double *costate_lanes_in(costate_work *k, const double *x, size_t rows, int w, int lanes, int width)
{
    double *a = costate_scratch_zero(k, rows * (size_t)width);
    if (a) costate_lanes_copy(a, (size_t)width, x, (size_t)w, rows, lanes, 0);
    return a;
}

/* Back again: writes the lanes to x, or adds them. */
COSTATE_APART void costate_lanes_out(double *x, const double *a, size_t rows, int w, int lanes, int width, int add)
{
    if (add) costate_lanes_copy(x, (size_t)w, a, (size_t)width, rows, lanes, 1);
    else costate_lanes_copy(x, (size_t)w, a, (size_t)width, rows, lanes, 0);
}

/* ---- the tape --------------------------------------------------------------------------------------------------------- */

/* Room for `more` cells; 0: there is none, and work->failed is set. */
static inline int costate_tape_room(costate_work *k, size_t more)
{
    if (__builtin_expect(k->room - k->top >= more, 1)) return 1;
    size_t room = k->room < 2048 ? 4096 : 2 * k->room;
    if (room < k->top + more) room = k->top + more;
    costate_cell *tape = room <= SIZE_MAX / sizeof *tape ? (costate_cell *)realloc(k->tape, room * sizeof *tape) : NULL;
    if (!tape) {
        k->failed = 1;
        return 0;
    }
    k->tape = tape, k->room = room;
    return 1;
}

static inline void costate_push(costate_work *k, double x)
{
    if (costate_tape_room(k, 1)) k->tape[k->top++].real = x;
}

static inline double costate_pop(costate_work *k)
{
    return k->tape[--k->top].real;
}

static inline void costate_push_int(costate_work *k, int64_t x)
{
    if (costate_tape_room(k, 1)) k->tape[k->top++].whole = x;
}

static inline int64_t costate_pop_int(costate_work *k)
{
    return k->tape[--k->top].whole;
}

/* x[0 .. blocks-1], four lanes each. */
static inline void costate_push_lanes(costate_work *k, const costate_v4 *x, int blocks)
{
    const size_t cells = 4 * (size_t)blocks;
    if (!costate_tape_room(k, cells)) return;
    memcpy(k->tape + k->top, x, cells * sizeof(double));
    k->top += cells;
}

static inline void costate_pop_lanes(costate_work *k, costate_v4 *x, int blocks)
{
    const size_t cells = 4 * (size_t)blocks;
    k->top -= cells;
    memcpy(x, k->tape + k->top, cells * sizeof(double));
}

/* ---- index sets: which states and parameters a value depends on ------------------------------------------------------- */

/* Zero it to make an empty one; costate_set_free it in the end. Rising, each number once. */
typedef struct costate_index_set {
    int count, room;
    int *item;
} costate_index_set;

/* Where a pattern function leaves what it finds: row[i] becomes the set of output i, in which state j is j and parameter k is
 * states + k. */
typedef struct costate_pattern_sink {
    int rows, states;
    int params; /* 1: the parameters are wanted too; 0: only the states */
    int failed; /* 1: no memory; the sets are not complete */
    costate_index_set *row; /* rows of them, empty at first; owned by the caller */
} costate_pattern_sink;

static inline void costate_set_free(costate_index_set *s)
{
    free(s->item);
    s->item = NULL;
    s->count = s->room = 0;
}

static inline void costate_set_clear(costate_index_set *s)
{
    s->count = 0;
}

static inline int costate_set_room(costate_pattern_sink *sink, costate_index_set *s, int count)
{
    if (count <= s->room) return 1;
    const int room = count < 4 ? 4 : count > INT32_MAX / 2 ? INT32_MAX : count + count / 2;
    int *item = (int *)realloc(s->item, (size_t)room * sizeof *item);
    if (!item) {
        sink->failed = 1;
        return 0;
    }
    s->item = item, s->room = room;
    return 1;
}

/* The place of i in s, or where it would be put. */
static inline int costate_set_place(const costate_index_set *s, int i)
{
    int low = 0, high = s->count;
    if (high && s->item[high - 1] < i) return high;
    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (s->item[mid] < i) low = mid + 1;
        else high = mid;
    }
    return low;
}

/* s gets i. */
static inline void costate_set_add(costate_pattern_sink *sink, costate_index_set *s, int i)
{
    const int at = costate_set_place(s, i);
    if (at < s->count && s->item[at] == i) return;
    if (!costate_set_room(sink, s, s->count + 1)) return;
    memmove(s->item + at + 1, s->item + at, (size_t)(s->count - at) * sizeof *s->item);
    s->item[at] = i;
    s->count++;
}

static inline void costate_set_add_state(costate_pattern_sink *sink, costate_index_set *s, int j)
{
    costate_set_add(sink, s, j);
}

static inline void costate_set_add_param(costate_pattern_sink *sink, costate_index_set *s, int k)
{
    if (sink->params) costate_set_add(sink, s, sink->states + k);
}

/* 1: i is the index of one of `count` elements. A branch that is taken unasked may leave an array. */
static inline int costate_within(ptrdiff_t i, ptrdiff_t count)
{
    return i >= 0 && i < count;
}

/* s gets what is in `other`; they may be the same. Merged from the top downwards, into the room that s has. */
static inline void costate_set_join(costate_pattern_sink *sink, costate_index_set *s, const costate_index_set *other)
{
    int fresh = 0;
    for (int a = 0, b = 0; b < other->count; b++) {
        while (a < s->count && s->item[a] < other->item[b]) a++;
        fresh += a == s->count || s->item[a] != other->item[b];
    }
    if (!fresh || !costate_set_room(sink, s, s->count + fresh)) return;
    int a = s->count - 1, b = other->count - 1;
    s->count += fresh;
    for (int to = s->count - 1; b >= 0; to--) {
        if (a >= 0 && s->item[a] >= other->item[b]) {
            if (s->item[a] == other->item[b]) b--;
            s->item[to] = s->item[a--];
        } else {
            s->item[to] = other->item[b--];
        }
    }
}

/* s becomes what is in `other`; they may be the same. */
static inline void costate_set_copy(costate_pattern_sink *sink, costate_index_set *s, const costate_index_set *other)
{
    if (s == other) return;
    s->count = 0;
    if (!other->count || !costate_set_room(sink, s, other->count)) return;
    memcpy(s->item, other->item, (size_t)other->count * sizeof *s->item);
    s->count = other->count;
}

/* `count` empty sets, for a local array; NULL: no memory, and sink->failed is set. */
static inline costate_index_set *costate_sets_new(costate_pattern_sink *sink, size_t count)
{
    costate_index_set *s = (costate_index_set *)calloc(count ? count : 1, sizeof *s);
    if (!s) sink->failed = 1;
    return s;
}

static inline void costate_sets_free(costate_index_set *s, size_t count)
{
    for (size_t i = 0; s && i < count; i++) free(s[i].item);
    free(s);
}

/* ---- code in pieces: functions that are compiled when they are first called ------------------------------------------- */

/* What knows how to make them; set by who has loaded the file. */
typedef struct costate_hook {
    void *(*load)(void *context, const char *piece, const char *symbol); /* the function, or NULL */
    void *context;
} costate_hook;

/* The function `symbol` of a piece, kept in *code from then on; NULL: it cannot be had. Several threads may ask at once. */
COSTATE_APART void *costate_load(const costate_hook *hook, void **code, const char *piece, const char *symbol)
{
    void *found = hook->load ? hook->load(hook->context, piece, symbol) : NULL;
    if (found) __atomic_store_n(code, found, __ATOMIC_RELEASE);
    return found;
}

/* ---- what an emitted file offers -------------------------------------------------------------------------------------- */

/* Returns 0; < 0: no memory. The point (t, y, p) is used for conditions and indices only. */
typedef int costate_pattern_fn(double t, const double *y, const double *p, costate_pattern_sink *sink, void *data);

/* Compressed columns, allocated by malloc. */
typedef struct costate_columns {
    int *colptr, *rowind;
    double *mass; /* costate_generated_mass, where slopes are states */
} costate_columns;

/* The transpose of the sink's rows, of those entries that are from first to first + columns - 1. -1: no memory. */
static inline int costate_columns_transpose(const costate_pattern_sink *sink, int first, int columns, costate_columns *c)
{
    int *start = (int *)calloc((size_t)columns + 2, sizeof *start);
    if (!start) return -1;
    size_t entries = 0;
    for (int i = 0; i < sink->rows; i++)
        for (int k = 0; k < sink->row[i].count; k++) {
            const int j = sink->row[i].item[k] - first;
            if (j >= 0 && j < columns) start[j + 2]++, entries++;
        }
    int *rowind = entries <= INT32_MAX ? (int *)malloc((entries + 1) * sizeof *rowind) : NULL;
    if (!rowind) {
        free(start);
        return -1;
    }
    for (int j = 2; j <= columns; j++) start[j] += start[j - 1];
    for (int i = 0; i < sink->rows; i++) /* start[j + 1] runs to the end of column j */
        for (int k = 0; k < sink->row[i].count; k++) {
            const int j = sink->row[i].item[k] - first;
            if (j >= 0 && j < columns) rowind[start[j + 1]++] = i;
        }
    c->colptr = start, c->rowind = rowind;
    return 0;
}

/* Narrow bands are stored as such: LAPACK's band solver is the fastest there is, if little of the band is empty. */
enum { COSTATE_BAND_MOST = 9 };
#define COSTATE_BAND_FILLED 0.6

/* The format that suits the pattern of a square matrix. */
static inline costate_pattern costate_columns_pattern(int n, const costate_columns *c)
{
    int lower = 0, upper = 0;
    for (int j = 0; j < n; j++)
        for (int k = c->colptr[j]; k < c->colptr[j + 1]; k++) {
            if (c->rowind[k] - j > lower) lower = c->rowind[k] - j;
            if (j - c->rowind[k] > upper) upper = j - c->rowind[k];
        }
    const double entries = c->colptr[n], width = lower + upper + 1.0;
    costate_pattern pattern = {.format = COSTATE_CSC, .colptr = c->colptr, .rowind = c->rowind};
    if (entries >= (double)n * n) pattern = (costate_pattern){.format = COSTATE_DENSE};
    else if (width <= COSTATE_BAND_MOST && width < n && entries >= COSTATE_BAND_FILLED * n * width)
        pattern = (costate_pattern){.format = COSTATE_BANDED, .lower = lower, .upper = upper};
    return pattern;
}

#define COSTATE_GENERATED 5 /* changes with the layout below */

/* What a file offers. One that holds some of the products only leaves the members of others NULL. */
typedef struct costate_generated {
    int layout; /* COSTATE_GENERATED */
    const char *model;
    costate_pattern_fn *pattern; /* of f_y and f_p */
    costate_problem problem;     /* its pattern is that of jac; without jac it is not set */
    double t0, t1;               /* of the file that costate diff writes: what the model's descriptor says */
    const double *y0, *yp0, *p;  /* NULL: not given, or not made of constants */
    const char *method;          /* likewise; */
    double rtol, atol;           /* 0: not given */
} costate_generated;

/* The pattern of f_y (of_params 0) or f_p (1) at a point. -1: no memory. */
static inline int costate_columns_find(const costate_generated *g, int of_params, double t, const double *y, const double *p,
                                       costate_columns *c)
{
    const int n = g->problem.n;
    costate_pattern_sink sink = {.rows = n, .states = n, .params = of_params};
    sink.row = costate_sets_new(&sink, (size_t)n);
    int status = sink.row ? g->pattern(t, y, p, &sink, NULL) : -1;
    if (!status && sink.failed) status = -1;
    if (!status) status = costate_columns_transpose(&sink, of_params ? n : 0, of_params ? g->problem.np : n, c);
    costate_sets_free(sink.row, (size_t)n);
    return status;
}

/* The initial state: y0 of the states, and after them yp0 (NULL: zeros) where slopes are states. */
static inline void costate_generated_start(const costate_problem *q, const double *y0, const double *yp0, double *to)
{
    const size_t slopes = (size_t)q->slopes, states = (size_t)q->n - slopes;
    memcpy(to, y0, states * sizeof *to);
    for (size_t i = 0; i < slopes; i++) to[states + i] = yp0 ? yp0[i] : 0;
}

/* The diagonal of M where slopes are states: y_k' = v_k where the residual, the last rows of the pattern, has v_k = y_k' in it,
 * 0 = v_k where it has not, and y_k is algebraic. Allocated by malloc; NULL: no memory. */
static inline double *costate_generated_mass(const costate_problem *q, const costate_columns *c)
{
    const int n = q->n, slopes = q->slopes, states = n - slopes;
    double *mass = (double *)calloc((size_t)n + 1, sizeof *mass);
    for (int k = 0; mass && k < slopes; k++)
        for (int at = c->colptr[states + k]; at < c->colptr[states + k + 1]; at++)
            if (c->rowind[at] >= states) mass[k] = 1;
    return mass;
}

/* The nominal initial state and parameters. -1: the file does not have them, for they are not made of constants, or are computed
 * by the model's defaults. */
static inline int costate_generated_nominal(const costate_generated *g, double *y0, double *p)
{
    const costate_problem *q = &g->problem;
    if ((q->np && !g->p) || (!q->init.eval && !g->y0)) return -1;
    if (q->np) memcpy(p, g->p, (size_t)q->np * sizeof *p);
    if (q->init.eval) return q->init.eval(0, g->t0, NULL, p, y0, q->data);
    costate_generated_start(q, g->y0, g->yp0, y0);
    return 0;
}

/* All defaults, but what the model says of method and tolerances. */
#pragma weak costate_defaults_sized /* files that nobody asks for it link without the library */
static inline costate_options costate_generated_defaults(const costate_generated *g)
{
    costate_options options = costate_defaults(g->method);
    if (g->rtol > 0) options.rtol = g->rtol;
    if (g->atol > 0) options.atol = g->atol;
    return options;
}

/* The problem of a file, complete. Without jac its pattern is found at the nominal point, or left dense if there is none;
 * *columns keeps it from the first call on. */
static inline costate_problem costate_generated_problem(const costate_generated *g, costate_columns *columns)
{
    costate_problem problem = g->problem;
    double *y = (double *)malloc(((size_t)problem.n + (size_t)problem.np + 1) * sizeof *y);
    if ((!problem.jac || problem.slopes) && y && !costate_generated_nominal(g, y, y + problem.n)) {
        pthread_mutex_lock(&costate_work_lock);
        const int found = columns->colptr || !costate_columns_find(g, 0, g->t0, y, y + problem.n, columns);
        if (found && !problem.jac) problem.pattern = costate_columns_pattern(problem.n, columns);
        if (found && problem.slopes && !columns->mass) columns->mass = costate_generated_mass(&problem, columns);
        if (problem.slopes) problem.mass = columns->mass;
        pthread_mutex_unlock(&costate_work_lock);
    }
    free(y);
    return problem;
}

#endif
