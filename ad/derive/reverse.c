/* reverse.c - statements in reverse; see reverse.h and docs in record.h. An assignment
 *
 *     x = e(a, b)     has the reverse     x = what it was;  a_b += e_a x_b;  b_b += e_b x_b;  x_b = 0
 *
 * with x_b kept aside first where a or b may be x itself. x += e leaves x_b as it is. */
#include "derive/reverse.h"

#include "base/arena.h"
#include "derive/record.h"
#include "derive/linearize.h"
#include "tree/rules.h"

static int leaf_active(const ad_node *leaf, void *context)
{
    const ad_reversal *r = context;
    return leaf->sym->number < r->syms && ad_active(&r->activity, leaf->sym);
}

/* x_b or a_b[i] for x or a[i]. */
static ad_node *adjoint_of(ad_reversal *r, const ad_node *leaf)
{
    ad_sym *b = ad_adjoint(r, leaf->sym);
    return leaf->op == AD_NAME ? ad_use(r->m, b) : ad_elem(r->m, b, ad_copy(r->m, leaf->index, NULL));
}

static int direct(const ad_reversal *r, const ad_sym *s)
{
    return s == r->fn->out && r->seeds_direct;
}

/* What wins in the part that a term of s has in the adjoint of its leaf. */
static ad_wins wins(const ad_reversal *r, const ad_node *s, const ad_term *term)
{
    const ad_sym *target = s->target->sym;
    if (!r->trust.any) return AD_NONE_WINS;
    if (term->wins == AD_DIRECTION_WINS)
        return target == r->fn->out || r->trust.plain[target->number] ? AD_DIRECTION_WINS : AD_NONE_WINS;
    return r->trust.prone[target->number] && ad_is_flat(s->value, term->leaf) ? AD_FACTOR_WINS : AD_NONE_WINS;
}

/* The adjoint statements of target = (or +=) sum of terms, appended to piece. */
static void transpose(ad_reversal *r, const ad_node *s, const ad_term *term, int terms, ad_node *piece)
{
    ad_arena *m = r->m;
    const ad_node *target = s->target;
    int zeroed = s->op == AD_SET && !direct(r, target->sym), self = 0;
    for (int i = 0; i < terms; i++) self |= term[i].leaf->sym == target->sym;
    ad_node *seed = adjoint_of(r, target);
    if (terms > 0 && (self || (terms > 1 && target->op == AD_ELEM))) {
        ad_sym *b = ad_sym_new(m, r->fn, ad_text(m, "%s_b", target->sym->name), AD_DOUBLE, AD_LOCAL);
        b->lane = 1;
        b->user = target->sym->user;
        ad_include(m, &r->adjoints, b);
        ad_append(m, piece, ad_decl(m, b));
        ad_append(m, piece, ad_set(m, ad_use(m, b), seed));
        if (zeroed) ad_append(m, piece, ad_set(m, ad_copy(m, seed, NULL), ad_num(m, 0)));
        zeroed = 0;
        seed = ad_use(m, b);
    }
    for (int i = 0; i < terms; i++)
        ad_append(m, piece, ad_inc(m, adjoint_of(r, term[i].leaf),
                                   ad_term_along(m, wins(r, s, &term[i]), ad_copy(m, term[i].factor, NULL),
                                                 ad_copy(m, seed, NULL))));
    if (zeroed) ad_append(m, piece, ad_set(m, ad_copy(m, seed, NULL), ad_num(m, 0)));
}

static void append_forward(ad_reversal *r, ad_region *g, ad_track *k, ad_node *s)
{
    ad_append(r->m, s->op == AD_DECL && k->branch ? g->decl : k->fwd, s);
    if (s->op == AD_DECL && k->branch && !s->sym->array) {
        ad_node *zero = s->sym->type == AD_INT ? ad_whole(r->m, 0) : ad_num(r->m, 0);
        ad_append(r->m, g->decl, ad_set(r->m, ad_use(r->m, s->sym), zero));
    }
}

