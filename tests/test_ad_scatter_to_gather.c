/* test_ad_scatter_to_gather.c - stencils that take what reverse mode has them give: which ones, and that derivatives stay what
 * they are, at the rim too. */
#include "ad_loops.h"

enum { ROOM = 2048 };

#define INNER "for (int i = 1; i < N - 1; i++) "
#define OUTER "for (int j = 1; j < N - 1; j++) "
#define AT "[j * N + i]"
#define FIVE(y, at) y "[" at " - 1] + " y "[" at " + 1] + " y "[" at " - N] + " y "[" at " + N] - 4 * " y "[" at "]"

/* elements: of yb that the longest loop of the reverse on lanes adds to; rows: 1: on one lane, loops write into rows first. */
static const struct {
    const char *name, *text;
    int n, elements, rows;
} cases[] = {
    {"three points", INNER "f[i] = p[0] * (y[i - 1] - 2 * y[i] + y[i + 1]);", 20, 1, 0},
    {"three points, one more than too few", INNER "f[i] = y[i - 1] - 2 * y[i] + y[i + 1];", 10, 1, 0},
    {"three points, too few", INNER "f[i] = y[i - 1] - 2 * y[i] + y[i + 1];", 9, 3, 0},
    {"sums over few points", INNER "f[i] = p[0] * (y[i - 1] - 2 * y[i] + y[i + 1]);", 14, 1, 1},
    {"to one side", INNER "f[i] = p[0] * (y[i] - y[i - 1]);", 20, 1, 0},
    {"without a middle", INNER "f[i] = p[0] * (y[i + 1] - y[i - 1]);", 20, 1, 0},
    {"two middles", INNER "f[i] = y[i - 1] + y[i + 1] + y[N + i - 1] + y[N + i + 1];", 20, 2, 0},
    {"wide", "for (int i = 3; i < N - 3; i++) f[i] = y[i - 3] + y[i - 2] - 2 * y[i] + y[i + 1] + 5 * y[i + 3];", 30, 1, 0},
    {"too wide", "for (int i = 4; i < N - 4; i++) f[i] = y[i - 4] + y[i] + y[i + 4];", 30, 3, 1},
    {"downwards", "for (int i = N - 2; i > 0; i--) f[i] = y[i - 1] - 2 * y[i] + y[i + 1];", 20, 1, 0},
    {"size_t", "for (size_t i = 1; i < N - 1; i++) f[i] = y[i - 1] - 2 * y[i] + y[i + 1];", 20, 1, 0},
    {"every other", "for (int i = 1; i < N - 1; i += 2) f[i] = y[i - 1] - 2 * y[i] + y[i + 1];", 40, 3, 0},
    {"bound not known", "int n = t > 0 ? N - 1 : 2; for (int i = 1; i < n; i++) f[i] = y[i - 1] - y[i] + y[i + 1];", 20, 3, 1},
    {"times the state", INNER "f[i] = y[i] * (y[i + 1] - y[i - 1]);", 20, 1, 0},
    {"too dear", INNER "f[i] = exp(y[i - 1] * y[i + 1]) * y[i];", 20, 3, 1},
    {"carried", "double s = 0; " INNER "{ s = 0.5 * s + y[i - 1] + y[i + 1]; f[i] = s; }", 20, 2, 0},
    {"with a branch", INNER "{ if (y[i] > 0) f[i] = y[i - 1] + y[i + 1]; else f[i] = y[i]; }", 20, 3, 0},
    {"by the table", "static const int next[4] = {1, 3, 0, 2}; " INNER "f[i] = y[i - 1] + y[i + 1] + y[next[i % 4]];", 20, 2, 0},
    {"five points", OUTER INNER "f" AT " = p[0] * (" FIVE("y", "j * N + i") ");", 20, 1, 0},
    {"five points, the fewest", OUTER INNER "f" AT " = " FIVE("y", "j * N + i") ";", 13, 1, 0},
    {"five points, one row too few", OUTER INNER "f" AT " = " FIVE("y", "j * N + i") ";", 12, 3, 0},
    {"five points, too few", OUTER INNER "f" AT " = " FIVE("y", "j * N + i") ";", 9, 5, 0},
    {"nine points", OUTER INNER "{ int c = j * N + i; f[c] = p[0] * (" FIVE("y", "c") ") + p[1] * (y[c - N - 1] + y[c - N + 1]"
     " + y[c + N - 1] + y[c + N + 1]); }", 20, 1, 0},
    {"rows alone", OUTER INNER "f" AT " = 0.5 * (y[(j - 1) * N + i] - y[(j + 1) * N + i]) + y" AT " * y" AT ";", 20, 1, 0},
    {"two fields", OUTER INNER "{ int c = j * N + i; double r = y[c] * y[c] * y[N * N + c]; f[c] = p[0] + r"
     " + p[1] * (" FIVE("y", "c") "); f[N * N + c] = p[2] * y[c] - r + p[1] * (" FIVE("y", "N * N + c") "); }", 20, 2, 0},
    {"two fields side by side", OUTER INNER "{ int c = 2 * (j * N + i); f[c] = y[c + 1] * y[c] + p[0] * (y[c - 2]"
     " + y[c + 2]) + y[c - 2 * N]; f[c + 1] = y[c] * y[c] - p[0] * (y[c - 1] - y[c + 3]) + y[c + 1 + 2 * N]; }", 20, 2, 0},
    {"wrapped", "for (int j = 0; j < N; j++) { int s = (j + N - 1) % N; " FOR "f" AT " = 0.5 * (y[j * N + (i + 1) % N]"
     " + y[s * N + i] - y" AT "); }", 20, 3, 0},
    {"other work in the outer loop", OUTER "{ double s = 0; for (int i = 0; i < 5; i++) s += y[j * N + i]; f[j * N] = s * s; "
     INNER "f" AT " = p[0] * (" FIVE("y", "j * N + i") "); }", 20, 1, 0},
    {"factor of the outer loop", OUTER "{ double s = y[j * N]; " INNER "f" AT " = s * (" FIVE("y", "j * N + i") "); }", 20, 3, 0},
    {"three directions", "for (int k = 1; k < 4; k++) " OUTER INNER "{ int c = (k * N + j) * N + i; f[c] = 0.5 * (" FIVE("y", "c")
     " + y[c - N * N] + y[c + N * N]); }", 14, 3, 0},
};

