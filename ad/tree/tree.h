/* tree.h - the tree that every pass of costate diff reads and writes.
 *
 * The front end (lex, parse, check, lower) turns each function of a model into one ad_fn in this small language; tangent and
 * reverse turn an ad_fn into another ad_fn of the same language, so that passes compose: forward over reverse is
 * tangent(reverse(f)). What remains of C after lowering:
 *
 *   - one function, no calls but those of rules.def: helpers are inlined, recursion was refused;
 *   - scalars and one-dimensional arrays: a[i][j] has become a[i*m + j], pointers have become the array they point into
 *     and an offset, local structs one symbol per member;
 *   - statements are a declaration, an assignment (= or +=), if/else, for with a counter that nothing else writes, a block, and,
 *     from reverse on, push and pop. return, break and continue have become flags and if's, `x *= e` has become `x = x * e`;
 *   - expressions have no side effects. && || and ?: evaluate lazily, as in C;
 *   - a symbol is declared in the innermost block in which it lives, before it is used, and has a name that is unique in the
 *     function.
 *
 * Derivatives exist for symbols of type double. Those that a pass adds may carry lanes: one value for each of the w directions
 * or seeds. An expression that contains a lane symbol has lanes; a statement whose target has lanes is executed for each of
 * them. Conditions, bounds and indices never have lanes.
 *
 * All nodes, symbols and strings live in an arena; nothing is freed singly. What makes one function of another copies it; what
 * works in place says so. */
#ifndef COSTATE_AD_TREE_H
#define COSTATE_AD_TREE_H

#include "base/arena.h"
#include "base/place.h"
#include "tree/functions.h"

#include <stddef.h>
#include <stdint.h>

/* ---- symbols --------------------------------------------------------------------------------------------------------- */

typedef enum ad_type { AD_INT, AD_DOUBLE } ad_type;

typedef enum ad_role {
    AD_LOCAL,   /* declared in the body */
    AD_COUNTER, /* of a for; declared by it */
    AD_INPUT,   /* parameter that is read: t, k (scalars), y, p, seeds, directions */
    AD_OUTPUT,  /* parameter that is written, every element before it is read: f, g, fdot */
    AD_SUM,     /* parameter that is only ever added to: yb, pb */
    AD_CONST    /* static const table or scalar of the file: passive; `text` is its definition */
} ad_role;

typedef struct ad_node ad_node;

typedef struct ad_sym {
    const char *name;  /* unique within the function */
    ad_type type;
    const char *ctype; /* of an integer: "int", "long", "size_t", ...; as the user has it, so that arithmetic stays his */
    ad_role role;
    int array;         /* 1: array */
    ad_node *extent;   /* of an array: elements, a passive integer expression; NULL: unknown (input and output parameters) */
    int lane;          /* 1: w values */
    int steep;         /* of a temporary of derivatives: 1: 0 where a slope is infinite, as sqrt's result; 2: infinite there */
    int grows;         /* 1: an exponential or a power may be in it (grows.h) */
    int divides;       /* 1: a quotient, of which a product with another one may underflow (linearize.c) */
    uint32_t from;     /* parameters of the function that its value is computed from, a bit for each (trust.h) */
    int calm;          /* of a tangent: 1: that of something calm (trust.h) */
    int points;        /* 1: a parameter of which there is one for each point (reverse.h, ad_over_points) */
    const char *text;  /* AD_CONST: the C text of its definition, e.g. "static const double k[3] = {1, 2, 3};" */
    const char *user;  /* the user's name for it; NULL: a temporary */
    const char *slot;  /* of a parameter: what it is, see below; NULL: a member of ad_fn says it */
    ad_place place;
    int number;        /* position in ad_fn.syms */
} ad_sym;

/* ---- nodes ----------------------------------------------------------------------------------------------------------- */

