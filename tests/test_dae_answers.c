/* test_dae_answers.c - differential-algebraic problems of problems/ against what is known of them: values, gradients, derivatives
 * of final states and Hessians, each number to 1e-6 of itself, by radau2a and bdf, and by other families where slopes are not one
 * to an equation. The answers are closed forms, Taylor series in thirty digits, or from computations of another kind, in which
 * algebraic states and multipliers are eliminated; all have nine digits at least. */
#include "dae.h"

/* Of objective `row`, or of final state `row`; by parameter or initial value `column`. */
typedef struct answer {
    enum { PSI, BY_P, BY_Y0, STATE, STATE_BY_P } of;
    int row, column;
    double value;
} answer;

static const answer heat_answers[] = {{PSI, 0, 0, 0.86379247459255},      {PSI, 1, 0, 35.372756360251},
                                      {BY_P, 0, 0, -2.7267582833164},     {BY_P, 0, 1, -2.7267582833164},
                                      {BY_P, 1, 0, -15.2178180627083},    {BY_P, 1, 1, -15.2178180627083},
                                      {BY_P, 0, 862, 0.0038538381624975}, {BY_P, 0, 45, 2.26158547489919e-05},
                                      {BY_P, 1, 862, 0.0700736210532483}, {BY_P, 1, 45, 0.00127756205085361}};
static const answer rotation_answers[] = {
    {PSI, 0, 0, 1.0007960096425679}, {BY_Y0, 0, 0, -0.9992033562211013}, {BY_Y0, 0, 1, 1.0007960096425679}};
static const answer state_mass_answers[] = {{PSI, 0, 0, 1.7357588823428847}, {BY_Y0, 0, 0, 0.7357588823428847}};
static const answer extinct_5[] = {{PSI, 0, 0, 270726.8430330594}, {BY_P, 0, 0, 6467.01571535235}, {BY_P, 0, 1, 3287.7328666778}};
static const answer extinct_005[] = {{PSI, 0, 0, 154573.83360601033},
                                     {BY_P, 0, 0, 3968.782573515524},
                                     {BY_P, 0, 1, 1886.51145500539},
                                     {BY_Y0, 0, 420, 30.331089013510166}};
static const answer coexisting_5[] = {{PSI, 0, 0, 26798835812808.3}, {BY_P, 0, 0, 640156337899.0}, {BY_P, 0, 1, 325450522567.0},
                                      {PSI, 1, 0, 268040.0793023},   {BY_P, 1, 0, 6402.83426866},  {BY_P, 1, 1, 3255.1051542}};
static const answer coexisting_005[] = {{PSI, 0, 0, 15360075652994.82},    {BY_P, 0, 0, 393702224065.94275},
                                        {BY_P, 0, 1, 187189657363.01862},  {PSI, 1, 0, 153640.33579507633},
                                        {BY_P, 1, 0, 3938.03357167918},    {BY_P, 1, 1, 1872.3645196967275},
                                        {BY_Y0, 0, 420, 3008155199.879315}};
static const answer fekete_1[] = {{PSI, 0, 0, 53.65810327917},    {BY_P, 0, 0, -3.736699217418}, {BY_P, 0, 1, -0.0338401585297},
                                  {BY_P, 0, 2, -1.692889314941},  {BY_P, 0, 3, 0.2164625971119}, {BY_P, 0, 4, 9.894342151807},
                                  {BY_P, 0, 5, -0.1868763602249}, {BY_P, 0, 6, -3.513514620311}, {BY_P, 0, 7, 0.004253921642641}};
static const answer fekete_5[] = {
    {PSI, 0, 0, 53.978121485817},    {BY_P, 0, 0, -0.3223441142015}, {BY_P, 0, 1, 0.1046985702777},
    {BY_P, 0, 2, -0.02287075249648}, {BY_P, 0, 3, -0.317205947873},  {BY_P, 0, 4, 0.8587097095136},
    {BY_P, 0, 5, 0.155687613248},    {BY_P, 0, 6, -0.2620800722392}, {BY_P, 0, 7, 0.05681976434733}};
