/* check_products.c - the problem's products at a few states of the run, entry by entry:
 *
 *     jvp        against differences of the function        jvp2       against differences of jvp
 *     vjp        against jvp: (vjp u)_i = <u, jvp e_i>      vjp_dot    against differences of vjp
 *     jac        against jvp, column by column              vjp_dot2   against differences of vjp_dot
 *     vjp_points against the sum of vjp over its points     and what vjp_dot gives of vjp itself, and linearly in udot
 *
 * A mistake in a product shows here by its own size, however little it matters to an objective. Seeds u weigh every row of a
 * function by its own size. */
#include "sens/check_products.h"

#include "base/sparsity.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { FEW = 32, SAMPLE = 12, MIXTURES = 4, PLACES = 3 };

static const double sizes[CHECK_LEVELS] = {0x1p-4, 0x1p-7, 0x1p-11, 0x1p-15, 0x1p-19};
static const double bound = 1e-6;

typedef struct desk { /* a subject under test */
    subject b;
    product which;          /* the product that is compared with differences */
    double *memory;
    double *z, *dir, *d1;   /* rows of z each: a place nearby; the direction; another, fixed one */
    double *u, *udot;       /* rows of the function: a seed, and how it moves */
    double *out, *claim, *spare;    /* as long as the longest product */
    int along;              /* the component of dir; -1: all */
    ladder l;
} desk;