typedef enum ad_op {
    /* expressions */
    AD_NUM,    /* floating literal: real; text as the user wrote it */
    AD_WHOLE,  /* integer literal or enumerator: whole; text: how to print it, or NULL */
    AD_NAME,   /* scalar sym */
    AD_ELEM,   /* sym[index] */
    AD_RAW,    /* passive value that is kept as C text (a member of the user's data): text with a % for each kid in turn;
                  type says what it is */
    AD_NEG, AD_NOT, AD_BITNOT,                  /* -a  !a  ~a */
    AD_ADD, AD_SUB, AD_MUL, AD_DIV, AD_MOD,     /* of integers or doubles; mixed operands have an AD_TO_DOUBLE between */
    AD_SHL, AD_SHR, AD_BITAND, AD_BITOR, AD_XOR,
    AD_LT, AD_LE, AD_GT, AD_GE, AD_EQ, AD_NE,   /* integer result */
    AD_AND, AD_OR,
    AD_COND,   /* condition ? yes : no; yes and no of one type */
    AD_CALL,   /* rule(a) or rule(a, b); text "f": of floats */
    AD_TO_DOUBLE, AD_TO_INT, /* conversions of a; AD_TO_INT: ctype in text; AD_TO_DOUBLE: the cast, NULL: (double) */

    /* statements */
    AD_DECL,   /* declares sym, without a value; an array is NOT zeroed */
    AD_SET,    /* target = value; target is AD_NAME or AD_ELEM */
    AD_INC,    /* target += value, doubles only; integer x += e is AD_SET x = x + e */
    AD_IF,     /* if (condition) yes else no; yes is an AD_BLOCK, no an AD_BLOCK or NULL */
    AD_FOR,    /* for (sym = first; sym < end; sym += step) body, step > 0, or sym > end, step < 0; body is an AD_BLOCK. first and
                  end are evaluated once; sym is an AD_COUNTER written by nothing else, and not read after the loop */
    AD_BLOCK,  /* kid[0 .. kids-1] in order; a scope */
    AD_PUSH,   /* puts target (a scalar: AD_NAME or AD_ELEM) on the tape. pair, if not 0: what this push and its pop share */
    AD_POP,    /* target = top of the tape */
    AD_NOTE    /* a comment for the emitted code: text */
} ad_op;

struct ad_node {
    ad_op op;
    ad_type type;    /* of an expression */
    ad_place place;  /* of a statement at least */
    ad_sym *sym;
    const char *text;
    const char *ctype;        /* AD_RAW of an integer: its C type; NULL: int */
    union {
        double real;          /* AD_NUM */
        int64_t whole;        /* AD_WHOLE */
        int64_t step;         /* AD_FOR */
        int64_t pair;         /* AD_PUSH, AD_POP */
        int64_t closed;       /* AD_BLOCK, in the front end: 1: lowered */
    };
    int within;               /* 1: it was in a divisor or an argument of a call, before it became a temporary (grows.h) */
    struct ad_rows *rows;     /* AD_FOR: pointers that go along with it (row_pointers.c); NULL: none */
    int rule;                 /* AD_CALL: line of rules.def, enum ad_rule in rules.h */
    int simd;                 /* AD_FOR: 1: iterations are independent but for AD_INC's: emit may have them executed as vectors */
    int kids, room;
    ad_node **kid;            /* all children in order; but for those of blocks and AD_RAW they have names, too: */
    union {
        struct { ad_node *a, *b; };                 /* of operators, conversions and calls */
        ad_node *index;                             /* AD_ELEM */
        struct { ad_node *condition, *yes, *no; };  /* AD_COND, AD_IF */
        struct { ad_node *target, *value; };        /* AD_SET, AD_INC; AD_PUSH, AD_POP: target */
        struct { ad_node *first, *end, *body; };    /* AD_FOR */
        ad_node *named[3];
    };
};

enum { AD_FETCHES = 4 };

/* A pointer that moves on with the iterations of a loop: sym = array + start before the first, sym += step after each. Elements
 * that rows to come need are asked for in advance, in every iteration `step` of them from sym[fetch[k]] on. */
typedef struct ad_row {
    ad_sym *sym;
    const ad_sym *array;
    ad_node *start;
    int64_t step;
    int fetches;
    int64_t fetch[AD_FETCHES];
} ad_row;

typedef struct ad_rows {
    int count;
    ad_row row[];
} ad_rows;

/* ---- functions and models ---------------------------------------------------------------------------------------------- */

