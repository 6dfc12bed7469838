/* ahead.c - code that a task is going to call, by what the methods of each family ask for, so that compilers run side by side
 * while the model is opened. It is a guess: what it leaves out is compiled when it is called. */
#include "load/load.h"

#include "emit/emit.h"
#include "emit/emit_products.h"

#include <string.h>

/* Pieces of generate.h, without the model's name in front of instances, those first that take longest; vjp_# is the reverse of
 * the right-hand side for as many lanes as there are objectives, jvp_@ is along time. */
static const struct {
    const char *task, *piece[8];
} tasks[] = {
    {"gradient", {"vjp_#", "vjp"}},
    {"gradient implicit", {"vjp_#", "jac", "vjp"}},
    {"gradient rosenbrock", {"vjp_dot_ty_any", "vjp_#", "jac", "jvp_@_1", "vjp", "vjp_dot", "jvp"}},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

/* How many objectives there are; without any the final states are. */
static int objectives(const ad_model *tree)
{
    const int own = tree->fn[AD_FN_terminal] || tree->fn[AD_FN_running] || tree->fn[AD_FN_observe] || tree->fn[AD_FN_on_event];
    return own ? tree->objectives : tree->states;
}

/* The reverse of the right-hand side: with many parameters those of several steps are gone over at once. */
static int reverse(const costate_model *m, const char **name)
{
    const ad_model *tree = m->tree;
    const int w = objectives(tree), cut = ad_emit_is_long(tree->fn[AD_FN_rhs]);
    const char *width = w == 1 ? "1" : w <= 4 && !cut ? "4" : "any";
    if (cut || tree->params < 2 * tree->states) {
        name[0] = ad_text(m->arena, "%s_vjp_%s_%s", tree->name, tree->params ? "yp" : "y", width);
        return 1;
    }
    name[0] = ad_text(m->arena, "%s_vjp_y_%s", tree->name, width);
    name[1] = ad_text(m->arena, "%s_vjp_points_%s", tree->name, width);
    return 2;
}

int ad_ahead(const costate_model *m, const char *name[AD_AHEAD])
{
    const ad_model *tree = m->tree;
    int task = 0, count = 0;
    while (task < TASKS && (!m->options.ahead || strcmp(tasks[task].task, m->options.ahead) != 0)) task++;
    const int apart = ad_size(tree->fn[AD_FN_rhs]->body) > AD_LARGE; /* instances are pieces */
    for (int i = 0; task < TASKS && tasks[task].piece[i]; i++) {
        const char *piece = tasks[task].piece[i];
        if (!strchr(piece, '_') || strcmp(piece, "vjp_dot") == 0) name[count++] = piece;
        else if (apart && strchr(piece, '#')) count += reverse(m, name + count);
        else if (apart && strchr(piece, '@'))
            name[count++] = ad_text(m->arena, "%s_jvp_%s_1", tree->name, ad_emit_is_long(tree->fn[AD_FN_rhs]) ? "t" : "typ");
        else if (apart) name[count++] = ad_text(m->arena, "%s_%s", tree->name, piece);
    }
    return count;
}
