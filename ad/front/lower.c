/* lower.c - a function of the model: its parameters, its body, its symbols. */
#include "front/lower.h"
#include "front/residual.h"

#include <string.h>

enum { STATEMENTS_MAX = 3000000 };

/* ---- statements and symbols ------------------------------------------------------------------------------------------------ */

void ac_emit(ac_lower *cx, ad_node *statement)
{
    statement->place = cx->place;
    ad_append(cx->m, cx->block, statement);
    if (++cx->statements <= STATEMENTS_MAX) return;
    ad_error(cx->d, cx->place, "loops instead of repeated calls",
             "with its helpers inlined this function has more than %d statements", STATEMENTS_MAX);
    longjmp(*cx->give_up, 1);
}

void ac_mark(ac_lower *cx, const ad_sym *s, int mark)
{
    if (s->number >= cx->mark_room) {
        const int room = 2 * s->number + 64;
        cx->mark = ad_grow(cx->m, cx->mark, (size_t)cx->mark_room, (size_t)room);
        memset(cx->mark + cx->mark_room, 0, (size_t)(room - cx->mark_room));
        cx->mark_room = room;
    }
    cx->mark[s->number] |= (unsigned char)mark;
}

int ac_marked(const ac_lower *cx, const ad_sym *s, int mark)
{
    return s->number < cx->mark_room && (cx->mark[s->number] & mark);
}

ad_sym *ac_symbol(ac_lower *cx, const char *name, ac_type *type, ad_role role)
{
    ad_sym *s = ad_sym_new(cx->m, cx->fn, name, type->class == T_DOUBLE ? AD_DOUBLE : AD_INT, role);
    if (type->class == T_INT) s->ctype = type->rank == 0 ? "int" : type->text;
    s->place = cx->place;
    return s;
}

ad_sym *ac_temporary(ac_lower *cx, const char *name, ac_type *type, ad_node *value)
{
    ad_sym *s = ac_symbol(cx, name, type, AD_LOCAL);
    ac_emit(cx, ad_decl(cx->m, s));
    ac_emit(cx, ad_set(cx->m, ad_use(cx->m, s), value));
    ac_mark(cx, s, M_STABLE);
    return s;
}

int ac_stable(const ac_lower *cx, const ad_node *n)
{
    if (!n) return 1;
    if (n->sym && n->sym->role == AD_LOCAL && (n->op != AD_NAME || !ac_marked(cx, n->sym, M_STABLE))) return 0;
    if (n->sym && (n->sym->role == AD_OUTPUT || n->sym->role == AD_SUM)) return 0;
    for (int i = 0; i < n->kids; i++) {
        if (!ac_stable(cx, n->kid[i])) return 0;
    }
    return 1;
}

ad_node *ac_frozen(ac_lower *cx, ad_node *n, const char *name)
{
    if (ac_stable(cx, n)) return n;
    return ad_use(cx->m, ac_temporary(cx, name, ac_node_type(n), n));
}

void ac_bind_global(ac_lower *cx, ac_entity *v, ac_ref *ref)
{
    if (cx->bounds == cx->bound_room) {
        const int room = 2 * cx->bound_room + 16;
        cx->bound = ad_grow(cx->m, cx->bound, (size_t)cx->bound_room * sizeof *cx->bound, (size_t)room * sizeof *cx->bound);
        cx->bound_room = room;
    }
    cx->bound[cx->bounds++] = v;
    v->bound = ref;
}

/* ---- parameters ------------------------------------------------------------------------------------------------------------ */

typedef enum shape { NUMBER, READ, WRITTEN, COUNT, DATA, OTHER } shape;

static shape shape_of(const ac_entity *v)
{
    const ac_type *t = v->type;
    if (t->class == T_DOUBLE) return ac_is_float(t) ? OTHER : NUMBER;
    if (t->class == T_INT) return COUNT;
    if (t->class != T_POINTER) return OTHER;
    if (t->of->class == T_DOUBLE && !ac_is_float(t->of)) return t->of->is_const ? READ : WRITTEN;
    if (t->of->class == T_VOID || t->of->class == T_STRUCT) return DATA;
    return OTHER;
}

/* What may stand among the arguments of model.def: its slot, its shape, the member of ad_fn that it becomes. */
typedef struct argument {
    const char *slot;
    shape shape;
    size_t member;
} argument;

static const argument inputs[] = {{"k", COUNT, offsetof(ad_fn, k)},
                                  {"i", COUNT, offsetof(ad_fn, nth)},
                                  {"t", NUMBER, offsetof(ad_fn, t)},
                                  {"y", READ, offsetof(ad_fn, y)},
                                  {"yp", READ, offsetof(ad_fn, yp)},
                                  {"p", READ, offsetof(ad_fn, p)}};
static const argument output = {"out", WRITTEN, offsetof(ad_fn, out)}, user_data = {"data", DATA, offsetof(ad_fn, data)},
                      mode = {"mode", COUNT, offsetof(ad_fn, mode)};

