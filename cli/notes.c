/* notes.c - options that have no effect on what was asked for, and tolerances below what numbers can hold: a word for each, in
 * the list of warnings, before a run that may be long. */
#include "cli.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What an option can need to have an effect. */
enum {
    IMPLICIT = 1, ITERATED = 2, COUPLED = 4, KRYLOV = 8, ADAPTIVE = 16, TOLERANT = 32, RECORD = 64, ON_DISK = 128,
    TANGENTS = 256, ADJOINT = 512, DERIVATIVES = 1024, CHOICE = 2048, SHARED = 4096, STEERED = 8192, LANES = 16384,
    CONTROLLED = 32768
};

static const struct {
    const char *option;
    int needs; /* all of these; the first that there is not is told */
} rules[] = {
    {"rtol", TOLERANT}, {"atol", TOLERANT},
    {"h0", ADAPTIVE}, {"hmin", ADAPTIVE}, {"hmax", ADAPTIVE}, {"control", ADAPTIVE | CONTROLLED},
    {"safety", ADAPTIVE | CONTROLLED}, {"facmin", ADAPTIVE | CONTROLLED}, {"facmax", ADAPTIVE | CONTROLLED},
    {"tangent_control", ADAPTIVE | STEERED},
    {"memory", RECORD}, {"disk", RECORD}, {"disk_dir", RECORD | ON_DISK},
    {"linsol", IMPLICIT}, {"estimator", COUPLED}, {"newton_most", ITERATED}, {"newton_tol", ITERATED},
    {"tangent_solve", ITERATED | TANGENTS}, {"adjoint_solve", ITERATED | ADJOINT}, {"sweep_tol", ITERATED | DERIVATIVES},
    {"gmres_tol", IMPLICIT | KRYLOV}, {"gmres_basis", IMPLICIT | KRYLOV}, {"gmres_most", IMPLICIT | KRYLOV},
    {"lanes", LANES}, {"sensitivities", CHOICE}, {"threads", SHARED},
};

static const struct {
    int need;
    enum { OF_IT, OF_METHOD, OF_COMMAND } subject;
    const char *why; /* said of the subject */
} words[] = {
    {IMPLICIT, OF_METHOD, " is an explicit method"},
    {ITERATED, OF_METHOD, " has no Newton iteration"},
    {COUPLED, OF_METHOD, " is not fully implicit"},
    {KRYLOV, OF_IT, "it is about --linsol gmres"},
    {ADAPTIVE, OF_IT, "--step makes all steps of one size"},
    {TOLERANT, OF_IT, "--step makes all steps of one size"},
    {RECORD, OF_COMMAND, " records no trajectory"},
    {ON_DISK, OF_IT, "without --disk nothing is written there"},
    {TANGENTS, OF_COMMAND, " computes no tangents"},
    {STEERED, OF_COMMAND, " computes no tangents that could steer the steps"},
    {ADJOINT, OF_COMMAND, " computes no adjoint"},
    {DERIVATIVES, OF_COMMAND, " computes no derivatives"},
    {CHOICE, OF_COMMAND, " has one way to go about it"},
    {SHARED, OF_IT, "a single run has nothing to share among threads"},
    {LANES, OF_IT, "a run without derivatives has no lanes"},
    {CONTROLLED, OF_METHOD, " chooses the size of its steps together with their order"},
};

static int commands(int of, int condition, const cli_request *r)
{
    return r->command->bit & of ? condition : 0;
}

/* By the command: what it computes. `sensitivities` is what gradient was told; auto may be either. */
static int of_command(const cli_request *r)
{
    const char *way = cli_library_value(r, "sensitivities");
    const int gradient = r->command->bit == CLI_GRADIENT, forward = gradient && !strcmp(way, "tangent"),
              back = gradient && !strcmp(way, "adjoint"), ensemble = cli_value(r, OPT_ENSEMBLE) != NULL;
    int there = commands(CLI_GRADIENT, CHOICE, r) | commands(CLI_SOLVE & ~CLI_RUN, DERIVATIVES | LANES, r);
    if (!back) there |= commands(CLI_TANGENT | CLI_GRADIENT | CLI_CHECK, TANGENTS | STEERED, r);
    if (!back) there |= commands(CLI_HESSIAN, TANGENTS, r);
    if (!forward) there |= commands(CLI_GRADIENT | CLI_HESSIAN | CLI_CHECK | CLI_COMPARE, ADJOINT | RECORD, r);
    if (cli_library_given(r, "record") && strcmp(cli_library_value(r, "record"), "0")) there |= RECORD; /* run, tangent */
    return there | (ensemble ? SHARED : commands(CLI_SOLVE & ~CLI_RUN, SHARED, r));
}

