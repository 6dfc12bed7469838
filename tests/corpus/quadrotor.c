/* Rigid body with a quaternion: cross products and rotations by helpers on small arrays. */
#include <costate/model.h>
typedef double vec3[3];

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void rotate(const double *q, const double *v, double *out)
{
    vec3 u, uu;
    const double *im = q + 1;
    cross(im, v, u);
    for (int i = 0; i < 3; i++) u[i] *= 2.0;
    cross(im, u, uu);
    for (int i = 0; i < 3; i++) out[i] = v[i] + q[0] * u[i] + uu[i];
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *v = y + 3, *q = y + 6, *w = y + 10, *rotor = p, *inertia = p + 4, mass = p[7], drag = p[8], arm = 0.2;
    vec3 thrust, world, Jw, gyro, torque;

    thrust[0] = thrust[1] = 0;
    thrust[2] = 0;
    for (int k = 0; k < 4; k++) thrust[2] += rotor[k] * rotor[k];
    rotate(q, thrust, world);
    torque[0] = arm * (rotor[1] * rotor[1] - rotor[3] * rotor[3]);
    torque[1] = arm * (rotor[2] * rotor[2] - rotor[0] * rotor[0]);
    torque[2] = 0.02 * (rotor[0] * rotor[0] - rotor[1] * rotor[1] + rotor[2] * rotor[2] - rotor[3] * rotor[3]);
    for (int i = 0; i < 3; i++) Jw[i] = inertia[i] * w[i];
    cross(w, Jw, gyro);

    for (int i = 0; i < 3; i++) {
        f[i] = v[i];
        f[3 + i] = (world[i] - drag * v[i]) / mass - (i == 2) * 9.81;
        f[10 + i] = (torque[i] - gyro[i]) / inertia[i];
    }
    f[6] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
    f[7] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    f[8] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    f[9] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

COSTATE_MODEL(quadrotor, .states = 13, .params = 9, .t0 = 0, .t1 = 1,
    .y0 = COSTATE_VALUES(0.1, 0.2, 1.0, 0.5, -0.4, 0.3, 0.9, 0.2, -0.3, 0.25, 0.4, -0.6, 0.5),
    .p = COSTATE_VALUES(1.6, 1.55, 1.62, 1.58, 0.02, 0.025, 0.04, 1.0, 0.1), .rhs = rhs)