/* The first argument of a list "k, t, y, p, g", which moves on. The last one is the output, whatever its name, unless there is a
 * comma behind it, as of a function that returns what it has to say. */
static const argument *take_argument(const char **list, int *length)
{
    const char *word = *list;
    const argument *a = inputs;
    *length = (int)strcspn(word, ",");
    *list = word + *length + strspn(word + *length, ", ");
    if (!**list && !word[*length]) return &output;
    while (strncmp(a->slot, word, (size_t)*length) != 0 || a->slot[*length]) a++;
    return a;
}

/* The argument that parameter v of a function is: the next of the list, or the mode, which may be in front of t. */
static const argument *match_argument(const ac_entity *v, const char **list, int *length)
{
    if (strncmp(*list, "t,", 2) == 0 && shape_of(v) == COUNT) return &mode;
    return take_argument(list, length);
}

static int has_arguments(const ac_entity *f, const char *list)
{
    const ac_entity *v = f->type->param;
    for (int length; v && *list; v = v->next) {
        const argument *a = match_argument(v, &list, &length);
        const shape wanted = a->shape, s = shape_of(v);
        if (s != wanted && !(s == WRITTEN && wanted == READ)) return 0; /* double *y, without const */
        if (a == &mode && (!v->next || shape_of(v->next) != NUMBER)) return 0;
    }
    return !*list && (!v || (shape_of(v) == DATA && !v->next));
}

/* The list of arguments as C. */
static const char *arguments_text(ad_arena *m, const char *list)
{
    static const char *const type[] = {[NUMBER] = "double ", [READ] = "const double *", [WRITTEN] = "double *", [COUNT] = "int "};
    const char *text = "(";
    for (int length; *list;) {
        const char *word = list;
        const shape s = take_argument(&list, &length)->shape;
        text = ad_text(m, "%s%s%.*s%s", text, type[s], length, word, *list ? ", " : ")");
    }
    return text;
}

/* 1: an integer that a mode would be is in front of the arguments of a function that has none. */
static int has_mode_too(const ac_entity *f, const char *list)
{
    const ac_entity *v = f->type->param;
    return v && shape_of(v) == COUNT && v->next && !strstr(list, "t,") && shape_of(v->next) == (*list == 'k' ? COUNT : READ);
}

/* The arguments that a function has; NULL after an error. */
static const char *arguments_of(ac_lower *cx, const ac_entity *f, const ac_signature *known)
{
    const char *list = known->arguments ? known->arguments : ad_functions[0].arguments;
    if (known->arguments && has_arguments(f, list)) return list;
    for (int i = 0; !known->arguments && i < AD_FUNCTIONS; i++)
        if (has_arguments(f, ad_functions[i].arguments)) return ad_functions[i].arguments;
    const char *wanted = arguments_text(cx->m, list);
    if (known->arguments && has_mode_too(f, list)) {
        ad_error(cx->d, f->place, wanted, "'%s' has no mode: .%s is asked before there is one", f->name->text, known->member);
        return NULL;
    }
    const char *of = known->arguments ? ad_text(cx->m, ".%s", known->member) : "a function of a model";
    ad_error(cx->d, f->place, wanted, "the parameters of '%s' are not those of %s", f->name->text, of);
    return NULL;
}

static ad_sym *parameter(ac_lower *cx, ac_entity *v, const argument *a, const char *usual, const ac_signature *sizes)
{
    ad_fn *fn = cx->fn;
    const int whole = a->shape == COUNT || a->shape == DATA;
    const char *name = v->name ? v->name->text : usual;
    ad_sym *s = ad_sym_new(cx->m, fn, name, whole ? AD_INT : AD_DOUBLE, a->shape == WRITTEN ? AD_OUTPUT : AD_INPUT);
    s->user = name;
    s->place = v->place;
    s->array = a->shape == READ || a->shape == WRITTEN;
    if (whole) s->ctype = a->shape == DATA ? "void *" : v->type->text;
    *(ad_sym **)((char *)fn + a->member) = s;
    const long size = s == fn->y || s == fn->yp ? sizes->states : s == fn->p ? sizes->params : s == fn->out ? sizes->outputs : -1;
    if (size >= 0) s->extent = ad_whole(cx->m, size);
    fn->param[fn->params++] = s;
    return s;
}

static void bind_parameter(ac_lower *cx, ac_entity *v, ad_sym *s)
{
    ac_ref *r = ad_take(cx->m, sizeof *r);
    *r = (ac_ref){.entity = v};
    if (s == cx->fn->data) {
        r->where = R_RAW;
        r->type = v->type->of;
        r->text = r->type->class == T_VOID ? s->name : ad_text(cx->m, "((const %s *)%s)", r->type->text, s->name);
    } else {
        if (v->writes > 1 && !s->array) { /* a number that the function changes: a copy of its own */
            ad_sym *copy = ac_temporary(cx, s->name, v->type, ad_use(cx->m, s));
            copy->user = s->user;
            cx->mark[copy->number] = 0;
            s = copy;
        }
        r->type = s->array ? v->type->of : v->type;
        r->leaf = ad_take(cx->m, sizeof *r->leaf);
        r->leaf[0] = s;
    }
    v->bound = r;
}

