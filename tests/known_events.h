/* known_events.h - five problems with events whose objectives, gradients and Hessians have closed forms. Written in jets.h. */
#ifndef COSTATE_TESTS_KNOWN_EVENTS_H
#define COSTATE_TESTS_KNOWN_EVENTS_H

#include "jets.h"

typedef struct known_problem {
    const char *name;
    jets q;
    double t1, p[6], y0[4];
    double psi[3], gradient[3][6], hessian[3][6][6];
    const double *direction, *observe_at;
    int observations, first_mode, events; /* that happen */
} known_problem;

/* ball: x' = v, v' = -g; x = 0 falling: v+ = -e v. p = (g, e, x0) */
static void ball_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t;
    f[0] = y[1];
    f[1] = scale(-1, p[0]);
}
static void ball_init(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y;
    f[0] = p[2];
}
static void ball_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    e[0] = y[0];
}
static void ball_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode, (void)k, (void)t;
    to[1] = scale(-1, mul(p[1], y[1]));
}
static void ball_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    g[0] = y[0];
}
static void ball_on(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)p;
    g[1] = t;
    g[2] = mul(y[1], y[1]);
}

/* thermostat: T' = -k (T - Ta) + u [on]; p = (k, Ta, u, lo, hi) */
static void thermo_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)k, (void)t;
    f[0] = mul(scale(-1, p[0]), sub(y[0], p[1]));
    if (mode) f[0] = add(f[0], p[2]);
}
static void thermo_running(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *r)
{
    (void)q, (void)k, (void)t, (void)y, (void)p;
    r[0] = num(mode);
}
static void thermo_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    g[1] = y[0];
}
static void thermo_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)k, (void)t;
    e[0] = mode ? sub(y[0], p[4]) : num(-1);
    e[1] = mode ? num(1) : sub(y[0], p[3]);
}
static int thermo_next(int k, int mode, double t, const double *y, const double *p)
{
    (void)mode, (void)t, (void)y, (void)p;
    return k == 0 ? 0 : 1;
}

/* dosing: A' = -ka A, C' = ka A/V - ke C; p = (ka, ke, V, lag, F, ii) */
static void dose_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t;
    f[0] = scale(-1, mul(p[0], y[0]));
    f[1] = sub(over(mul(p[0], y[0]), p[2]), mul(p[1], y[1]));
}
static void dose_times(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *tau)
{
    (void)mode, (void)k, (void)t, (void)y;
    for (int j = 0; j < q->timed; j++) tau[j] = add(scale(j, p[5]), p[3]);
}
static void dose_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode, (void)k, (void)t;
    to[0] = add(y[0], scale(100, p[4]));
}
static void dose_observe(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    static const double data[] = {2.5, 2.2, 4.0, 2.7, 3.0};
    (void)q, (void)mode, (void)t, (void)p;
    jet miss = sub(y[1], num(data[k]));
    g[0] = mul(miss, miss);
}
static void dose_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    g[1] = y[1];
}

/* neuron: v' = (E - v)/tau; v = vth rising: v+ = vre; p = (tau, E, vth, vre) */
static void neuron_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t;
    f[0] = over(sub(p[1], y[0]), p[0]);
}
static void neuron_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k, (void)t;
    e[0] = sub(y[0], p[2]);
}
static void neuron_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y;
    to[0] = p[3];
}
static void neuron_on(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    static const double spikes[] = {13, 25, 36, 47};
    const int i = k / (q->guards + q->timed);
    (void)mode, (void)y, (void)p;
    if (i < 4) g[0] = mul(sub(t, num(spikes[i])), sub(t, num(spikes[i])));
}

