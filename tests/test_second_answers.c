/* test_second_answers.c - gradients and Hessian products of the three examples of Ozyurt and Barton, SIAM J. Sci. Comput. 26
 * (2005) 1725, by the discrete and by the continuous adjoint, against what is known of them: Taylor series in forty digits (van
 * der Pol), a closed form in the sine basis (heat), forward responses to thirteen digits (can; T is linear in p). The direction
 * is 1/np in every parameter for van der Pol, the first parameter for heat and can, with 1/np in every parameter (OTHER) in a
 * second lane. Sizes beyond these were compared by hand: heat with M = 80. */
#include "support.h"

#include <costate/diff.h>
#include <stdio.h>

enum { SUM = -1, NORM = -2 };

/* Of the gradient, of the product; by parameter `column`, or their sum or norm. */
typedef struct answer {
    enum { PSI, GRADIENT, PRODUCT, OTHER } of;
    int column;
    double value;
} answer;

static const answer control_1[] = {
    {PSI, 0, 5.438154210900619}, {GRADIENT, 0, -6.119584998054102}, {GRADIENT, SUM, -6.119584998054102},
    {PRODUCT, 0, 296.7546269693408}, {PRODUCT, SUM, 296.7546269693408}};
static const answer control_10[] = {
    {PSI, 0, 5.438154210900619}, {GRADIENT, 0, -1.7633313249886626}, {GRADIENT, 1, -4.5952895678771695},
    {GRADIENT, 2, -4.625447830537707}, {GRADIENT, 3, -2.924061265483209}, {GRADIENT, 4, -0.566859275743169},
    {GRADIENT, 5, 1.3594287902800997}, {GRADIENT, 6, 2.341654362097319}, {GRADIENT, 7, 2.376771820085934},
    {GRADIENT, 8, 1.7252448734886658}, {GRADIENT, 9, 0.552304420623796}, {GRADIENT, SUM, -6.119584998054102},
    {PRODUCT, 0, 2.6296133849316403}, {PRODUCT, 1, 6.958129898455541}, {PRODUCT, 2, 7.79184767215575},
    {PRODUCT, 3, 6.519921586792651}, {PRODUCT, 4, 4.190310392507872}, {PRODUCT, 5, 1.9547319077759857},
    {PRODUCT, 6, 0.38688578558261993}, {PRODUCT, 7, -0.36233898101911993}, {PRODUCT, 8, -0.35394116859911234},
    {PRODUCT, 9, -0.03969778164974775}, {PRODUCT, SUM, 29.67546269693408}};
static const answer control_100[] = {
    {PSI, 0, 5.438154210900619}, {GRADIENT, 0, -0.12529267692194773}, {GRADIENT, 1, -0.2665389106091342},
    {GRADIENT, 2, -0.2895630649317329}, {GRADIENT, 30, -0.3264225500353418}, {GRADIENT, 50, 0.059809809818418734},
    {GRADIENT, 75, 0.2268323267089868}, {GRADIENT, 98, 0.07868052239107838}, {GRADIENT, 99, 0.03667441164242089},
    {GRADIENT, SUM, -6.119584998054102}, {PRODUCT, 0, 0.019119088654042177}, {PRODUCT, 1, 0.04032912089009958},
    {PRODUCT, 2, 0.04338702716104923}, {PRODUCT, 30, 0.06497663896894015}, {PRODUCT, 50, 0.026010599072430023},
    {PRODUCT, 75, -0.003236934404827955}, {PRODUCT, 98, 0.0005036434697210111}, {PRODUCT, 99, 0.00041999163003495496},
    {PRODUCT, SUM, 2.967546269693408}};