static double sign(uint64_t key)
{
    return cst__irregular(key) < 1 ? -1 : 1;
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

static void component_name(const subject *b, int i, char name[64])
{
    char own[32];
    const costate_solver *s = b->c->s;
    int ny = (int)b->ny, count = (int)subject_count(b);
    const char *text = i < 0 ? "a mixture" : "t";
    if (i >= 0 && i < count) text = i < ny ? cst__state_name(s, i, own) : cst__param_name(s, i - ny, own);
    snprintf(name, 64, "%.63s", text);
}

static void row_name(const subject *b, size_t row, char name[64])
{
    char own[32];
    int state = !b->fn || !b->ny;
    if (!state) cst__check_goal(b->c, (int)row, name);
    else snprintf(name, 64, "%.50s%s", cst__state_name(b->c->s, (int)row, own), b->fn ? "(t0)" : "'");
}

static void note(const subject *b, const char *which, int reverse, size_t row, int along, finding f)
{
    costate_measure *m = &b->c->out->products;
    char one[64], other[64];
    if ((reverse && !subject_wants(b, row)) || (along >= 0 && !subject_wants(b, (size_t)along))) return;
    if (!cst__measure(m, f)) return;
    if (reverse) component_name(b, (int)row, one);
    else row_name(b, row, one);
    component_name(b, along, other);
    snprintf(m->name, sizeof m->name, "%s of %s: %.26s, %.26s", which, b->name, one, other);
}

/* ---- against differences -------------------------------------------------------------------------------------------- */

static size_t length(const desk *k)
{
    return k->which == VJP ? 1 : k->which == JVP || k->which == JVP2 ? k->b.rows : subject_count(&k->b);
}

/* <u, f(z)>, and its derivative along dir by vjp. */
static int weighed(desk *k, const double *z, double *out)
{
    TRY(cst__subject_value(&k->b, z, k->spare));
    *out = 0;
    for (size_t row = 0; row < k->b.rows; row++) *out += k->u[row] * k->spare[row];
    return 0;
}

static int pulled(desk *k, double *out)
{
    TRY(cst__subject_vjp(&k->b, k->b.z, 1, k->u, k->spare));
    *out = 0;
    for (size_t i = 0; i < subject_count(&k->b); i++) *out += k->dir[i] * k->spare[i];
    return 0;
}

/* What the product is a derivative of, at z. */
static int lower(desk *k, const double *z, double *out)
{
    const subject *b = &k->b;
    switch (k->which) {
    case JVP: return cst__subject_value(b, z, out);
    case VJP: return weighed(k, z, out);
    case JVP2: return cst__subject_jvp(b, z, 1, k->d1, out);
    case VJP_DOT: return cst__subject_vjp(b, z, 1, k->u, out);
    default: return cst__subject_vjp_dot(b, z, 1, k->d1, k->u, NULL, k->spare, out);
    }
}

static int upper(desk *k, double *out)
{
    const subject *b = &k->b;
    switch (k->which) {
    case JVP: return cst__subject_jvp(b, b->z, 1, k->dir, out);
    case VJP: return pulled(k, out);
    case JVP2: return cst__subject_jvp2(b, b->z, 1, k->d1, k->dir, out);
    case VJP_DOT: return cst__subject_vjp_dot(b, b->z, 1, k->dir, k->u, NULL, k->spare, out);
    default: return cst__subject_vjp_dot2(b, b->z, 1, k->d1, k->dir, k->u, out);
    }
}

static int moved(void *context, double eps, double *out)
{
    desk *k = context;
    size_t rows = subject_rows(&k->b);
    memcpy(k->z, k->b.z, (subject_count(&k->b) + 1) * sizeof *k->z);
    for (size_t i = 0; i < rows; i++) k->z[i] += eps * k->dir[i];
    int rc = lower(k, k->z, out);
    for (size_t row = 0; row < k->l.rows; row++)
        if (!isfinite(out[row])) rc = 1;
    return rc;
}

/* A direction: a component, or a mixture of all. */
static void aim(desk *k, int i, uint64_t seed)
{
    size_t rows = subject_rows(&k->b);
    k->along = i;
    for (size_t r = 0; r < rows; r++) { /* steps in t are whole powers of two */
        double share = r < subject_count(&k->b) ? cst__irregular(2 * r + seed + 1) : 1;
        k->dir[r] = i < 0 && subject_wants(&k->b, r) ? sign(2 * r + seed) * share * k->b.scale[r] : 0;
    }
    if (i >= 0) k->dir[i] = k->b.scale[i];
}

/* What round-off makes of it: values where all of z has changed in the last places. */
static int noise(desk *k)
{
    ladder *l = &k->l;
    TRY(moved(k, 0, l->base));
    for (size_t row = 0; row < l->rows; row++) l->noise[row] = 8 * DBL_EPSILON * fabs(l->base[row]);
    for (int n = 0; n < 4; n++) {
        aim(k, -1, (uint64_t)n << 32);
        if (moved(k, 0x1p-50, k->out)) continue;
        for (size_t row = 0; row < l->rows; row++) l->noise[row] = fmax(l->noise[row], 4 * fabs(k->out[row] - l->base[row]));
    }
    return 0;
}

static const char *const names[] = {[JVP] = "jvp", [VJP] = "vjp", [JVP2] = "jvp2", [VJP_DOT] = "vjp_dot",
                                    [VJP_DOT2] = "vjp_dot2"};

static int compare(desk *k, int i)
{
    const subject *b = &k->b;
    double most = b->c->s->d.exact ? bound : 1e-3;
    aim(k, i, (uint64_t)(i < 0 ? -i : 0) << 20);
    TRY(upper(k, k->claim));
    cst__ladder_climb(&k->l, moved, k, k->claim, most);
    for (size_t row = 0; row < k->l.rows; row++)
        note(b, names[k->which], k->which & (VJP_DOT | VJP_DOT2), row, i, cst__ladder_judge(&k->l, row, k->claim[row], most));
    return 0;
}

/* Components that are looked at one by one: all, or a sample. */
static size_t samples(const subject *b)
{
    return subject_rows(b) <= FEW ? subject_rows(b) : SAMPLE;
}

static int sample(const subject *b, size_t k)
{
    size_t rows = subject_rows(b);
    return rows <= FEW ? (int)k : (int)((cst__irregular(k) - 0.5) * (double)rows);
}

static int differences(desk *k, product which)
{
    k->which = which;
    cst__ladder_carve(&k->l, length(k), sizes, 1, k->l.base);
    int rc = noise(k);
    if (rc < 0) return rc;
    if (rc) { /* a function may have no value so near to the run, but then a product has none on it */
        finding f = {.word = which == JVP || which == VJP ? NOT_MEASURED : CONTRADICTS, .defect = INFINITY, .most = bound};
        note(&k->b, which == JVP2 ? "jvp" : which == VJP_DOT ? "vjp" : "vjp_dot", 0, 0, -1, f);
        return 0;
    }
    for (size_t n = 0; n < samples(&k->b); n++)
        if (which != VJP || (size_t)sample(&k->b, n) < subject_count(&k->b)) TRY(compare(k, sample(&k->b, n)));
    for (int n = 0; n < MIXTURES; n++)
        if (which != VJP && (subject_rows(&k->b) > FEW || n == 0)) TRY(compare(k, -1 - n));
    return 0;
}

/* ---- against each other --------------------------------------------------------------------------------------------- */

static finding exactly(const subject *b, double x, double y, double size)
{
    double off = subject_off(x, y), most = b->c->s->d.exact ? 1e-9 : 1e-4;
    return (finding){.word = off <= most * size ? AGREES : CONTRADICTS, .defect = off > 0 ? off / size : 0, .most = most};
}

/* (vjp u)_i = <u, jvp e_i>; at a place moved by round-off both have moved by what cancels in them. */
static int transposed(desk *k)
{
    const subject *b = &k->b;
    TRY(cst__subject_vjp(b, b->z, 1, k->u, k->out));
    aim(k, -1, 0);
    for (size_t i = 0; i < subject_rows(b); i++) k->z[i] = b->z[i] + 0x1p-50 * k->dir[i];
    k->z[subject_count(b)] = b->z[subject_count(b)];
    TRY(cst__subject_vjp(b, k->z, 1, k->u, k->claim));
    for (size_t n = 0; n < samples(b); n++) {
        int i = sample(b, n);
        if ((size_t)i >= subject_count(b)) continue; /* t has no transpose */
        double sum = 0, size = 0, shaken = 1e11 * fabs(k->claim[i] - k->out[i]);
        aim(k, i, 0);
        TRY(cst__subject_jvp(b, b->z, 1, k->dir, k->spare));
        for (size_t row = 0; row < b->rows; row++) {
            double term = k->u[row] * k->spare[row] / b->scale[i];
            sum += term, size += fabs(term);
        }
        note(b, "vjp", 1, (size_t)i, -1, exactly(b, k->out[i], sum, fmax(fmax(size, shaken), fabs(k->out[i]))));
    }
    return 0;
}

/* vjp_dot gives vjp too, and is linear in udot: what udot adds is vjp of udot. */
static int twofold(desk *k)
{
    const subject *b = &k->b;
    size_t count = subject_count(b);
    double *dot = k->l.base, *still = dot + count, *of_udot = still + count; /* a ladder has room */
    aim(k, -1, 0);
    TRY(cst__subject_vjp_dot(b, b->z, 1, k->dir, k->u, NULL, k->out, still));
    TRY(cst__subject_vjp_dot(b, b->z, 1, k->dir, k->u, k->udot, k->out, dot));
    TRY(cst__subject_vjp(b, b->z, 1, k->u, k->claim));
    TRY(cst__subject_vjp(b, b->z, 1, k->udot, of_udot));
    for (size_t row = 0; row < b->rows; row++) k->udot[row] = k->u[row] * (1 + 0x1p-48 * (cst__irregular(row) - 1));
    TRY(cst__subject_vjp(b, b->z, 1, k->udot, k->spare)); /* what cancels in it */
    for (size_t i = 0; i < count; i++) {
        double cancels = 1e11 * fabs(k->spare[i] - k->claim[i]), size = fmax(fabs(k->claim[i]), cancels);
        double largest = fmax(fmax(fabs(still[i]), cancels), fmax(fabs(dot[i]), fabs(of_udot[i])));
        note(b, "vjp_dot", 1, i, -1, exactly(b, dot[i] - still[i], of_udot[i], largest));
        note(b, "vjp_dot", 1, i, -1, exactly(b, k->out[i], k->claim[i], size));
    }
    return 0;
}

/* The user's jac, column by column. */
static int columns(desk *k)
{
    const subject *b = &k->b;
    costate_solver *s = b->c->s;
    const costate_problem *q = &s->prob;
    double *values = cst__alloc(&s->alloc, pattern_values(&q->pattern, q->n), sizeof *values);
    if (!values) return cst__fail(s, COSTATE_ERR_MEMORY, "the check");
    int rc = q->jac(b->z[subject_count(b)], b->z, b->z + b->ny, values, q->data);
    for (size_t n = 0; n < samples(b) && !rc; n++) {
        int j = sample(b, n);
        double largest = 0;
        if ((size_t)j >= b->ny) continue;
        aim(k, j, 0);
        rc = cst__subject_jvp(b, b->z, 1, k->dir, k->out);
        memset(k->claim, 0, b->rows * sizeof *k->claim);
        pattern_column c = pattern_entries(&q->pattern, q->n, j);
        for (int e = 0; e < c.count; e++) k->claim[pattern_row(&c, e)] = values[c.at + (size_t)e] * b->scale[j];
        for (size_t row = 0; row < b->rows; row++) largest = fmax(largest, fabs(k->out[row]));
        for (size_t row = 0; row < b->rows && !rc; row++)
            note(b, "jac", 0, row, j,
                 exactly(b, k->claim[row], k->out[row], fmax(fmax(fabs(k->claim[row]), fabs(k->out[row])), 1e-5 * largest)));
    }
    cst__release(&s->alloc, values);
    return rc;
}

/* ---- a place -------------------------------------------------------------------------------------------------------- */

/* Seeds by which every row counts alike. */
static void seed(desk *k)
{
    const subject *b = &k->b;
    k->l.rows = b->rows;
    aim(k, -1, 0);
    if (cst__subject_value(b, b->z, k->out)) memset(k->out, 0, b->rows * sizeof *k->out);
    k->which = JVP;
    if (moved(k, 0x1p-50, k->claim)) memcpy(k->claim, k->out, b->rows * sizeof *k->claim);
    for (size_t row = 0; row < b->rows; row++) {
        double terms = 0x1p48 * fabs(k->claim[row] - k->out[row]); /* where they cancel */
        double size = fmax(fabs(k->out[row]), terms);
        k->u[row] = sign(3 * row) * cst__irregular(3 * row + 1) / (size > 1e-100 ? size : 1);
        k->udot[row] = cst__irregular(3 * row + 2) / (size > 1e-100 ? size : 1);
    }
    aim(k, -1, 77);
    memcpy(k->d1, k->dir, subject_rows(b) * sizeof *k->d1);
}

static int examine(desk *k)
{
    const subject *b = &k->b;
    unsigned given = cst__subject_given(b);
    const costate_problem *q = &b->c->s->prob;
    seed(k);
    if ((given & (JVP | VJP)) || (!b->fn && q->jac)) TRY(differences(k, JVP));
    if (given & VJP) TRY(b->fn || (given & JVP) ? transposed(k) : differences(k, VJP));
    if (!b->fn && q->jac && (given & JVP)) TRY(columns(k));
    if (given & VJP_DOT) TRY(differences(k, VJP_DOT));
    if (given & VJP_DOT) TRY(twofold(k));
    if (given & JVP2) TRY(differences(k, JVP2));
    if (given & VJP_DOT2) TRY(differences(k, VJP_DOT2));
    return 0;
}

static int open(desk *k, check *c, const char *name, const deriv_function *fn, const costate_function *own)
{
    size_t rows = fn ? (size_t)fn->rows : c->n, ny = own == &c->s->prob.init ? 0 : c->n, all = ny + c->np + 1;
    size_t longest = rows > all ? rows : all;
    *k = (desk){.b = {.c = c, .name = name, .fn = fn, .own = own, .rows = rows, .ny = ny, .np = c->np}};
    size_t doubles = 5 * all + 2 * rows + 3 * longest + cst__ladder_doubles(longest);
    double *at = k->memory = cst__alloc(&c->s->alloc, doubles, sizeof *at);
    if (!at) return cst__fail(c->s, COSTATE_ERR_MEMORY, "the check");
    k->b.z = at, k->b.scale = at += all, k->z = at += all, k->dir = at += all, k->d1 = at += all, k->u = at += all;
    k->udot = at += rows, k->out = at += rows, k->claim = at += longest, k->spare = at += longest, k->l.base = at + longest;
    return 0;
}

/* The subject goes to row `row` of the states along the run. */
static void put(desk *k, int row, double t, int observation)
{
    subject *b = &k->b;
    const check *c = b->c;
    const double *y = c->rows + (size_t)row * c->n;
    size_t count = subject_count(b);
    b->k = observation;
    for (size_t i = 0; i < b->ny; i++) {
        b->z[i] = y[i];
        b->scale[i] = y[i] != 0 ? fabs(y[i]) : c->scale[i];
    }
    memcpy(b->z + b->ny, c->x + c->n, c->np * sizeof *b->z);
    memcpy(b->scale + b->ny, c->scale + c->n, c->np * sizeof *b->scale);
    b->z[count] = t;
    b->scale[count] = exp2(floor(log2(fabs(c->t1 - c->t0) / 100)));
    /* f_t, which Rosenbrock methods ask for, and a start with states of index 2, where t resolves the smallest step */
    const int ros = c->s->fam->id == COSTATE_ROS && (!b->fn || !strcmp(b->name, "running"));
    b->timed = (ros || (!b->fn && cst__index2(c->s))) && !c->s->prob.autonomous &&
               sizes[CHECK_LEVELS - 1] * b->scale[count] >= DBL_EPSILON * (fabs(t) + b->scale[count]);
}

/* A time near that of a row which is none of the run's: there may be kinks at those. */
static double between(const check *c, int row)
{
    return c->times[row] - 0.381966 * (c->times[row] - c->times[row - 1]);
}

static int function(check *c, const char *name, const deriv_function *fn, const costate_function *own)
{
    static const int places[PLACES] = {CHECK_ROWS / 2, CHECK_ROWS / 5, CHECK_ROWS - 3};
    const costate_solver *s = c->s;
    int last = CHECK_ROWS - 1, observe = own && own == &s->prob.observe, count = s->prob.observations, rc = 0;
    int ends = own && (own == &s->prob.terminal || own == &s->prob.init), at = observe && count < PLACES ? count : PLACES;
    desk k;
    if (fn && !fn->fn.eval) return 0;
    TRY(open(&k, c, name, fn, own));
    for (int i = 0; i < (ends ? 1 : at) && !rc; i++) {
        int which = observe ? i * (count - 1) / (at > 1 ? at - 1 : 1) : 0;
        if (ends) put(&k, last, own == &s->prob.init ? c->t0 : c->t1, 0);
        else put(&k, places[i], observe ? s->prob.observe_at[which] : between(c, places[i]), which);
        rc = examine(&k);
        if (!rc && i == 0) rc = cst__subject_lanes(&k.b);
    }
    const double t = k.b.z[subject_count(&k.b)];
    cst__release(&c->s->alloc, k.memory);
    return rc < 0 && c->s->status == rc ? rc : rc ? cst__callback_failed(c->s, rc, name, t, 0, 0) : 0;
}

int cst__check_products(check *c)
{
    const costate_problem *q = &c->s->prob;
    const deriv *d = &c->s->d;
    TRY(function(c, "rhs", NULL, NULL));
    TRY(function(c, "init", &d->init, &q->init));
    TRY(function(c, "terminal", &d->terminal, &q->terminal));
    TRY(function(c, "running", &d->running, &q->running));
    return function(c, "observe", &d->observe, &q->observe);
}