/* shot: x' = a, z' = b, a' = -c a, b' = -g - c b; ends at z = 0; p = (V, al, c, g, z0) */
static void shot_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = scale(-1, mul(p[2], y[2]));
    f[3] = scale(-1, add(p[3], mul(p[2], y[3])));
}
static void shot_init(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y;
    f[1] = p[4];
    f[2] = mul(p[0], jcos(p[1]));
    f[3] = mul(p[0], jsin(p[1]));
}
static void shot_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    e[0] = y[1];
}
static void shot_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)p;
    g[0] = y[0];
    g[1] = t;
    g[2] = add(mul(y[2], y[2]), mul(y[3], y[3]));
}
static int shot_next(int k, int mode, double t, const double *y, const double *p)
{
    (void)k, (void)mode, (void)t, (void)y, (void)p;
    return COSTATE_STOP;
}

static const double falling[] = {-1, -1}, rising[] = {1}, up_down[] = {1, -1};
static const double dose_seen[] = {2, 6, 10, 14, 20};

static void neuron_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    g[1] = y[0];
}

static const known_problem known_problems[] = {
    {.name = "ball",
     .q = {.n = 2, .np = 3, .objectives = 3, .guards = 1, .fn = {[OF_RHS] = ball_rhs, [OF_INIT] = ball_init,
         [OF_EVENT] = ball_event, [OF_RESET] = ball_reset, [OF_TERMINAL] = ball_terminal, [OF_ON_EVENT] = ball_on}},
     .t1 = 3, .direction = falling, .events = 3, .p = {9.81, 0.8, 2.0},
     .psi = {0.3368471368432459, 4.776360408969475, 80.42630400000002},
     .gradient = {{-0.2932269553087029, 12.650968218197606, 1.6067017842108107}, {-0.24344344592097222,
         4.597566169061527, 1.1940901022423687}, {8.198400000000001, 143.14752000000001, 40.21315200000001}},
     .hessian = {{{-0.214412489535744, 6.819723150774598, 1.0516932611728242}, {6.819723150774598, -167.4255448988569,
         -27.125257945450603}, {1.0516932611728242, -27.125257945450603, -5.158555446052703}}, {{0.03722376848944529,
         -0.2343305896565508, -0.060860861480243056}, {-0.2343305896565508, 2.554203427256404, 1.1493915422653818},
         {-0.060860861480243056, 1.1493915422653818, -0.29852252556059217}}, {{0.0, 14.592000000000002,
         4.099200000000001}, {14.592000000000002, 379.8432, 71.57376000000001}, {4.099200000000001, 71.57376000000001,
         0.0}}}},
    {.name = "thermostat",
     .q = {.n = 1, .np = 5, .objectives = 2, .guards = 2, .next = thermo_next, .fn = {[OF_RHS] = thermo_rhs,
         [OF_RUNNING] = thermo_running, [OF_EVENT] = thermo_event, [OF_TERMINAL] = thermo_terminal}},
     .t1 = 10, .direction = up_down, .y0 = {15}, .first_mode = 1, .events = 18, .p = {0.5, 5.0, 12.0, 18.0, 21.0},
     .psi = {6.262491433991599, 18.260858052998245},
     .gradient = {{7.475017132016802, -0.25961538461538464, 0.0, 1.3846153846153846, -1.125}, {-61.94693759350877,
         2.1338592053184295, 7.05576487764693, 16.221361262604052, -18.12230203556546}},
     .hessian = {{{-29.90006852806721, 0.5192307692307693, 0.0, -2.769230769230769, 2.25}, {0.5192307692307693,
         -0.03619637573964497, 0.0, 0.10650887573964497, -0.0703125}, {0.0, 0.0, 0.0, 0.0, 0.0}, {-2.769230769230769,
         0.10650887573964497, 0.0, -0.10650887573964497, 0.0}, {2.25, -0.0703125, 0.0, 0.0, 0.0703125}},
         {{-853.6145904195287, 32.990359270575595, 55.49002835340288, 59.40810228642003, -96.0246653313079},
         {32.990359270575595, -0.9706951809183075, -1.8470396384899954, -1.9395546214964259, 3.0460312861976915},
         {55.49002835340288, -1.8470396384899954, -5.0066336202152515, -9.234238121352522, 11.551986903623439},
         {59.40810228642003, -1.9395546214964259, -9.234238121352522, -24.275323847533336, 27.373547130644337},
         {-96.0246653313079, 3.0460312861976915, 11.551986903623439, 27.373547130644337, -31.71402856223956}}}},
    {.name = "dosing",
     .q = {.n = 2, .np = 6, .objectives = 2, .timed = 3, .fn = {[OF_RHS] = dose_rhs, [OF_TIMES] = dose_times,
         [OF_RESET] = dose_reset, [OF_OBSERVE] = dose_observe, [OF_TERMINAL] = dose_terminal}},
     .t1 = 24, .observe_at = dose_seen, .observations = 5, .events = 3, .p = {1.2, 0.15, 20.0, 0.4, 0.8, 8.0},
     .psi = {0.6730509976678686, 2.0345166858876764},
     .gradient = {{0.518279279075428, -19.992253116760168, -0.28329585547441066, 0.15975296277129464,
         7.082396386860267, 0.9171281846521602}, {-0.23840107042613104, -19.173451878611136, -0.10172583429438381,
         0.3046520848460403, 2.5431458573595953, 0.5034612670079404}},
     .hessian = {{{0.6997292971869087, 0.9589104818573774, -0.2876858062522338, -0.28380157424560043,
         7.192145156305843, -0.3914743804034833}, {0.9589104818573774, 2061.0432017811863, 20.24953931885472,
         -30.673116699708988, -506.23848297136794, -31.08649750974333}, {-0.2876858062522338, 20.24953931885472,
         0.2701939161065428, -0.21965010983507663, -6.400728083320556, -0.2960063406023317}, {-0.28380157424560043,
         -30.673116699708988, -0.21965010983507663, 0.27826790242448146, 5.491252745876915, 0.9472583427149979},
         {7.192145156305843, -506.23848297136794, -6.400728083320556, 5.491252745876915, 151.16520659943856,
         7.400158515058292}, {-0.3914743804034833, -31.08649750974333, -0.2960063406023317, 0.9472583427149979,
         7.400158515058292, 1.3594978456028661}}, {{0.43152681826429057, 0.4408093741211402, 0.011920053521306553,
         -0.03220454713965701, -0.2980013380326638, -0.0518093493608396}, {0.4408093741211402, 228.96166906892952,
         0.9586725939305568, -0.8415010959039939, -23.96681484826392, -0.5199570165825743}, {0.011920053521306553,
         0.9586725939305568, 0.010172583429438381, -0.015232604242302014, -0.12715729286797975, -0.02517306335039702},
         {-0.03220454713965701, -0.8415010959039939, -0.015232604242302014, 0.045067311082372656, 0.3808151060575503,
         0.07425822946809585}, {-0.2980013380326638, -23.96681484826392, -0.12715729286797975, 0.3808151060575503,
         0.0, 0.6293265837599255}, {-0.0518093493608396, -0.5199570165825743, -0.02517306335039702,
         0.07425822946809585, 0.6293265837599255, 0.138608522089841}}}},
    {.name = "neuron",
     .q = {.n = 1, .np = 4, .objectives = 2, .guards = 1, .fn = {[OF_RHS] = neuron_rhs, [OF_EVENT] = neuron_event,
         [OF_RESET] = neuron_reset, [OF_ON_EVENT] = neuron_on, [OF_TERMINAL] = neuron_terminal}},
     .t1 = 50, .direction = rising, .events = 4, .p = {10.0, 20.0, 15.0, 5.0},
     .psi = {0.8265444415411872, 9.084525861481543},
     .gradient = {{-1.2120063146580198, 1.605445823409931, -2.5924246175559995, 1.3554905590282749},
         {-5.457737069259228, 6.275812500283921, -8.732379310814766, 2.910793103604922}},
     .hessian = {{{85.72106784823757, -99.44557750198469, 143.0815150764888, -31.462235221527678},
         {-99.44557750198469, 115.33123330329101, -166.14818174315548, 36.79852285162034}, {143.0815150764888,
         -166.14818174315548, 239.4815150764888, -53.333333333333336}, {-31.462235221527678, 36.79852285162034,
         -53.333333333333336, 12.534810481712997}}, {{-1.6373211207777685, 2.6379062501419606, -4.366189655407383,
         1.455396551802461}, {2.6379062501419606, -4.07511034504689, 5.967125862390089, -1.6009362069827069},
         {-4.366189655407383, 5.967125862390089, -8.732379310814766, 2.3286344828839374}, {1.455396551802461,
         -1.6009362069827069, 2.3286344828839374, -0.5821586207209843}}}},
    {.name = "shot",
     .q = {.n = 4, .np = 5, .objectives = 3, .guards = 1, .next = shot_next, .fn = {[OF_RHS] = shot_rhs, [OF_INIT] =
         shot_init, [OF_EVENT] = shot_event, [OF_TERMINAL] = shot_terminal}},
     .t1 = 60, .direction = falling, .events = 1, .p = {20.0, 0.7, 0.1, 9.81, 1.5},
     .psi = {35.51924101976779, 2.6422573964290628, 303.9970640238327},
     .gradient = {{3.13935161693817, 2.4560185297943167, -55.17146129454722, -2.9189544449188927, 0.9114345237724888},
         {0.1160833455918617, 2.756380077997528, -0.8778313858489954, -0.24852911160455643, 0.07760244866897631},
         {23.33772139113921, -5.769148055180873, -965.3425015873862, 12.118957715780828, 14.901816688714204}},
     .hessian = {{{0.12051973706967503, 0.2174820797855326, -7.28922413407778, -0.24570968118878145,
         1.1487378963777355e-05}, {0.2174820797855326, -126.24176409844102, -61.109288744480175, 0.08976999381943757,
         -1.849511136856679}, {-7.28922413407778, -61.109288744480175, 148.9074417083097, 9.483445453887454,
         -1.6130523437516975}, {-0.24570968118878145, 0.08976999381943757, 9.483445453887454, 0.49968185363020734,
         0.008209759775529776}, {1.1487378963777355e-05, -1.849511136856679, -1.6130523437516975,
         0.008209759775529776, -0.053844993984815105}}, {{6.353973438775031e-07, 0.13783409130600988,
         -0.08922219576694333, -0.011379061139342846, -0.002978309174523961}, {0.13783409130600988,
         -2.321308663843235, -2.118566463374221, -0.270193947899098, -0.07071946482003053}, {-0.08922219576694333,
         -2.118566463374221, 1.5389793121812025, 0.17258964096935459, 0.06089302495299863}, {-0.011379061139342846,
         -0.270193947899098, 0.17258964096935459, 0.048721182135758954, -0.0012296415735880196},
         {-0.002978309174523961, -0.07071946482003053, 0.06089302495299863, -0.0012296415735880196,
         -0.003982320894399074}}, {{0.6128750663265906, -0.7323491122187574, -116.2362031350513, 1.1571784086703631,
         -0.18113341629924437}, {-0.7323491122187574, 302.9893578520342, 100.59039680251739, -0.3542483968521069,
         4.3892419380883805}, {-116.2362031350513, 100.59039680251739, 4635.989273958638, 45.656607223128226,
         -35.90150488842301}, {1.1571784086703631, -0.3542483968521069, 45.656607223128226, -1.4122950507502592,
         1.8866693268224055}, {-0.18113341629924437, 4.3892419380883805, -35.90150488842301, 1.8866693268224055,
         0.010839279047528684}}}},
};
enum { KNOWN_PROBLEMS = sizeof known_problems / sizeof *known_problems };

#endif
