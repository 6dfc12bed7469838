/* ast.h - C as it was written: what the parser makes of a model file and lowering reads.
 *
 * Names are resolved by the parser (an E_NAME points to its entity), types are worked out while lowering. Function bodies are
 * parsed when a function of the model, or a helper that one of them calls, is asked for: whatever else is in the file need not
 * be in the language. */
#ifndef COSTATE_AD_AST_H
#define COSTATE_AD_AST_H

#include "base/arena.h"
#include "front/lex.h"
#include "tree/tree.h"

/* ---- types ------------------------------------------------------------------------------------------------------------- */

typedef enum ac_class { T_VOID, T_INT, T_DOUBLE, T_POINTER, T_ARRAY, T_STRUCT, T_FUNCTION, T_REFUSED } ac_class;

typedef struct ac_expr ac_expr;
typedef struct ac_stmt ac_stmt;

typedef struct ac_member {
    ac_name *name; /* NULL: an anonymous struct */
    ac_type *type;
    int64_t offset;
    struct ac_member *next;
} ac_member;

struct ac_type {
    ac_class class;
    const char *text;     /* T_INT: its name; T_STRUCT: how C refers to it; T_REFUSED: what it is, for the message */
    int64_t size, align;  /* bytes; size -1: not known */
    int is_unsigned, rank; /* T_INT: 0 bool, 1 char, 2 short, 3 int, 4 long, 5 long long */
    int is_const;
    ac_type *of;          /* T_POINTER, T_ARRAY: element; T_FUNCTION: result */
    int64_t count;        /* T_ARRAY: elements; -1: `extent` holds them, or nobody does: [] */
    ac_expr *extent;      /* T_ARRAY: of variable length */
    ad_node *length;      /* T_ARRAY of variable length: the extent, set when lowering meets the declaration */
    ac_member *member;    /* T_STRUCT */
    int complete;         /* T_STRUCT */
    ac_entity *param;     /* T_FUNCTION: first; linked by next */
    int params, variadic;
};

/* ---- what a name can stand for ------------------------------------------------------------------------------------------ */

typedef enum ac_sort { N_VARIABLE, N_FUNCTION, N_TYPEDEF, N_ENUMERATOR, N_TAG } ac_sort;

typedef struct ac_init {
    ac_expr *expr;          /* a value, or NULL: a list */
    struct ac_init *item;   /* first of the list */
    struct ac_init *next;
    ac_name *member;        /* designators: .member */
    ac_expr *index;         /* [index] */
    struct ac_init *deeper; /* further designators of the same item, outermost first: only their member and index are used */
    ad_place place;
} ac_init;

typedef struct ac_ref ac_ref; /* lower.h */

struct ac_entity {
    ac_sort sort;
    ac_name *name;
    ac_type *type;
    ad_place place;
    ac_entity *shadowed; /* what the name meant before */
    ac_entity *in_scope; /* declared before it */
    ac_entity *next;     /* parameters: the next one */
    int64_t value;       /* N_ENUMERATOR */

    /* N_VARIABLE */
    int is_static, is_extern, is_param, is_global;
    ac_init *init;
    int writes;   /* places that assign it, its initializer and &x included */
    int stores;   /* places that write through it: x[i] = ..., *x = ..., x.a = ... */
    int reads;
    int counted_reads; /* of these, inside loops that it counts */
    ac_ref *bound;     /* lowering: what it stands for */
    ad_sym *counter;   /* lowering: inside a loop that it counts */
    ad_node *assigned_in; /* lowering: the block that holds the assignment of a pointer */
    int reported;      /* a message about it was given */

    /* N_FUNCTION */
    int body_from, body_to; /* tokens of { and }; 0: no definition */
    int parsed, active;     /* active: being inlined */
    ac_stmt *body;
};

enum { AC_DEEP = 1000 }; /* nesting that is followed; deeper trees are refused or cut */

/* ---- expressions -------------------------------------------------------------------------------------------------------- */

typedef enum ac_eop {
    E_INTEGER, E_FLOATING, E_STRING, E_NAME, E_UNKNOWN, E_CALL, E_INDEX, E_MEMBER, E_ARROW, E_DEREF, E_ADDRESS, E_NEGATE,
    E_PLUS, E_NOT, E_BITNOT, E_INCREMENT, /* ++x --x x++ x--: number is +1 or -1, postfix is 1 for x++ */
    E_CAST, E_SIZEOF, E_BINARY, E_AND, E_OR, E_CONDITION, E_ASSIGN, E_COMMA, E_LITERAL /* compound literal */
} ac_eop;

struct ac_expr {
    ac_eop op;
    ad_op arith;   /* E_BINARY: AD_ADD ...; E_ASSIGN: AD_SET for =, AD_ADD for += ... */
    ad_place place;
    ac_entity *entity; /* E_NAME */
    ac_name *name;     /* E_UNKNOWN, E_MEMBER, E_ARROW; E_CALL of a name: that name */
    ac_type *type;     /* E_CAST, E_SIZEOF of a type, E_LITERAL, E_INTEGER */
    const char *text;  /* E_FLOATING, E_STRING */
    int64_t number;
    double value;
    int postfix;
    ac_expr *a, *b, *c; /* operands; E_CALL: a is the function */
    ac_expr *arg;       /* E_CALL: first argument; */
    ac_expr *next;      /* next argument */
    int args;
    ac_init *init;      /* E_LITERAL */
    int depth;          /* height of the tree; a chain a + b + c ... counts as one level */
    int body_writes;    /* an assignment in the step of a for: how often the body assigns the same variable */
};

