/* knots.h - the inner knots of a control that is linear between KNOTS of them, as times of events at which nothing happens: KNOTS
 * times at equal distances from 0 to END, without the first and the last. For 10, 100, 500, 1000 and 2000 knots: what is to be an
 * array has to be written out. */
#ifndef KNOTS_H
#define KNOTS_H

#define KNOT(k) (END) * (k) / (KNOTS - 1.0)
#define KNOTS_4(k) KNOT(k), KNOT(k + 1), KNOT(k + 2), KNOT(k + 3)
#define KNOTS_8(k) KNOTS_4(k), KNOTS_4(k + 4)
#define KNOTS_10(k) KNOTS_8(k), KNOT(k + 8), KNOT(k + 9)
#define KNOTS_90(k)                                                                                                              \
    KNOTS_10(k), KNOTS_10(k + 10), KNOTS_10(k + 20), KNOTS_10(k + 30), KNOTS_10(k + 40), KNOTS_10(k + 50), KNOTS_10(k + 60),     \
        KNOTS_10(k + 70), KNOTS_10(k + 80)
#define KNOTS_98(k) KNOTS_90(k), KNOTS_8(k + 90)
#define KNOTS_100(k) KNOTS_90(k), KNOTS_10(k + 90)
#define KNOTS_400(k) KNOTS_100(k), KNOTS_100(k + 100), KNOTS_100(k + 200), KNOTS_100(k + 300)
#define KNOTS_900(k) KNOTS_400(k), KNOTS_400(k + 400), KNOTS_100(k + 800)
#define KNOTS_1000(k) KNOTS_900(k), KNOTS_100(k + 900)

static const double knots[] = {
#if KNOTS == 10
    KNOTS_8(1)
#elif KNOTS == 100
    KNOTS_98(1)
#elif KNOTS == 500
    KNOTS_400(1), KNOTS_98(401)
#elif KNOTS == 1000
    KNOTS_900(1), KNOTS_98(901)
#elif KNOTS == 2000
    KNOTS_1000(1), KNOTS_900(1001), KNOTS_98(1901)
#else
#error "knots.h has 10, 100, 500, 1000 or 2000 knots"
#endif
};

#endif