enum { AD_PARAMS = 24 };

/* What a function is, so that a pass knows which parameters to give a derivative. In the order of the C signature. */
typedef struct ad_fn {
    const char *name;         /* of the user's function, or what the pass calls it */
    int params;
    ad_sym *param[AD_PARAMS]; /* role AD_INPUT, AD_OUTPUT or AD_SUM */
    ad_sym *t, *y, *p, *out, *k, *data; /* of the user's function: those among param, or NULL: not there. data is a pointer */
    ad_sym *yp;               /* of a residual, while it is read */
    ad_sym *mode, *nth;       /* of functions of a model with events, integers; nth: how many events k there were */
    ad_sym *held;             /* which conditions are held (derive/held.h): a pointer; NULL: none are */
    ad_sym *u, *yb, *pb;      /* of what reverse made: seeds (lane inputs) and sums; else NULL */
    ad_sym *points, *point;   /* of what ad_over_points made: how many, and the counter of the loops over them; else NULL */
    int returns;              /* 1: int status (the user's `return 0`, `return 1`): the sym `status` holds it at the end */
    ad_sym *status;
    ad_node *body;            /* AD_BLOCK */
    int syms, room;
    ad_sym **sym;             /* all, params and constants included */
    ad_place place;
    int cut;                  /* emit.h: statements above which the body is cut into functions; 0: AD_LONG */
    void *names;              /* tree.c: the names in use */
} ad_fn;

typedef struct ad_model {
    const char *file, *name;
#define COSTATE_SIZE(name, ...) int name;
#include <costate/model.def>
    int slopes;              /* how many of the states are slopes of the others, as of a residual; 0 */
    ad_fn *fn[AD_FUNCTIONS]; /* by enum ad_function; NULL: not there */
    ad_fn *next_mode;        /* what it returns is the mode; NULL: not there */
    int all_events;          /* events + timed_events */
    int mass_given;          /* 1: the equations may be algebraic ones */
    int unknown_events;      /* 1: lists of theirs are given, and not made of constants */
    int held, timed_held;    /* the last so many of events and of timed_events: conditions that are held (derive/held.h) */
    const char *prelude; /* C text the emitted file needs before its functions: types and const tables of the user's file; "" */
    /* Numbers and lists of the descriptor as C text; NULL: not given, or not made of constants. The loader has them from the
     * user's file, which is compiled. */
#define COSTATE_NUMBER(name, ...) const char *name;
#define COSTATE_WORD(name, ...) const char *name;
#define COSTATE_LIST(name, ...) const char *name;
#include <costate/model.def>
} ad_model;

/* ---- slots: what the parameters of a function are ----------------------------------------------------------------------
 *
 * Parameters are known by their slots. Those of a user's function are "t" "y" "p" "out" "k" "data", with events
 * also "mode" "i" "held"; reverse adds "u" "yb" "pb". The tangent of slot x is "x1" at level 1 and "x2" at level 2, the level 2
 * tangent of "x1" is "x12": out12 is the second directional derivative. */

/* The slot of a parameter; NULL: none. The parameter of a slot; NULL: none. */
const char *ad_slot(const ad_fn *fn, const ad_sym *s);
ad_sym *ad_at_slot(const ad_fn *fn, const char *slot);

/* ---- building (tree.c) -------------------------------------------------------------------------------------------------- */

ad_node *ad_new(ad_arena *m, ad_op op, ad_type type, int kids, ...); /* kids: ad_node * */
ad_node *ad_num(ad_arena *m, double real);
ad_node *ad_whole(ad_arena *m, int64_t whole);
ad_node *ad_zero(ad_arena *m, const ad_sym *s);                      /* 0 of the symbol's type */
ad_node *ad_use(ad_arena *m, ad_sym *s);                             /* AD_NAME */
ad_node *ad_elem(ad_arena *m, ad_sym *s, ad_node *index);
ad_node *ad_decl(ad_arena *m, ad_sym *s);
ad_node *ad_set(ad_arena *m, ad_node *target, ad_node *value);
ad_node *ad_inc(ad_arena *m, ad_node *target, ad_node *value);
ad_node *ad_if(ad_arena *m, ad_node *condition, ad_node *yes, ad_node *no);
ad_node *ad_for(ad_arena *m, ad_sym *counter, ad_node *first, ad_node *end, int64_t step, ad_node *body);
ad_node *ad_for_like(ad_arena *m, const ad_node *loop, ad_node *first, ad_node *end, int64_t step, ad_node *body); /* counter and
                                                                        place are the loop's */