static ad_node *noted(ad_reversal *r, const ad_node *s)
{
    ad_node *piece = ad_block(r->m);
    piece->place = s->place;
    return piece;
}

static void assignment(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *s)
{
    ad_arena *m = r->m;
    ad_sym *target = s->target->sym;
    ad_node *copy = ad_copy(m, s, NULL), *piece = noted(r, s), *restore = noted(r, s);
    ad_term *term = NULL;
    if (leaf_active(s->target, r)) {
        ad_node *pre = ad_block(m);
        int terms = ad_linearize(m, r->fn, &copy->value, leaf_active, r, pre, &term);
        for (int i = 0; i < pre->kids; i++) append_forward(r, g, k, pre->kid[i]);
        transpose(r, s, term, terms, piece);
    }
    ad_syms reads = {0};
    ad_exposed(m, piece, &reads);
    ad_keep_target(r, g, k, s->target, &reads, restore);
    ad_reads(m, restore, &reads);
    ad_unite(m, &g->needed, &reads);
    for (int i = 0; i < piece->kids; i++) {
        if (!piece->kid[i]->place.line) piece->kid[i]->place = s->place;
        ad_append(m, restore, piece->kid[i]);
    }
    ad_append(m, k->rev, restore);
    if (!direct(r, target)) ad_append(m, k->fwd, copy);
}

static void declaration(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *s)
{
    append_forward(r, g, k, ad_copy(r->m, s, NULL));
    if (s->sym->number < r->syms && ad_active(&r->activity, s->sym)) ad_adjoint_decl(r, s->sym, k->branch ? g->decl : k->fwd);
}

static void choice(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *s)
{
    ad_arena *m = r->m;
    const ad_node *no = s->no;
    ad_syms written = {0}, reads = {0};
    ad_writes(m, s, &written);
    ad_node *condition = ad_keep_value(r, g, k, s->condition, &written, "taken");
    ad_track arm[2];
    for (int i = 0; i < 2; i++) {
        arm[i] = (ad_track){ad_block(m), ad_block(m), 1};
        if (i == 0 || no) ad_reverse_block(r, g, &arm[i], i ? no : s->yes);
    }
    ad_node *fwd = ad_if(m, ad_copy(m, condition, NULL), arm[0].fwd, no ? arm[1].fwd : NULL);
    ad_node *back[2] = {ad_block(m), ad_block(m)};
    for (int i = 0; i < 2; i++) ad_unwind(r, &arm[i], back[i]);
    ad_node *rev = ad_if(m, condition, back[0], back[1]->kids ? back[1] : NULL);
    ad_node *piece = noted(r, s);
    fwd->place = rev->place = s->place;
    ad_append(m, k->fwd, fwd);
    if (back[0]->kids || back[1]->kids) ad_append(m, piece, rev);
    ad_reads(m, piece->kids ? condition : NULL, &reads);
    ad_unite(m, &g->needed, &reads);
    ad_append(m, k->rev, piece);
}

void ad_reverse_block(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *block)
{
    for (int i = 0; i < block->kids; i++) {
        const ad_node *s = block->kid[i];
        switch (s->op) {
        case AD_BLOCK: ad_reverse_block(r, g, k, s); break;
        case AD_DECL: declaration(r, g, k, s); break;
        case AD_SET:
        case AD_INC: assignment(r, g, k, s); break;
        case AD_IF: choice(r, g, k, s); break;
        case AD_FOR: ad_reverse_for(r, g, k, s); break;
        default: break;
        }
    }
}

/* ---- the function -------------------------------------------------------------------------------------------------------- */

static ad_sym *parameter(ad_reversal *r, const char *name, ad_role role)
{
    ad_sym *s = ad_sym_new(r->m, r->fn, name, AD_DOUBLE, role);
    s->array = s->lane = 1;
    ad_include(r->m, &r->adjoints, s);
    return s;
}