static const answer robertson_40[] = {{STATE, 0, 0, 0.7158270687194059},          {STATE, 1, 0, 9.185534764557796e-06},
                                      {STATE, 2, 0, 0.28416374574582953},         {PSI, 0, 0, 7.9885858622948795},
                                      {BY_P, 0, 0, 129.77648286160124},           {BY_P, 0, 1, -0.00036263833732285984},
                                      {BY_P, 0, 2, 6.044293421009471e-08},        {STATE_BY_P, 0, 0, -4.247558771705725},
                                      {STATE_BY_P, 0, 1, 1.3730807973446253e-05}, {STATE_BY_P, 0, 2, -2.288355088905671e-09},
                                      {STATE_BY_P, 1, 0, 4.5911962492539155e-05}, {STATE_BY_P, 1, 1, -2.357192113846329e-10},
                                      {STATE_BY_P, 1, 2, -1.138059509350134e-13}};
static const answer robertson_4e5[] = {{STATE, 0, 0, 0.0049382745209947095},
                                       {STATE, 1, 0, 1.9849940879603918e-08},
                                       {STATE, 2, 0, 0.9950617056290644},
                                       {PSI, 0, 0, 391993.4806272862},
                                       {BY_P, 0, 0, 300449.2137011804},
                                       {BY_P, 0, 1, -1.1973589238574631},
                                       {BY_P, 0, 2, 0.0001995607438286658},
                                       {STATE_BY_P, 0, 0, -0.23633373290342297},
                                       {STATE_BY_P, 0, 1, 9.450271940508527e-07},
                                       {STATE_BY_P, 0, 2, -1.575048453534336e-10},
                                       {STATE_BY_P, 1, 0, -4.5840785606514625e-07},
                                       {STATE_BY_P, 1, 1, 1.8325071528997913e-12},
                                       {STATE_BY_P, 1, 2, -6.362514778417475e-16}};
static const answer transistor_answers[] = {
    {STATE, 0, 0, -0.005562145012}, {STATE, 1, 0, 3.006522472},       {STATE, 2, 0, 2.849958789},
    {STATE, 3, 0, 2.926422536},     {STATE, 4, 0, 2.704617865},       {STATE, 5, 0, 2.761837778},
    {STATE, 6, 0, 4.770927632},     {STATE, 7, 0, 1.236995868},       {PSI, 0, 0, 1.236995868},
    {PSI, 1, 0, 0.62829924722},     {BY_P, 0, 0, 0.19764247534},      {BY_P, 0, 1, -2.3163375007},
    {BY_P, 0, 2, 2.0743049717},     {BY_P, 0, 3, 14933.647261},       {BY_P, 0, 4, -1.4372487316e-05},
    {BY_P, 0, 9, 6.8923554954e-05}, {BY_P, 0, 14, 15940.100488},      {BY_P, 0, 15, 46996.501078},
    {BY_P, 0, 16, -12427.370799},   {BY_P, 0, 17, 18876.909291},      {BY_P, 0, 18, -68890.099022},
    {BY_P, 1, 0, 0.1274011397762},  {BY_P, 1, 1, -5.22674499},        {BY_P, 1, 2, 5.57093117},
    {BY_P, 1, 3, 9693.40792},       {BY_P, 1, 4, -0.000101906305511}, {BY_P, 1, 9, 6.2208774569e-05},
    {BY_P, 1, 14, 55669.78923},     {BY_P, 1, 15, 291403.564},        {BY_P, 1, 16, -16620.56767},
    {BY_P, 1, 17, 134034.5567},     {BY_P, 1, 18, 16791.55386}};
static const answer pendulum_answers[] = {
    {PSI, 0, 0, 0.796082285799072},    {BY_P, 0, 0, 0.06960603373673281}, {BY_P, 0, 1, 0.1132470948417231},
    {BY_P, 0, 2, 0.3807973989829947},  {PSI, 1, 0, 7.209963243029049},    {BY_P, 1, 0, -1.9597027901415},
    {BY_P, 1, 1, 19.22468437128811},   {BY_P, 1, 2, 1.767823763512134},   {PSI, 2, 0, 0.7433504344481218},
    {BY_P, 2, 0, 0.02671475928022574}, {BY_P, 2, 1, 1.224629080357229},   {BY_P, 2, 2, 1.066682211825255}};
static const double pendulum_hessians[] = {
    -0.063189817693, 0.61989211157, 0.12505340006, 0.61989211157,   -6.0811416145,   -0.84597645565,  0.12505340006,
    -0.84597645565,  -1.1451197582, 1.2536031283,  -10.338143898,   -8.1803197086,   -10.338143898,   82.192507272,
    80.248936341,    -8.1803197086, 80.248936341,  35.678478757,    0.0072122448486, -0.044037362685, 0.0074363936498,
    -0.044037362685, 1.6566356083,  2.0604134019,  0.0074363936498, 2.0604134019,    -0.30522575672};
