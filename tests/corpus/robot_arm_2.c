/* Two-link arm with friction and a PD controller; the mass matrix is inverted by Cramer's rule through a local struct. */
#include <costate/model.h>

typedef struct matrix2 { double a11, a12, a22; } matrix2;
typedef struct vector2 { double x, y; } vector2;

static void rhs(double t, const double *q, const double *p, double *f)
{
    const double m1 = p[0], m2 = p[1], l1 = p[2], l2 = p[3], kp = p[4], kd = p[5], fr = p[6];
    const double c2 = cos(q[1]), s2 = sin(q[1]);
    matrix2 M;
    vector2 h, tau;

    M.a11 = (m1 + m2) * l1 * l1 + m2 * l2 * l2 + 2 * m2 * l1 * l2 * c2;
    M.a12 = m2 * l2 * l2 + m2 * l1 * l2 * c2;
    M.a22 = m2 * l2 * l2;
    h.x = -m2 * l1 * l2 * s2 * (2 * q[2] * q[3] + q[3] * q[3]) + 9.81 * ((m1 + m2) * l1 * cos(q[0]) + m2 * l2 * cos(q[0] + q[1]));
    h.y = m2 * l1 * l2 * s2 * q[2] * q[2] + 9.81 * m2 * l2 * cos(q[0] + q[1]);
    tau.x = kp * (0.5 * sin(t) - q[0]) - kd * q[2] - fr * tanh(20 * q[2]);
    tau.y = kp * (0.3 * cos(t) - q[1]) - kd * q[3] - fr * tanh(20 * q[3]);

    const double det = M.a11 * M.a22 - M.a12 * M.a12;
    vector2 rhs_ = {tau.x - h.x, tau.y - h.y};
    f[0] = q[2];
    f[1] = q[3];
    f[2] = (M.a22 * rhs_.x - M.a12 * rhs_.y) / det;
    f[3] = (M.a11 * rhs_.y - M.a12 * rhs_.x) / det;
}

COSTATE_MODEL(robot_arm_2, .states = 4, .params = 7, .t0 = 0, .t1 = 2, .y0 = COSTATE_VALUES(0.4, 0.7, 0.1, -0.08),
    .p = COSTATE_VALUES(1.0, 0.8, 0.5, 0.4, 30.0, 5.0, 0.6), .rhs = rhs)