static const answer chebyshev_10[] = {
    {PSI, 0, 5.43815421090062}, {GRADIENT, 0, -6.119584998054113}, {GRADIENT, 1, 13.090999555772902},
    {GRADIENT, 2, -1.1714971395441738}, {GRADIENT, 3, -13.817399605461144}, {GRADIENT, 4, 4.628258214072251},
    {GRADIENT, 5, 1.8068321473629567}, {GRADIENT, 6, -1.067919726497151}, {GRADIENT, 7, -0.14693301969791117},
    {GRADIENT, 8, 0.24287139991628454}, {GRADIENT, 9, -0.2117063339139348}, {PRODUCT, 0, 14.99820676170043},
    {PRODUCT, 1, -7.681221081433324}, {PRODUCT, 2, -5.23170774921447}, {PRODUCT, 3, 8.187920706351331},
    {PRODUCT, 4, -1.7811767086562809}, {PRODUCT, 5, -0.9797078342526226}, {PRODUCT, 6, 0.4855878868748466},
    {PRODUCT, 7, 0.16254182818870883}, {PRODUCT, 8, 0.07372076632459504}, {PRODUCT, 9, 0.4214542535680383}};
static const answer heat_10[] = {
    {PSI, 0, 2.5274194625136883}, {GRADIENT, 0, -1.0847492592417827}, {GRADIENT, 1, -1.0847492592417824},
    {GRADIENT, 2, 0.010813308831419344}, {GRADIENT, 46, 0.06870311708871392}, {GRADIENT, 102, 0.17244540007017217},
    {GRADIENT, 106, 0.37402980043022704}, {GRADIENT, 116, 0.3740298004302269}, {GRADIENT, 126, 0.374029800430227},
    {GRADIENT, 132, 0.1724454000701721}, {GRADIENT, SUM, 13.830501481516443}, {GRADIENT, NORM, 2.5245529227334798},
    {PRODUCT, 0, 0.808360517878665}, {PRODUCT, 1, 0.7997629461750424}, {PRODUCT, 2, -0.004965759815005372},
    {PRODUCT, 46, -0.028909452544690097}, {PRODUCT, 102, 0.10467282948813926}, {PRODUCT, 106, 0.20035800626359104},
    {PRODUCT, 116, 0.20035800626359093}, {PRODUCT, 126, -0.0813353880712826}, {PRODUCT, 132, -0.06777257058203293},
    {PRODUCT, SUM, 1.6081234640537072}, {PRODUCT, NORM, 1.4293348938141726}, {OTHER, 0, 0.011324813127138783},
    {OTHER, 1, 0.011324813127138782}, {OTHER, 2, -6.994027908458271e-05}, {OTHER, 46, -0.00040717538795338173},
    {OTHER, 102, 0.00025986097821201643}, {OTHER, 106, 0.0008381874520585101}, {OTHER, 116, 0.0008381874520585094},
    {OTHER, 126, 0.0008381874520585093}, {OTHER, 132, 0.00025986097821201594}, {OTHER, SUM, 0.022649626254277563},
    {OTHER, NORM, 0.01672378024174111}};
static const answer heat_40[] = {
    {PSI, 0, 35.37275636025123}, {GRADIENT, 0, -15.217818062708284}, {GRADIENT, 1, -15.217818062708288},
    {GRADIENT, 2, 0.0012775620508536096}, {GRADIENT, 781, 0.07007362105324869}, {GRADIENT, 1602, 0.3046911180438923},
    {GRADIENT, 1621, 1.6055582380350901}, {GRADIENT, 1661, 1.6055582380350892}, {GRADIENT, 1701, 1.6055582380350906},
    {GRADIENT, 1722, 0.3046911180438925}, {GRADIENT, SUM, 225.56436387458328}, {GRADIENT, NORM, 27.15170439096899},
    {PRODUCT, 0, 11.384082603206735}, {PRODUCT, 1, 11.258976909607584}, {PRODUCT, 2, -0.0006064648286347557},
    {PRODUCT, 781, -0.029530043066328643}, {PRODUCT, 1602, 0.17180654459879344}, {PRODUCT, 1621, 0.7648441799071829},
    {PRODUCT, 1661, 0.7648441799071817}, {PRODUCT, 1701, -0.30784790764522324}, {PRODUCT, 1722, -0.13288457344509882},
    {PRODUCT, SUM, 22.643059512814304}, {PRODUCT, NORM, 17.219206768327986}, {OTHER, 0, 0.012850771573674407},
    {OTHER, 1, 0.012850771573674423}, {OTHER, 2, -6.883823253515954e-07}, {OTHER, 781, -3.351877760082707e-05},
    {OTHER, 1602, 2.2089654457261413e-05}, {OTHER, 1621, 0.00025936224305446074}, {OTHER, 1661, 0.0002593622430544603},
    {OTHER, 1701, 0.00025936224305446107}, {OTHER, 1722, 2.208965445726146e-05}, {OTHER, SUM, 0.02570154314734882},
    {OTHER, NORM, 0.01834838112486078}};
