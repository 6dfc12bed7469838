/* lower.h - from C as it was written to the tree of tree.h.
 *
 * A reference (ac_ref) is where an object lives. The objects of the tree are scalars and one-dimensional arrays, so an array
 * of structs {double x; int n[2];} s[5] is kept as one symbol for each scalar in the struct, its leaves: s_x of 5 and s_n of
 * 10 elements. Element k of the objects that a reference walks over is, for its scalar, base + k. A pointer is a reference to
 * what it points to. Objects that belong to the user's data are C text instead (AD_RAW); they can only be read.
 *
 * Expressions are lowered to trees without side effects; what they do besides (calls that are inlined, x++) becomes statements
 * in cx->block before, or in cx->after behind, the statement they are in. */
#ifndef COSTATE_AD_LOWER_H
#define COSTATE_AD_LOWER_H

#include "front/ast.h"
#include "front/front.h"

typedef enum ac_where { R_LEAVES, R_RAW, R_VALUE } ac_where;

struct ac_ref {
    ac_where where;
    ac_type *type;    /* of the object */
    ad_sym **leaf;    /* R_LEAVES: its symbols; one for each scalar in the type */
    ad_node *base;    /* of a single leaf: elements before the first object; NULL: 0 */
    int is_flat;         /* R_LEAVES: leaf[0] is an array of doubles, seen as structs of doubles: all offsets are in doubles */
    ad_node *index;   /* number of the object; NULL: 0 */
    const char *text; /* R_RAW: C text with % for each kid */
    ad_node **kid;
    int kids;
    int is_object;     /* R_RAW: text is the object; else a pointer to the first of several, and index counts */
    ad_node *value;    /* R_VALUE: a parameter that stands for an expression */
    ac_entity *entity; /* variable it belongs to, for messages */
};

/* What an expression gives: a number (node), or for pointers, arrays and structs a reference. type NULL: an error was
 * reported. */
typedef struct ac_value {
    ac_type *type;
    ad_node *node;
    ac_ref ref;
} ac_value;

/* A function that is being inlined, or the outermost one. */
typedef struct ac_frame {
    ac_entity *function;
    ac_ref *result;  /* where return puts its value; NULL: nowhere, or `value` takes it */
    ac_value *value; /* the value of the only return, which ends the function */
    ad_sym *done;    /* 1 after a return */
    struct ac_frame *outer;
} ac_frame;

typedef struct ac_loop {
    ad_sym *stop, *skip; /* 1 after break, after continue */
    struct ac_loop *outer;
} ac_loop;

/* Marks of symbols: assigned once; a flag of the control flow; one that is read. */
enum { M_STABLE = 1, M_FLAG = 2, M_NEEDED = 4 };


typedef struct ac_lower {
    ac_unit *u;
    ad_arena *m;
    ad_diag *d;
    ad_fn *fn;
    ad_node *block; /* statements go here */
    ad_node *after; /* x++ inside an expression goes here */
    ad_place place; /* of the statement */
    ac_frame *frame;
    ac_loop *loop;
    unsigned char *mark; /* by number of symbol */
    int mark_room;
    int depth; /* nesting of blocks and inlined functions */
    long statements, calls;
    int lazy;          /* inside an operand that may not be evaluated */
    ac_expr *whole;    /* the full expression that is being lowered */
    ac_entity **bound; /* entities of the file that got a symbol of this function */
    int bounds, bound_room;
    int raw;          /* 1: the user's data are read */
    jmp_buf *give_up; /* the function is too large */
} ac_lower;

/* lower.c */
ad_fn *ac_lower_function(ac_unit *u, ac_entity *function, const ac_signature *signature, int *raw);
void ac_emit(ac_lower *cx, ad_node *statement);
void ac_mark(ac_lower *cx, const ad_sym *s, int mark);
int ac_marked(const ac_lower *cx, const ad_sym *s, int mark);
ad_sym *ac_symbol(ac_lower *cx, const char *name, ac_type *type, ad_role role);
ad_sym *ac_temporary(ac_lower *cx, const char *name, ac_type *type, ad_node *value); /* declared and set */
int ac_stable(const ac_lower *cx, const ad_node *n); /* 1: its value does not change while the symbols in it are in scope */
ad_node *ac_frozen(ac_lower *cx, ad_node *n, const char *name); /* n, or a temporary that keeps its value */
void ac_bind_global(ac_lower *cx, ac_entity *v, ac_ref *ref);

/* lower_expr.c */
ac_value ac_rvalue(ac_lower *cx, ac_expr *e);
ad_node *ac_truth(ac_lower *cx, ac_expr *e);               /* an integer that is not 0 where e holds */
ac_value ac_full(ac_lower *cx, ac_expr *e); /* a full expression: what x++ in it does is done after it is evaluated */
ad_node *ac_full_truth(ac_lower *cx, ac_expr *e);
void ac_effect(ac_lower *cx, ac_expr *e); /* an expression as a statement */
int ac_assign(ac_lower *cx, const ac_ref *to, const ac_value *v, ad_place place);
ac_value ac_bad(void);
ac_value ac_of(ac_type *t, ad_node *n);
ad_node *ac_converted(ac_lower *cx, ac_value v, ac_type *to, ad_place place);