static const answer linear_1_answers[] = {{PSI, 0, 0, 2.1416320946617993},
                                          {BY_Y0, 0, 0, 0.5942835481772122},
                                          {BY_P, 0, 0, -1.194086231658019},
                                          {BY_P, 0, 1, 3.802220103615881},
                                          {BY_P, 0, 2, 4.611225801432983}};
static const double linear_1_hessian[] = {0.153490622482008, -0.77150369100295, 2.5157180059883,   0.550991157119005,
                                          -0.77150369100295, 1.74497676726737,  -4.15816659391759, -2.02083596539136,
                                          2.5157180059883,   -4.15816659391759, 8.38957710770084,  6.36090275155433,
                                          0.550991157119005, -2.02083596539136, 6.36090275155433,  5.07529330539247};
static const answer linear_2_answers[] = {{PSI, 0, 0, 0.9966258310822627},
                                          {BY_P, 0, 3, -4.160328752953457},
                                          {BY_P, 0, 0, 2.374643793750548},
                                          {BY_P, 0, 1, 0.2408960646934163},
                                          {BY_P, 0, 2, -0.1763858454530717}};
static const double linear_2_hessian[] = {9.71783475429204,  -5.42089365796675, -1.23796241379607,  5.33299603566703,
                                          -5.42089365796675, 2.7964130496079,   0.810902071074562,  -2.07899823914061,
                                          -1.23796241379607, 0.810902071074562, 0.107969827444301,  -0.321038343953629,
                                          5.33299603566703,  -2.07899823914061, -0.321038343953629, 0.0745905155785031};
/* y1^3 + 2 y1, y1 = y1(0) e^-p. */
static const answer coupled_answers[] = {
    {PSI, 0, 0, 0.7026253347973991}, {BY_P, 0, 0, -0.7763916695998792}, {BY_Y0, 0, 0, 0.7763916695998792}};

enum { NO_INIT = 1, BOTH_FORMS = 2 }; /* initial values are given instead of computed; RESIDUAL is the same problem */
enum { VARIABLES = 4 };

static const char *const methods[] = {"radau2a", "bdf", "sdirk4a", "rodas4"};

static const struct known {
    const char *name, *define;
    double t1;
    int flags;
    double rtol[COUNT(methods)], atol; /* 0: not by this one; over rtol */
    const answer *answers;
    size_t count;
    const double *hessians; /* of every objective by these variables: parameters; -1: the first initial value */
    int variables, variable[VARIABLES];
    const char *start; /* what was made consistent */
} known[] = {
#define ANSWERS(table) .answers = table, .count = COUNT(table)
    {"heat_dae", NULL, 0.16, BOTH_FORMS, {1e-7, 1e-9}, 1, ANSWERS(heat_answers)},
    {"rotation", NULL, 1.57, 0, {1e-9, 1e-9, 1e-8, 1e-8}, 1, ANSWERS(rotation_answers)},
    {"state_mass", NULL, 1, 0, {1e-9, 1e-9, 1e-8, 1e-8}, 1, ANSWERS(state_mass_answers)},
    {"coupled_slopes", NULL, 1, 0, {1e-9, 1e-9, 1e-8, 1e-8}, 1, ANSWERS(coupled_answers)},
    {"food_web", "START=100", 0.05, NO_INIT, {1e-7, 1e-9}, 1, ANSWERS(extinct_005), .start = "y[1] from 100 to"},
    {"food_web", "START=100", 5, 0, {0, 1e-9}, 1, ANSWERS(extinct_5)},
    {"food_web", "START=1e5", 0.05, NO_INIT, {1e-7, 1e-9}, 1, ANSWERS(coexisting_005), .start = "from 100000 to 109887"},
    {"food_web", "START=1e5", 5, 0, {0, 1e-9}, 1, ANSWERS(coexisting_5)},
    {"fekete", NULL, 1, 0, {1e-8, 1e-9}, 1, ANSWERS(fekete_1)},
    {"fekete", NULL, 5, 0, {1e-8, 1e-10}, 1, ANSWERS(fekete_5)},
    {"robertson_dae", NULL, 40, BOTH_FORMS, {1e-10, 1e-9}, 1e-5, ANSWERS(robertson_40)},
    {"robertson_dae", NULL, 4e5, BOTH_FORMS, {1e-10, 1e-9}, 1e-5, ANSWERS(robertson_4e5)},
    {"transistor", NULL, 0.2, 0, {1e-9, 1e-9, 1e-8, 1e-8}, 1, ANSWERS(transistor_answers)},
    {"pendulum", NULL, 2, BOTH_FORMS, {1e-10, 1e-10}, 1, ANSWERS(pendulum_answers), pendulum_hessians, 3, {0, 1, 2}},
    {"linear_index1", NULL, 2, BOTH_FORMS, {1e-10, 1e-10}, 1, ANSWERS(linear_1_answers), linear_1_hessian, 4, {-1, 0, 1, 2}},
    {"linear_index2", NULL, 1, BOTH_FORMS, {1e-10, 1e-10}, 1, ANSWERS(linear_2_answers), linear_2_hessian, 4, {3, 0, 1, 2}},
};