static const answer can_5[] = {
    {PSI, 0, 0.824656528675881}, {GRADIENT, 0, -3.444968178495884e-05}, {GRADIENT, 1, -7.223736352255194e-05},
    {GRADIENT, 2, -7.717393679107279e-05}, {GRADIENT, 50, -0.00016396642384831802}, {GRADIENT, 98, -1.9878527861860642e-05},
    {GRADIENT, 99, -3.570502593075425e-06}, {GRADIENT, 100, -4.800503388687709e-06}, {GRADIENT, 104, -4.560032703564658e-05},
    {GRADIENT, 124, -4.643714889299429e-05}, {GRADIENT, 150, 0.0008705762822601554}, {GRADIENT, 174, 0.12234471392250038},
    {PRODUCT, 0, -4.427727347341561e-08}, {PRODUCT, 1, -8.993863912229301e-08}, {PRODUCT, 2, -8.735158255402868e-08},
    {PRODUCT, 50, -5.052520473828211e-09}, {PRODUCT, 98, 6.807425361325293e-10}, {PRODUCT, 99, 1.237740148779808e-10},
    {PRODUCT, 100, -1.84525866736281e-09}, {PRODUCT, 104, -4.039129037942099e-08}, {PRODUCT, 124, -9.68262228223721e-08},
    {PRODUCT, 150, -3.442893760566485e-08}, {PRODUCT, 174, -5.305038156974946e-06}};
static const answer can_10[] = {
    {PSI, 0, 0.8194199668465364}, {GRADIENT, 0, -3.49927803550611e-05}, {GRADIENT, 1, -7.557589984266485e-05},
    {GRADIENT, 2, -8.29046482965664e-05}, {GRADIENT, 50, -0.0001662798672388415}, {GRADIENT, 98, -3.096655199410561e-05},
    {GRADIENT, 99, -6.2851117643480154e-06}, {GRADIENT, 100, -5.281463334124794e-07},
    {GRADIENT, 109, -6.1046323882677125e-06}, {GRADIENT, 199, -4.0198467513758166e-06},
    {GRADIENT, 300, 0.00010882213624904065}, {GRADIENT, 399, 0.03262337555315395}, {PRODUCT, 0, -8.552834953803585e-08},
    {PRODUCT, 1, -1.6382371417757195e-07}, {PRODUCT, 2, -1.2957108691455564e-07}, {PRODUCT, 50, -3.3821178072991613e-09},
    {PRODUCT, 98, 1.2516154780704263e-09}, {PRODUCT, 99, 2.5906290528815777e-10}, {PRODUCT, 100, -2.1700418526677056e-10},
    {PRODUCT, 109, -9.750423032358282e-09}, {PRODUCT, 199, -2.3134161573287875e-08}, {PRODUCT, 300, -4.316640795010666e-09},
    {PRODUCT, 399, -1.5881678920384427e-06}};

typedef struct subject {
    const char *file, *define, *method;
    double rtol, atol, hmax; /* the can: the last controls act while lambda has a layer that forward steps do not see */
    int mean; /* the direction: 1/np in every parameter; else the first parameter, and 1/np in a second lane */
    const answer *answers;
    size_t count;
} subject;

#define ANSWERS(of) of, COUNT(of)

