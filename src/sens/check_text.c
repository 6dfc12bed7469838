/* check_text.c - does the certificate hold, and what is there to say. */
#include "sens/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static void add(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(char *to, size_t size, const char *format, ...)
{
    va_list args;
    size_t used = strlen(to);
    va_start(args, format);
    vsnprintf(to + used, size - used, format, args);
    va_end(args);
}

static void remark(costate_certificate *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void remark(costate_certificate *c, const char *format, ...)
{
    va_list args;
    char words[256];
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    add(c->remark, sizeof c->remark, "%s%s", c->remark[0] ? "; " : "", words);
}

/* ---- what does not hold --------------------------------------------------------------------------------------------- */

static double symmetry_bound(const check *c)
{
    const deriv *d = &c->s->d;
    return fmax(d->exact && d->exact2 ? 1e-9 : 1e-3, 10 * c->out->tolerance);
}

static const double loose = 0.1; /* what a tenth of the tolerance may change in a derivative */

static int wrong(costate_certificate *c, const costate_measure *m, const char *what)
{
    if (m->wrong)
        remark(c, "%s: %s is off by %.1e%s", what, m->name, m->defect, m->wrong > 1 ? ", and others are" : "");
    return m->wrong > 0;
}

static int faults(const check *c)
{
    costate_certificate *out = c->out;
    int bad = 0;
    if (out->missing[0]) bad = 1, remark(out, "the Jacobian's pattern lacks %s", out->missing);
    bad |= wrong(out, &out->products, "products");
    bad |= wrong(out, &out->lanes, "lanes");
    const int exact = !c->continuous;
    if (exact && out->identity > out->tolerance) bad = 1, remark(out, "tangent and adjoint differ by %.1e", out->identity);
    if (exact && out->worst > 100 * out->tolerance) bad = 1, remark(out, "tangent and adjoint differ in %s", out->worst_name);
    bad |= wrong(out, &out->steps, "differences over these steps");
    bad |= wrong(out, &out->free_steps, "differences of whole runs");
    bad |= wrong(out, &out->tighter, "what does not fall with the tolerance");
    bad |= wrong(out, &out->bars, "error bars, which should be 3 at most");
    if (exact && out->symmetry > symmetry_bound(c)) bad = 1, remark(out, "the Hessian is not symmetric");
    bad |= wrong(out, &out->second, "differences of tangents");
    if (out->slope_gradient < 1.8) bad = 1, remark(out, "the gradient's remainder falls with power %.2f", out->slope_gradient);
    if (out->slope_hessian < 2.8 && !out->second.measured)
        bad = 1, remark(out, "the Hessian's remainder falls with power %.2f", out->slope_hessian);
    return bad;
}

/* ---- what was not judged -------------------------------------------------------------------------------------------- */

/* An objective none of whose slopes was measured has no certificate. */
static int blind(const check *c)
{
    costate_certificate *out = c->out;
    size_t count = 0, first = 0;
    char name[64];
    for (size_t j = c->nobj; j-- > 0;)
        if (c->seen[j] < 0 && !cst__check_below(c, j) && !cst__check_bends(c, j, cst__check_change(c, j)))
            first = j, count++;
    if (!count) return 0;
    cst__check_goal(c, (int)first, name);
    remark(out, "not judged: %s%s, no slope of which was above noise", name, count > 1 ? " and others" : "");
    return 1;
}

/* What cannot be seen to fall is not known to be right. */
static int alone(const check *c)
{
    if (c->alone[0]) remark(c->out, "not judged: with a hundredth of the tolerance %s", c->alone);
    return c->alone[0] != 0;
}

static void gaps(const check *c)
{
    costate_certificate *out = c->out;
    if (c->stopped[0]) remark(out, "nothing else was judged: %s", c->stopped);
    if (out->failed) remark(out, "%d of %d perturbed runs failed", out->failed, out->runs);
    if (out->steps.measured < out->steps.all)
        remark(out, "%d of %d slopes over these steps were not measured", out->steps.all - out->steps.measured, out->steps.all);
    if (c->looser) remark(out, "a hundredth of the tolerance is too little for the run back: held against a hundred times");
    if (c->lacks[0]) remark(out, "the Hessian was not judged: %s", c->lacks);
    if (c->loose > loose)
        remark(out, "a tenth of the tolerance changes a derivative by %.0e of it: the run is too loose for derivatives",
               c->loose);
    if (c->restless > 1e3 * c->s->opt.rtol)
        remark(out, "a tenth of the tolerance changes an objective by %.0e of it: the run is not as accurate as rtol says",
               c->restless);
    if (c->unsolved) remark(out, "it is what Newton's iteration leaves: a smaller newton_tol, 1e-8, will do");
    else if (!c->continuous && cst__check_newton_based(c->s) && out->steps.defect > 1e-6)
        remark(out, "the gradient agrees with differences of the objective to %.0e, as newton_tol allows", out->steps.defect);
}

/* ---- words ---------------------------------------------------------------------------------------------------------- */

static void measured(char *text, size_t size, const char *what, const costate_measure *m, int noise)
{
    add(text, size, "  %-27s", what);
    if (isnan(m->defect)) add(text, size, "not measured\n");
    else if (noise || (m->defect > m->most && !m->wrong)) add(text, size, "%8.1e   (noise %.0e)\n", m->defect, m->noise);
    else add(text, size, "%8.1e   (at most %.0e)\n", m->defect, m->most);
}

static void slope(char *text, size_t size, const char *what, double found, int should)
{
    if (isnan(found)) add(text, size, "  %-27snot measured\n", what);
    else add(text, size, "  %-27s%8.2f   (%d)\n", what, found, should);
}

/* What is held against round-off; by the adjoint equations against that at a tighter tolerance. */
static void exact(const check *c, char *text, size_t size)
{
    const costate_certificate *out = c->out;
    char head[48];
    if (c->continuous) add(text, size, "  %-27s%8.1e   (falls)\n", "adjoint against tangents", out->identity);
    else add(text, size, "  %-27s%8.1e   (at most %.0e)\n", "tangent/adjoint identity", out->identity, out->tolerance);
    snprintf(head, sizeof head, "worst of %d components", out->components);
    add(text, size, "  %-27s%8.1e   %s\n", head, out->worst, out->worst_name);
    if (!c->continuous) return;
    measured(text, size, "at rtol / 100", &out->tighter, 0);
    if (isnan(out->bars.defect)) add(text, size, "  %-27snot measured\n", "within error bars");
    else add(text, size, "  %-27s%8.1f   (at most %g bars)\n", "within error bars", out->bars.defect, out->bars.most);
}

static void second(const check *c, char *text, size_t size)
{
    const costate_certificate *out = c->out;
    if (isnan(out->symmetry)) return;
    slope(text, size, "Taylor slope, Hessian", out->slope_hessian, 3);
    if (c->continuous) {
        add(text, size, "  %-27s%8.1e   (falls)\n", "Hessian symmetry", out->symmetry);
        add(text, size, "  %-27s%8.1e   (falls)\n", "Hessian against tangents", out->second.defect);
        return;
    }
    add(text, size, "  %-27s%8.1e   (at most %.0e)\n", "Hessian symmetry", out->symmetry, symmetry_bound(c));
    measured(text, size, "Hessian, differences", &out->second, 1);
}

void cst__check_judge(check *c)
{
    costate_certificate *out = c->out;
    char *text = out->text;
    size_t size = sizeof out->text;
    out->holds = !(faults(c) | blind(c) | alone(c));
    gaps(c);
    snprintf(text, size, "certificate: %s\n", out->holds ? "holds" : "DOES NOT HOLD");
    measured(text, size, "products", &out->products, 0);
    measured(text, size, "all lanes", &out->lanes, 0);
    exact(c, text, size);
    measured(text, size, "differences, these steps", &out->steps, 1);
    measured(text, size, "differences, free steps", &out->free_steps, 1);
    slope(text, size, "Taylor slope, gradient", out->slope_gradient, 2);
    second(c, text, size);
    add(text, size, "  derivatives: %s", c->s->d.text);
    if (out->remark[0]) add(text, size, "\n  %s", out->remark);
    if (c->continuous) out->tolerance = c->s->opt.rtol;
}