static void check(const char *who, const char *what, double got, double expected, double size)
{
    if (!(fabs(got - expected) <= 1e-6 * size)) fail_msg("%s: %s is %.12g, known %.12g", who, what, got, expected);
}

/* Entries of a Hessian in units of its largest: some are what is left of others. */
static void check_hessians(costate_solver *s, const costate_problem *q, const struct known *k, const char *who)
{
    const int count = k->variables;
    int variable[VARIABLES];
    for (int i = 0; i < count; i++) variable[i] = k->variable[i] < 0 ? -1 - k->variable[i] : q->n + k->variable[i];
    for (int o = 0; count && o < q->objectives; o++) {
        const double *expected = k->hessians + o * count * count;
        double h[VARIABLES * VARIABLES], weights[VARIABLES] = {0}, size = 0;
        weights[o] = 1;
        assert_ok(s, costate_hessian_full(s, weights, count, variable, h));
        for (int i = 0; i < count * count; i++) size = fmax(size, fabs(expected[i]));
        for (int i = 0; i < count * count; i++) check(who, "an entry of the Hessian", h[i], expected[i], size);
    }
}

static void check_answers(const struct known *k, const char *form, size_t m)
{
    enum { W = 2 };
    static const char *const names[] = {"psi", "d psi by p", "d psi by y0", "y", "dy by p"};
    subject q = subject_open(k->name, form);
    costate_problem model = *q.prob;
    costate_options o = options_of(methods[m], k->rtol[m], k->rtol[m] * k->atol);
    if (k->flags & NO_INIT) model.init = (costate_function){0};
    costate_solver *s = make_solver(&model, &o);
    const size_t n = (size_t)model.n, np = (size_t)model.np, objectives = (size_t)model.objectives;
    double *y = calloc(n + objectives + (n + np) * (objectives + W), sizeof *y), *psi = y + n, *dy0 = psi + objectives;
    double *dp = dy0 + n * objectives, *lambda = dp + np * objectives, *mu = lambda + n * W;
    char who[80], what[40];
    snprintf(who, sizeof who, "%s %s to %g by %s", k->name, form ? form : "", k->t1, methods[m]);
    memcpy(y, q.about.y0, n * sizeof *y);
    assert_ok(s, costate_solve(s, q.about.t0, k->t1, q.about.p, y));
    if (k->start) assert_non_null(strstr(stats_of(s).start, k->start));
    assert_ok(s, costate_objectives(s, psi));
    assert_ok(s, costate_gradient(s, (int)objectives, NULL, dy0, dp));
    for (size_t l = 0; l < W; l++) lambda[l * W + l] = 1;
    assert_ok(s, costate_adjoint(s, W, lambda, mu));
    for (size_t i = 0; i < k->count; i++) {
        const answer *a = k->answers + i;
        const size_t row = (size_t)a->row, column = (size_t)a->column;
        const double *found[] = {psi + row, dp + column * objectives + row, dy0 + column * objectives + row, y + row,
                                 mu + column * W + row};
        snprintf(what, sizeof what, "%s, row %d, column %d,", names[a->of], a->row, a->column);
        check(who, what, *found[a->of], a->value, fabs(a->value));
    }
    check_hessians(s, &model, k, who);
    free(y);
    costate_free(s);
    costate_model_close(q.model);
}

static void test_answers(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < COUNT(known); k++)
        for (size_t m = 0; m < COUNT(methods); m++) {
            if (known[k].rtol[m] == 0) continue;
            check_answers(&known[k], known[k].define, m);
            if (known[k].flags & BOTH_FORMS) check_answers(&known[k], "RESIDUAL=1", m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