static const subject subjects[] = {
    {"van_der_pol_control.c", "KNOTS=1", "dopri853", 1e-12, 1e-14, 0, 1, ANSWERS(control_1)},
    {"van_der_pol_control.c", "KNOTS=10", "dopri853", 1e-12, 1e-14, 0, 1, ANSWERS(control_10)},
    {"van_der_pol_control.c", "KNOTS=100", "dopri853", 1e-12, 1e-14, 0, 1, ANSWERS(control_100)},
    {"van_der_pol_chebyshev.c", "TERMS=10", "dopri853", 1e-12, 1e-14, 0, 1, ANSWERS(chebyshev_10)},
    {"heat_rim.c", "M=10", "radau2a", 1e-10, 1e-12, 0, 0, ANSWERS(heat_10)},
    {"heat_rim.c", "M=40", "radau2a", 1e-9, 1e-11, 0, 0, ANSWERS(heat_40)},
    {"can.c", "M=5", "radau2a", 1e-10, 1e-14, 20, 0, ANSWERS(can_5)},
    {"can.c", "M=10", "radau2a", 1e-9, 1e-13, 10, 0, ANSWERS(can_10)},
};

static double of_all(int what, int np, int w, int lane, const double *x)
{
    double sum = 0;
    for (int k = 0; k < np; k++) sum += what == SUM ? x[k * w + lane] : x[k * w + lane] * x[k * w + lane];
    return what == SUM ? sum : sqrt(sum);
}

static double number(const answer *a, int np, int lanes, double psi, const double *g, const double *h)
{
    const int w = a->of < PRODUCT ? 1 : lanes, lane = a->of == OTHER;
    const double *x = w == 1 && a->of < PRODUCT ? g : h;
    if (a->of == PSI) return psi;
    return a->column < 0 ? of_all(a->column, np, w, lane, x) : x[a->column * w + lane];
}

static void compare(const subject *q, const char *adjoint, int np, int lanes, double psi, const double *g, const double *h)
{
    const double most = 1e-7;
    for (size_t k = 0; k < q->count; k++) {
        const answer *a = &q->answers[k];
        const double is = number(a, np, lanes, psi, g, h), off = fabs(is / a->value - 1);
        if (!(off < most))
            fail_msg("%s, %s, %s, %s: answer %zu is %.12g, not %.12g: off by %.1e", q->file, q->define, q->method, adjoint, k, is,
                     a->value, off);
    }
}

static void answers(const subject *q, const char *adjoint)
{
    char file[512];
    costate_model *m = NULL;
    snprintf(file, sizeof file, SOURCE_DIR "/problems/%s", q->file);
    if (costate_model_open(&m, file, &(costate_model_options){.order = 2, .defines = 1, .define = &q->define}))
        fail_msg("%s", costate_model_message(m));
    const costate_problem *p = costate_model_problem(m);
    const costate_model_info about = costate_model_about(m);
    const int n = p->n, np = p->np, lanes = q->mean ? 1 : 2;
    double *y = calloc((size_t)(n + np * (1 + 2 * lanes)), sizeof *y), *g = y + n, *h = g + np, *pdot = h + np * lanes, psi[1];
    assert_non_null(y);
    if (about.y0) memcpy(y, about.y0, (size_t)n * sizeof *y);
    for (int k = 0; k < np; k++) pdot[k * lanes] = q->mean ? 1.0 / np : k == 0;
    for (int k = 0; k < np && lanes > 1; k++) pdot[k * lanes + 1] = 1.0 / np;
    costate_options o = costate_defaults(q->method);
    o.rtol = q->rtol;
    o.atol = q->atol;
    o.hmax = q->hmax;
    o.adjoint = adjoint;
    costate_solver *s = make_solver(p, &o);
    assert_ok(s, costate_solve(s, about.t0, about.t1, about.p, y));
    assert_ok(s, costate_objectives(s, psi));
    assert_ok(s, costate_gradient(s, 1, (double[]){1}, NULL, g));
    assert_ok(s, costate_hessian(s, lanes, NULL, NULL, pdot, NULL, h));
    compare(q, adjoint, np, lanes, psi[0], g, h);
    costate_free(s);
    free(y);
    costate_model_close(m);
}

static void by_discrete_adjoints(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(subjects); i++) answers(&subjects[i], "discrete");
}

static void by_the_adjoint_equations(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(subjects); i++) answers(&subjects[i], "continuous");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_discrete_adjoints),
        cmocka_unit_test(by_the_adjoint_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