/* The elements that the loop adds to, each once. */
static int elements(const ad_node *body, const ad_node **seen)
{
    int count = 0;
    for (int i = 0; i < body->kids; i++) {
        const ad_node *s = body->kid[i];
        if (s->op == AD_IF) {
            for (int k = 1; k < 3; k++) count += s->kid[k] ? elements(s->kid[k], seen + count) : 0;
            continue;
        }
        if (s->op != AD_INC || s->target->op != AD_ELEM || s->target->sym->role != AD_SUM) continue;
        int known = 0;
        for (int k = 0; k < count; k++) known |= ad_same(seen[k], s->target);
        if (!known) seen[count++] = s->target;
    }
    return count;
}

/* The loop without others inside that runs most often; times: iterations of those around it. */
static const ad_node *longest(const ad_node *n, int64_t times, int64_t *most)
{
    const ad_node *found = NULL;
    if (!n || (n->op != AD_BLOCK && n->op != AD_IF && n->op != AD_FOR)) return NULL;
    const int64_t trips = n->op == AD_FOR ? ad_trips(n) : 1, here = times * (trips < 0 ? 100 : trips);
    for (int i = 0; i < n->kids; i++) {
        const ad_node *inner = longest(n->kid[i], here, most);
        if (inner) found = inner;
    }
    if (n->op != AD_FOR || count_loops(n) > 1 || here <= *most) return found;
    *most = here;
    return n;
}

/* Runs the function with numbers that depend on the parameters' places; values: what they are afterwards. */
static const char *run_filled(ad_arena *m, const ad_fn *fn, double (*values)[ROOM])
{
    cell of[AD_PARAMS];
    int status;
    for (int i = 0; i < fn->params; i++) {
        for (int k = 0; k < ROOM; k++) values[i][k] = sin(3.0 * k + i) + 0.1 * i;
        of[i] = (cell){fn->param[i]->array ? ROOM : 1, values[i], NULL};
    }
    return interpret_with(m, fn, of, &status);
}

/* 1: both add the same to everything, but for rounding. */
static int agree(ad_arena *m, const ad_fn *a, const ad_fn *b)
{
    static double x[AD_PARAMS][ROOM], y[AD_PARAMS][ROOM];
    const char *fault = run_filled(m, a, x);
    if (!*fault) fault = run_filled(m, b, y);
    if (*fault) print_error("%s\n", fault);
    for (int i = 0; !*fault && i < a->params; i++)
        for (int k = 0; k < ROOM; k++)
            if (!(fabs(x[i][k] - y[i][k]) <= 1e-12 * (1 + fabs(x[i][k])))) return 0;
    return !*fault;
}

typedef struct products {
    ad_fn *plain, *one, *lanes;
} products;

/* What the plan makes of a function: as derived, and shaped for one lane, from loops that were cut into pieces, and for
 * several. */
static products variants(ad_arena *m, const ad_fn *fn, ad_plan plan)
{
    products v;
    plan.checked = 1; /* no pointers to rows, which are not interpreted */
    v.one = ad_derive(m, fn, &plan);
    assert_non_null(v.one);
    ad_shape(m, v.one, &plan);
    plan.lanes = 1;
    v.plain = ad_derive(m, fn, &plan);
    assert_non_null(v.plain);
    v.lanes = ad_fn_copy(m, v.plain, NULL);
    ad_shape(m, v.lanes, &plan);
    return v;
}