/* ---- statements --------------------------------------------------------------------------------------------------------- */

typedef enum ac_sop { S_EMPTY, S_EXPR, S_DECLARE, S_IF, S_FOR, S_BLOCK, S_RETURN, S_BREAK, S_CONTINUE } ac_sop;

enum { EXIT_RETURN = 1, EXIT_BREAK = 2, EXIT_CONTINUE = 4 };

struct ac_stmt {
    ac_sop op;
    ad_place place;
    ac_expr *expr;       /* S_EXPR, S_RETURN; condition of S_IF and S_FOR */
    ac_entity *entity;   /* S_DECLARE: the variable */
    ac_stmt *first;      /* S_BLOCK: statements; S_FOR: initialisation */
    ac_expr *step;       /* S_FOR */
    ac_stmt *body;       /* S_FOR; S_IF: then */
    ac_stmt *otherwise;  /* S_IF */
    ac_stmt *next;
    int exits;           /* ways in which control may leave it: EXIT_* */
    int always;          /* 1: control never comes to its end */
};

/* ---- a file ------------------------------------------------------------------------------------------------------------- */

typedef struct ac_field { /* of the descriptor: .name = tokens from .. to */
    ac_name *name;
    int from, to;
    ad_place place;
    struct ac_field *next;
} ac_field;

typedef struct ac_piece { /* tokens of a definition of a type, for the prelude */
    int from, to;
    struct ac_piece *next;
} ac_piece;

typedef struct ac_unit {
    ad_arena *m;
    ad_diag *d;
    ac_names *names;
    ac_tokens tokens;
    const char *file;
    ac_name *model; /* descriptor: NULL: none */
    ad_place model_place;
    ac_field *field;
    ac_piece *piece, **last_piece;
    int functions; /* definitions */
} ac_unit;

/* ---- parse.c ------------------------------------------------------------------------------------------------------------ */

ac_unit *ac_parse(ad_arena *m, ad_diag *d, ac_names *names, const char *file, ac_tokens tokens);
ac_entity *ac_function(ac_unit *u, const char *name); /* a function of the file that has a body; NULL */
int ac_body(ac_unit *u, ac_entity *function);         /* parses the body; 0 after errors */
int ac_field_value(ac_unit *u, const ac_field *f, int64_t *value); /* a constant expression; 0 after an error */

/* ---- lists.c ------------------------------------------------------------------------------------------------------------ */

const char *ac_number_text(ac_unit *u, const ac_field *f); /* of t0, t1; NULL: costate diff cannot say */
const char *ac_list_text(ac_unit *u, const ac_field *f);   /* of y0, ...: "1, 2.5"; NULL: likewise */

/* ---- types.c ------------------------------------------------------------------------------------------------------------- */

enum {
    AC_BOOL, AC_CHAR, AC_SCHAR, AC_UCHAR, AC_SHORT, AC_USHORT, AC_INT, AC_UINT, AC_LONG, AC_ULONG, AC_LLONG, AC_ULLONG, AC_SIZE,
    AC_INTS
};
ac_type *ac_int(int which);
ac_type *ac_double(void);
ac_type *ac_float(void); /* a double of fewer digits: values are doubles that a float holds, rounded after each operation */
int ac_is_float(const ac_type *t);
ac_type *ac_void(void);
ac_type *ac_pointer(ad_arena *m, ac_type *to);
ac_type *ac_array(ad_arena *m, ac_type *of, int64_t count, ac_expr *extent);
ac_type *ac_refused(ad_arena *m, const char *what, int64_t size);
ac_type *ac_system_type(const char *name);           /* size_t, int32_t, ...; NULL: not one that is known */
int ac_same_type(const ac_type *a, const ac_type *b); /* but for const */
int ac_is_number(const ac_type *t);
ac_member *ac_find_member(ac_type *t, const ac_name *name, int64_t *offset);
const char *ac_type_text(ad_arena *m, const ac_type *t); /* for messages */
const char *ac_a_type(ad_arena *m, const ac_type *t);    /* with its article */
ac_type *ac_type_of(ad_arena *m, const ac_expr *e);   /* without lowering; NULL: cannot say */
int ac_distance(const char *a, const char *b);        /* between names: letters inserted, deleted or changed; more than 2 is 3 */
ac_type *ac_promote(ac_type *t);
ac_type *ac_common(ac_type *a, ac_type *b);           /* the usual arithmetic conversions */

/* ---- constant.c ----------------------------------------------------------------------------------------------------------- */

typedef struct ac_constant {
    int is_double;
    int64_t whole;
    double real;
    ac_type *type;
} ac_constant;
int ac_evaluate(ad_arena *m, const ac_expr *e, ac_constant *out); /* 0: not constant */

#endif
