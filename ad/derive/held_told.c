/* held_told.c - which conditions of a model are held, and why others are not, as remarks. See held.h. */
#include "derive/held.h"

#include "derive/guards.h"

#include <costate/costate.h>
#include <string.h>

static void tell(ad_diag *d, const ad_guard *g, int guards, const char *otherwise)
{
    const char *why = g->why ? g->why : otherwise;
    const int changes = g->held > guards; /* those at known times are behind the others */
    if (g->held && changes) ad_remark(d, g->place, NULL, "'%s' is held: steps end at its time", g->text);
    else if (g->held) ad_remark(d, g->place, NULL, "'%s' is held: steps end where it changes", g->text);
    else if (why) ad_remark(d, g->place, NULL, "'%s' is not held: %s", g->text, why);
}

void ad_tell_held(ad_arena *m, ad_diag *d, const ad_model *model, const char *otherwise)
{
    static const int which[] = {AD_FN_rhs, AD_FN_running};
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        if (!model->fn[which[i]]) continue;
        const ad_guards found = ad_guards_of(m, model->fn[which[i]]);
        for (int k = 0; k < found.count; k++) {
            const ad_guard *g = &found.guard[k];
            const int smooth = (g->is & COSTATE_GUARD_CONTINUOUS) != 0, moves = g->on & (COSTATE_ON_TIME | COSTATE_ON_STATE);
            if (!smooth && moves) tell(d, g, model->held, otherwise);
        }
    }
}