/* The reverse; and the tangent of it, which has to agree as well. */
static int good_products(ad_arena *m, const ad_fn *fn, products *reverse)
{
    *reverse = variants(m, fn, (ad_plan){.by = AD_BY_Y | AD_BY_P});
    const products dot = variants(m, fn, (ad_plan){.by = AD_BY_Y | AD_BY_P, .levels = 1, .move = {"yp"}});
    return agree(m, reverse->plain, reverse->one) && agree(m, reverse->plain, reverse->lanes) && agree(m, dot.plain, dot.one) &&
           agree(m, dot.plain, dot.lanes);
}

static int good(ad_arena *m, int i)
{
    const ad_node *seen[64];
    int64_t most = 0;
    products v;
    const int fine = good_products(m, function(m, cases[i].n, cases[i].text), &v);
    const ad_node *loop = longest(v.lanes->body, 1, &most);
    assert_non_null(loop);
    const int count = elements(loop->body, seen), rows = strstr(ad_print_fn(m, v.one), "row") != NULL;
    if (fine && count == cases[i].elements && rows == cases[i].rows) return 1;
    print_error("%s: %s; %d elements, %d rows\n%s%s", cases[i].name, fine ? "as it should be" : "other values", count, rows,
                ad_print_fn(m, v.lanes), ad_print_fn(m, v.one));
    return 0;
}

static void stencils(void **state)
{
    (void)state;
    check_cases((int)(sizeof cases / sizeof *cases), good);
}

/* ---- stencils at random ------------------------------------------------------------------------------------------------ */

static int pick(uint64_t *seed, int n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((*seed >> 33) % (uint64_t)n);
}

/* Neighbours at most three away, in one direction or two, with factors of all kinds. */
static const char *random_text(ad_arena *m, uint64_t *seed)
{
    enum { FACTORS = 7 };
    static const char *const factor[FACTORS] = {"", "p[0] * ", "-2.5 * ", "p[1] * p[2] * ", "y[c] * ", "y[c + 1] * ", "t * 9 * "};
    const int width = 13 + pick(seed, 20), height = 7 + pick(seed, 14), fields = 1 + pick(seed, 2);
    const int reach = pick(seed, 3) ? 1 : 3, side = 2 * reach + 1, before = 4 + pick(seed, 2), after = 4 + pick(seed, 2);
    const char *sum[2] = {"0", "0"};
    for (int k = 0; k < fields; k++)
        for (int terms = 1 + pick(seed, 6); terms > 0; terms--) {
            const int of = pick(seed, 4) ? k : pick(seed, fields), rows = pick(seed, 3) ? pick(seed, side) - reach : 0;
            const int along = pick(seed, side) - reach, kind = pick(seed, FACTORS);
            sum[k] = ad_text(m, "%s + %sy[%d * SIZE + c + %d * W + %d]", sum[k], factor[kind], of, rows, along);
        }
    const char *rows = pick(seed, 3) ? ad_text(m, "for (int j = %d; j < H - %d; j++)", before, after)
                                     : ad_text(m, "for (int j = H - %d; j >= %d; j--)", after + 1, before);
    const char *second = fields > 1 ? ad_text(m, "f[SIZE + c] = %s; ", sum[1]) : "";
    const char *other = pick(seed, 4) ? "" : "f[j * W] = p[3] * y[j * W]; ";
    return ad_text(m, "enum { W = %d, H = %d, SIZE = W * H };\n%s { %sfor (int i = %d; i < W - %d; i++)\n"
                   "{ int c = j * W + i; f[c] = %s; %s} }", width, height + 8, rows, other, before - 1, after - 1, sum[0],
                   second);
}

/* 1: derivatives are what they should be; *changed: how many had their loops cut. */
static int good_at_random(uint64_t seed, int *changed)
{
    jmp_buf full;
    if (setjmp(full)) fail_msg("out of memory");
    ad_arena *m = open_arena(&full);
    uint64_t chance = seed;
    products v;
    const char *text = random_text(m, &chance);
    const int fine = good_products(m, function(m, 1, text), &v);
    if (!fine) print_error("%llu: %s\n%s", (unsigned long long)seed, text, ad_print_fn(m, v.lanes));
    *changed += count_loops(v.lanes->body) > count_loops(v.plain->body);
    ad_arena_close(m);
    return fine;
}

static void random_stencils(void **state)
{
    (void)state;
    enum { PROGRAMS = 200 };
    int wrong = 0, changed = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) wrong += !good_at_random(seed, &changed);
    assert_int_equal(wrong, 0);
    assert_in_range(changed, PROGRAMS / 3, PROGRAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stencils), cmocka_unit_test(random_stencils)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