ad_node *ad_block(ad_arena *m);
void ad_append(ad_arena *m, ad_node *block, ad_node *statement);     /* NULL: nothing happens */
void ad_append_all(ad_arena *m, ad_node *block, const ad_node *from); /* the statements of another block */
void ad_declare_zero(ad_arena *m, ad_node *block, ad_sym *s);        /* appends the declaration of a scalar, and s = 0 */

/* ---- walking ---------------------------------------------------------------------------------------------------------------
 *
 * Every pass walks statements alike:
 *
 *     for (int i = ad_inner(n); i < n->kids; i++) walk(n->kid[i]);   (an if without else has a NULL there)
 *
 * ad_inner is the first child that is a statement: of a block all are, of an if its branches, of a loop its body. */
static inline int ad_inner(const ad_node *n)
{
    return n->op == AD_BLOCK ? 0 : n->op == AD_IF ? 1 : n->op == AD_FOR ? 2 : n->kids;
}

/* Empties a block and returns one that has its statements, for passes that put others in their place:
 *
 *     const ad_node old = ad_emptied(block);
 *     for (int i = 0; i < old.kids; i++) ad_append(m, block, ... old.kid[i] ...); */
ad_node ad_emptied(ad_node *block);

/* A copy of a tree in which symbols are replaced: map[s->number], or s itself where that is NULL. map NULL: none replaced. */
ad_node *ad_copy(ad_arena *m, const ad_node *n, ad_sym *const *map);

/* A new symbol of fn; its name is `name`, or name_2, name_3, ... if that is taken (by a symbol, a C keyword or a name of
 * math.h). */
ad_sym *ad_sym_new(ad_arena *m, ad_fn *fn, const char *name, ad_type type, ad_role role);

/* A copy of a function with symbols of its own, numbered as before. map (may be NULL): from the old symbols' numbers to the
 * new ones. */
ad_fn *ad_fn_copy(ad_arena *m, const ad_fn *f, ad_sym ***map);

int ad_same(const ad_node *a, const ad_node *b); /* 1: the same expression, symbol by symbol */
int ad_uses(const ad_node *n, const ad_sym *s);  /* 1: s occurs in n, read or written */
int ad_size(const ad_node *n);                   /* statements of n, declarations and notes not counted */
int ad_contains(const ad_node *n, ad_op op);     /* 1: the statement is, or has inside, such a statement */
int ad_has_lanes(const ad_node *e);              /* 1: the expression has a symbol with lanes; indices never have */
int ad_is_held(const ad_node *n);                /* 1: a condition that is held (derive/held.h) */
int ad_on_lanes(const ad_node *n);               /* 1: something in n is executed for each lane */

/* Smart constructors: fold constants, drop 0 and 1, push signs outwards. Exact in the arithmetic of a*1, a+0, -(-a), 0*a = 0
 * (the factor of a derivative that is zero stays zero even where the other one is infinite: as every differentiator of
 * programs does). */
ad_node *ad_add(ad_arena *m, ad_node *a, ad_node *b);
ad_node *ad_sub(ad_arena *m, ad_node *a, ad_node *b);
ad_node *ad_mul(ad_arena *m, ad_node *a, ad_node *b);
ad_node *ad_div(ad_arena *m, ad_node *a, ad_node *b);
ad_node *ad_neg(ad_arena *m, ad_node *a);
ad_node *ad_choose(ad_arena *m, ad_node *condition, ad_node *yes, ad_node *no); /* ?: ; folded if the condition is of literals */
int ad_literal(const ad_node *a, double *value); /* 1: a literal, a signed one or a converted integer one; value may be NULL */

/* A function in a form for people and tests: C text. Allocated in m. */
char *ad_print_fn(ad_arena *m, const ad_fn *fn);

#endif