static int parameters(ac_lower *cx, ac_entity *f, const ac_signature *known)
{
    const char *list = arguments_of(cx, f, known);
    if (!list) return 0;
    for (ac_entity *v = f->type->param; v; v = v->next) {
        int length = 0;
        const char *word = list;
        const argument *a = *list ? match_argument(v, &list, &length) : &user_data;
        parameter(cx, v, a, a == &user_data || a == &mode ? a->slot : ad_text(cx->m, "%.*s", length, word), known);
    }
    int n = 0;
    for (ac_entity *v = f->type->param; v; v = v->next) bind_parameter(cx, v, cx->fn->param[n++]);
    return 1;
}

/* ---- the function ---------------------------------------------------------------------------------------------------------- */

/* 1: some return gives something else than 0. */
static int returns_status(ac_lower *cx, const ac_stmt *s)
{
    for (; s; s = s->next) {
        ac_constant k;
        if (s->op == S_RETURN && s->expr && !(ac_evaluate(cx->m, s->expr, &k) && !k.is_double && k.whole == 0)) return 1;
        if ((s->op == S_BLOCK && returns_status(cx, s->first)) || (s->body && returns_status(cx, s->body)) ||
            (s->otherwise && returns_status(cx, s->otherwise)))
            return 1;
    }
    return 0;
}

/* 1: control can leave the function before its last statement. */
static int leaves_early(const ac_stmt *body)
{
    for (const ac_stmt *s = body->first; s; s = s->next) {
        if (s->op != S_RETURN && (s->exits & EXIT_RETURN)) return 1;
        if (s->always) return 0;
    }
    return 0;
}

/* What is written holds y on entry. */
static void start_from_states(ac_lower *cx, long states)
{
    ad_node *outer;
    ad_sym *i = ac_begin_each(cx, ad_whole(cx->m, states), &outer);
    ac_emit(cx, ad_set(cx->m, ad_elem(cx->m, cx->fn->out, ad_use(cx->m, i)), ad_elem(cx->m, cx->fn->y, ad_use(cx->m, i))));
    ac_end_each(cx, outer);
}

static void lower_body(ac_lower *cx, ac_entity *f)
{
    ac_frame frame = {.function = f};
    ac_ref status = {.type = ac_int(AC_INT)};
    if (f->type->of->class != T_VOID && returns_status(cx, f->body->first)) {
        ad_sym *s = ac_temporary(cx, "status", ac_int(AC_INT), ad_whole(cx->m, 0));
        cx->fn->returns = 1;
        cx->fn->status = s;
        status.leaf = ad_take(cx->m, sizeof *status.leaf);
        status.leaf[0] = s;
        frame.result = &status;
    }
    if (leaves_early(f->body)) {
        frame.done = ac_symbol(cx, "done", ac_int(AC_INT), AD_LOCAL);
        ac_mark(cx, frame.done, M_FLAG);
        ac_emit(cx, ad_decl(cx->m, frame.done));
        ac_emit(cx, ad_set(cx->m, ad_use(cx->m, frame.done), ad_whole(cx->m, 0)));
    }
    cx->frame = &frame;
    ac_statements(cx, f->body->first);
}

ad_fn *ac_lower_function(ac_unit *u, ac_entity *f, const ac_signature *sizes, int *raw)
{
    jmp_buf give_up;
    const int errors = ad_diag_count(u->d);
    ac_lower *cx = ad_take(u->m, sizeof *cx);
    ad_fn *fn = ad_take(u->m, sizeof *fn);
    *cx = (ac_lower){.u = u, .m = u->m, .d = u->d, .fn = fn, .place = f->place, .give_up = &give_up};
    fn->name = f->name->text;
    fn->place = f->place;
    cx->block = fn->body = ad_block(u->m);
    if (f->type->of->class != T_VOID && f->type->of->class != T_INT) {
        ad_error(u->d, f->place, "void or int", "'%s' returns %s", f->name->text, ac_a_type(u->m, f->type->of));
        return NULL;
    }
    if (!ac_body(u, f) || f->active || !parameters(cx, f, sizes)) return NULL;
    f->active = 1;
    if (!setjmp(give_up)) {
        if (sizes->starts_from_states && sizes->states > 0) start_from_states(cx, sizes->states);
        lower_body(cx, f);
        if (ad_diag_count(u->d) == errors) ac_assigned(cx, sizes->observations);
        if (ad_diag_count(u->d) == errors) ac_tidy(cx);
        if (ad_diag_count(u->d) == errors) ac_ranges(cx);
        if (ad_diag_count(u->d) == errors && fn->yp) ac_residual(u->m, fn, sizes->states);
    }
    f->active = 0;
    for (int i = 0; i < cx->bounds; i++) cx->bound[i]->bound = NULL;
    *raw |= cx->raw;
    return ad_diag_count(u->d) == errors ? fn : NULL;
}
