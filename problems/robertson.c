/* robertson.c - Robertson's autocatalytic reaction, the classic of stiffness over eleven decades of time. H. H. Robertson, The
 * solution of a set of reaction rate equations (1966).
 *
 *     A -> B at k1,   2 B -> B + C at k3,   B + C -> A + C at k2;   A + B + C is conserved */
#include <costate/model.h>

enum { A, B, C };
enum { K1, K2, K3 };

static void rhs(double t, const double *y, const double *p, double *f)
{
    double slow = p[K1] * y[A], back = p[K2] * y[B] * y[C], fast = p[K3] * y[B] * y[B];
    f[A] = -slow + back;
    f[B] = slow - back - fast;
    f[C] = fast;
}

COSTATE_MODEL(robertson,
    .states = 3, .params = 3,
    .state_names = COSTATE_NAMES("A", "B", "C"), .param_names = COSTATE_NAMES("k1", "k2", "k3"),
    .y0 = COSTATE_VALUES(1, 0, 0), .p = COSTATE_VALUES(0.04, 1e4, 3e7), .t0 = 0, .t1 = 4e10, .rhs = rhs)