/* u, yb, pb instead of out; data stays last. */
static void signature(ad_reversal *r, unsigned wrt)
{
    ad_fn *fn = r->fn;
    ad_sym *old[AD_PARAMS];
    int count = fn->params, n = 0;
    for (int i = 0; i < count; i++) old[i] = fn->param[i];
    for (int i = 0; i < count; i++)
        if (old[i] != fn->out && old[i] != fn->data) fn->param[n++] = old[i];
    fn->param[n++] = fn->u = parameter(r, "u", AD_INPUT);
    fn->u->extent = fn->out->extent;
    if ((wrt & AD_BY_Y) && fn->y) {
        fn->param[n++] = fn->yb = parameter(r, "yb", AD_SUM);
        fn->yb->extent = fn->y->extent;
        r->adjoint[fn->y->number] = fn->yb;
    }
    if ((wrt & AD_BY_P) && fn->p) {
        fn->param[n++] = fn->pb = parameter(r, "pb", AD_SUM);
        fn->pb->extent = fn->p->extent;
        r->adjoint[fn->p->number] = fn->pb;
    }
    if (fn->data) fn->param[n++] = fn->data;
    fn->params = n;
}

/* out becomes a local whose adjoint starts as a copy of the seeds, or disappears. */
static int outputs(ad_reversal *r, ad_node *decl)
{
    ad_arena *m = r->m;
    ad_fn *fn = r->fn;
    if (r->seeds_direct) {
        r->adjoint[fn->out->number] = fn->u;
        return 1;
    }
    fn->out->extent = ad_output_extent(m, fn);
    if (!fn->out->extent) return 0;
    fn->out->role = AD_LOCAL;
    ad_append(m, decl, ad_decl(m, fn->out));
    ad_append(m, decl, ad_decl(m, ad_adjoint(r, fn->out)));
    ad_append(m, decl, ad_fill(r, ad_adjoint(r, fn->out), fn->u));
    return 1;
}

static void keep_status(ad_reversal *r, ad_node *body)
{
    ad_fn *fn = r->fn;
    if (!fn->status) return;
    ad_sym *s = ad_sym_new(r->m, fn, fn->status->name, fn->status->type, AD_LOCAL);
    s->ctype = fn->status->ctype;
    ad_append(r->m, body, ad_decl(r->m, s));
    ad_append(r->m, body, ad_set(r->m, ad_use(r->m, s), ad_use(r->m, fn->status)));
    fn->status = s;
}

ad_fn *ad_reverse(ad_arena *m, const ad_fn *f, unsigned wrt)
{
    ad_reversal r = {.m = m, .fn = ad_fn_copy(m, f, NULL)};
    ad_fn *fn = r.fn;
    fn->name = ad_text(m, "%s_vjp", f->name);
    ad_syms inputs = {0};
    if ((wrt & AD_BY_Y) && fn->y) ad_include(m, &inputs, fn->y);
    if ((wrt & AD_BY_P) && fn->p) ad_include(m, &inputs, fn->p);
    r.activity = ad_activity_of(m, fn, &inputs, NULL);
    r.syms = fn->syms;
    r.trust = ad_trust_of(m, fn);
    r.adjoint = ad_take(m, ((size_t)fn->syms + 1) * sizeof *r.adjoint);
    r.seeds_direct = ad_outputs_once(m, fn, &r.activity);
    ad_node *source = fn->body;
    signature(&r, wrt);
    ad_region g = {ad_block(m), {0}};
    ad_track k = {ad_block(m), ad_block(m), 0};
    if (!outputs(&r, g.decl)) return NULL;
    ad_reverse_block(&r, &g, &k, source);
    fn->body = ad_block(m);
    ad_append_all(m, fn->body, g.decl);
    ad_append_all(m, fn->body, k.fwd);
    keep_status(&r, fn->body);
    ad_unwind(&r, &k, fn->body);
    fn->out = NULL;
    fn->body = ad_copy(m, fn->body, NULL);
    return fn;
}