/* lower_arith.c */
ac_value ac_binary(ac_lower *cx, ad_op op, ac_value a, ac_value b, ad_place place);
ad_node *ac_int_op(ac_lower *cx, ad_op op, ad_node *a, ad_node *b); /* folds constants */
ad_node *ac_rounded(ac_lower *cx, ad_node *n); /* to float */
ad_node *ac_convert(ac_lower *cx, ac_value v, ac_type *to, int is_explicit);
ac_type *ac_arith_types(ac_lower *cx, ac_value *a, ac_value *b); /* brings both to their common type */
int ac_whole_of(const ad_node *n, int64_t *value);
ac_type *ac_node_type(const ad_node *n); /* the C type of an integer tree */

/* lower_ref.c */
int ac_lvalue(ac_lower *cx, ac_expr *e, ac_ref *out);
ac_value ac_load(ac_lower *cx, const ac_ref *r, ad_place place);
ad_node *ac_target(ac_lower *cx, const ac_ref *r, ad_place place); /* AD_NAME or AD_ELEM to assign to; NULL after an error */
ac_ref ac_element(ac_lower *cx, const ac_ref *array, ad_node *index, ad_place place); /* of an array */
ac_ref ac_move(ac_lower *cx, const ac_ref *r, ad_node *by);                           /* pointer arithmetic */
ac_ref ac_decay(ac_lower *cx, const ac_ref *array);                                   /* the first element of an array */
int ac_member_ref(ac_lower *cx, const ac_ref *object, ac_name *name, ad_place place, ac_ref *out);
int ac_leaves(const ac_type *t); /* scalars in a type, arrays counted once */
ad_node *ac_length(ac_lower *cx, const ac_type *array);
ad_node *ac_scalars(ac_lower *cx, const ac_type *t);                      /* elements of the leaf of a type that has one */
ac_value ac_point(ac_lower *cx, ac_value v, ac_type *to, ad_place place); /* a pointer cast */
const char *ac_ref_name(ac_lower *cx, const ac_ref *r);

/* lower_decl.c */
void ac_declare_local(ac_lower *cx, ac_entity *v, ad_place place);
int ac_local_object(ac_lower *cx, ac_entity *v, ac_ref *out); /* symbols for a variable, declared in the block; may be written */
void ac_initialize(ac_lower *cx, const ac_ref *to, ac_init *init);
int ac_constant_object(ac_lower *cx, ac_entity *v, ac_ref *out); /* a const variable of known value */
void ac_zero_object(ac_lower *cx, const ac_ref *to, ad_place place);
/* A loop of the lowering's own: returns its counter, statements go into its body until ac_end_each(cx, outer). */
ad_sym *ac_begin_each(ac_lower *cx, ad_node *count, ad_node **outer);
void ac_end_each(ac_lower *cx, ad_node *outer);
int ac_fix_type(ac_lower *cx, ac_type *t, ad_place place); /* evaluates sizes of variable length */
int ac_copy_object(ac_lower *cx, const ac_ref *to, const ac_ref *from, ad_place place);

/* lower_init.c */
typedef struct ac_table { /* a const object under construction: the text of each element */
    ad_sym **leaf;
    int leaves;
    const char ***value;
    int64_t *count;
    int failed;     /* 1: an element is not constant */
    ad_place place; /* of that element */
} ac_table;
void ac_fill(ac_lower *cx, const ac_ref *to, ac_init *init, ac_table *table); /* table NULL: by statements */

/* lower_stmt.c */
void ac_statements(ac_lower *cx, ac_stmt *first);
void ac_lower_block(ac_lower *cx, ad_node *block, ac_stmt *first); /* into a block of its own */
ad_node *ac_guard(ac_lower *cx, int exits);                        /* !(flags): 1 while control has not left */

/* lower_loop.c */
void ac_lower_for(ac_lower *cx, ac_stmt *s);

/* lower_call.c */
ac_value ac_call(ac_lower *cx, ac_expr *e, int as_statement);
/* lower_lib.c */
int ac_library(ac_lower *cx, ac_expr *e, const char *name, int as_statement,
               ac_value *out); /* 1: it was one, *out is its value */
const char *ac_nearest(ac_lower *cx, const char *name);

/* tidy.c */
void ac_tidy(ac_lower *cx); /* drops flags that nobody reads, empty branches, unused symbols; moves declarations inwards */

/* assigned.c */
void ac_assigned(ac_lower *cx, long observations); /* errors for what is not set; how many values k has, -1: not known */

/* range.c */
void ac_ranges(ac_lower *cx); /* errors for indices that leave their array as a loop runs */

#endif