/* By the method, unless there are several or it is not known yet. */
static int of_method(const cli_session *s)
{
    char text[32];
    const int several = s->request->command->bit & CLI_COMPARE;
    const costate_table *table = several ? NULL : costate_method_find(cli_suited(s, "method", text));
    if (!table) return IMPLICIT | ITERATED | COUPLED | LANES | CONTROLLED;
    switch (table->family) {
    case COSTATE_ERK: return CONTROLLED;
    case COSTATE_ROS: return IMPLICIT | LANES | CONTROLLED;
    case COSTATE_FIRK: return IMPLICIT | ITERATED | COUPLED | LANES | CONTROLLED;
    case COSTATE_BDF: return IMPLICIT | ITERATED | LANES;
    default: return IMPLICIT | ITERATED | LANES | CONTROLLED;
    }
}

static int circumstances(const cli_session *s)
{
    const cli_request *r = s->request;
    int there = of_command(r) | of_method(s);
    const int adaptive = strtod(cli_library_value(r, "step"), NULL) == 0;
    if (adaptive) there |= ADAPTIVE;
    if (adaptive || there & ITERATED) there |= TOLERANT;
    if (!strcmp(cli_library_value(r, "linsol"), "gmres")) there |= KRYLOV;
    if (strtod(cli_library_value(r, "disk"), NULL) > 0) there |= ON_DISK;
    return there;
}

static void tell(cli_session *s, const char *option, int lacking)
{
    const cli_request *r = s->request;
    char name[32], text[32];
    snprintf(name, sizeof name, "%s", option);
    for (char *c = name; *c; c++) *c = *c == '_' ? '-' : *c;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (!(words[k].need & lacking)) continue;
        const char *subject = words[k].subject == OF_METHOD    ? cli_suited(s, "method", text)
                              : words[k].subject == OF_COMMAND ? r->command->name
                                                               : "";
        const int told = words[k].subject == OF_COMMAND && r->command->bit & CLI_GRADIENT; /* the other way could */
        cli_warn(&s->out, "--%s has no effect: %s%s%s%s", name, subject, told ? " --sensitivities " : "",
                 told ? cli_library_value(r, "sensitivities") : "", words[k].why);
        return;
    }
}

/* ---- tolerances ------------------------------------------------------------------------------------------------------- */

/* Errors are held against rtol |y| + atol. */
static void tolerances(cli_session *s)
{
    const cli_request *r = s->request;
    const double rtol = strtod(cli_library_value(r, "rtol"), NULL), least = 100 * DBL_EPSILON;
    const char *atol = s->atols ? "as given" : cli_library_value(r, "atol");
    double largest = 0;
    if (!cli_library_given(r, "rtol")) return;
    for (int i = 0; i < s->n; i++) largest = fmax(largest, fabs(s->y0[i]));
    if (rtol == 0) cli_warn(&s->out, "rtol = 0: errors are held against atol alone, %s, whatever the size of a state", atol);
    else if (rtol < least)
        cli_warn(&s->out,
                 "rtol = %s is below round-off: nothing under %.1e is sensible, and errors are held against atol alone, %s",
                 cli_library_value(r, "rtol"), least, atol);
    else if (!cli_library_given(r, "atol") && largest > 0 && 100 * rtol * largest < strtod(atol, NULL))
        cli_warn(&s->out, "errors are held against atol alone, %s, beside which rtol = %s is too small to count; --atol sets it",
                 atol, cli_library_value(r, "rtol"));
}

void cli_notes(cli_session *s)
{
    const cli_request *r = s->request;
    const int there = circumstances(s);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (cli_library_given(r, rules[i].option) && rules[i].needs & ~there) tell(s, rules[i].option, rules[i].needs & ~there);
    if (cli_value(r, OPT_PLOT_Y) && !cli_value(r, OPT_PLOT)) cli_warn(&s->out, "--plot-y has no effect: there is no --plot");
    tolerances(s);
}
