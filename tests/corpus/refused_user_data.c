/* refused: 11:5: error: the user's data are written to: they may only be read */
/* Keeps the last evaluation in the user's data. */
#include <costate/model.h>

typedef struct { double k, last; int calls; } UserData;

static int rhs(double t, const double *y, const double *p, double *f, void *user_data)
{
    UserData *data = (UserData *)user_data;
    f[0] = -data->k * p[0] * y[0];
    data->last = f[0];
    return 0;
}

COSTATE_MODEL(refused_user_data, .states = 1, .params = 1, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(0.1),
              .rhs = rhs)
