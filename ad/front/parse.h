/* parse.h - what the files of the parser share. A syntax error is reported and left by longjmp to the statement or declaration
 * it is in, where parsing goes on after the next ; or }. */
#ifndef COSTATE_AD_PARSE_H
#define COSTATE_AD_PARSE_H

#include "front/ast.h"

typedef struct ac_parser {
    ac_unit *u;
    ad_arena *m;
    ad_diag *d;
    int at;           /* the next token */
    int start;        /* of the declaration at file scope */
    int depth;        /* nesting */
    ac_entity *scope; /* the last declaration; linked by in_scope through this scope and those around */
    int global;       /* 1: at file scope */
    int loops;        /* for loops around */
    int refuses;      /* 1: the error is a statement of C that is not differentiated; what is around it can still be looked at */
    int failures;     /* other errors */
    jmp_buf *recover;
} ac_parser;

/* parse.c */
ac_token *ac_peek(ac_parser *p, int ahead);
int ac_is(ac_parser *p, int punct);
int ac_is_word(ac_parser *p, ac_word word);
int ac_accept(ac_parser *p, int punct);
int ac_accept_word(ac_parser *p, ac_word word);
void ac_expect(ac_parser *p, int punct, const char *after);
void ac_fail(ac_parser *p, const ac_token *t, const char *advice, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));
const char *ac_token_text(ac_parser *p, const ac_token *t);
void ac_deeper(ac_parser *p); /* counts a level of nesting, p->depth-- leaves it */
ac_entity *ac_declare(ac_parser *p, ac_sort sort, ac_name *name, ac_type *type, ad_place place);
ac_entity *ac_open_scope(ac_parser *p);
void ac_close_scope(ac_parser *p, ac_entity *outer);

/* parse_expr.c */
ac_expr *ac_expression(ac_parser *p); /* with commas */
ac_expr *ac_assignment(ac_parser *p); /* without */
ac_expr *ac_condition(ac_parser *p);  /* without assignment: constants */
int64_t ac_constant_value(ac_parser *p, const char *what);
ac_expr *ac_expr_new(ac_parser *p, ac_eop op, const ac_token *t, ac_expr *a, ac_expr *b, ac_expr *c);

/* parse_decl.c */
typedef struct ac_storage {
    int is_typedef, is_static, is_extern;
} ac_storage;
int ac_starts_type(ac_parser *p, const ac_token *t);
ac_type *ac_specifiers(ac_parser *p, ac_storage *storage);
ac_type *ac_declarator(ac_parser *p, ac_type *base, ac_token **name); /* *name NULL: abstract */
ac_type *ac_type_name(ac_parser *p);
ac_init *ac_initializer(ac_parser *p);
void ac_complete_array(ac_parser *p, ac_entity *v); /* double a[] = {...}: counts the elements */
void ac_skip_attributes(ac_parser *p);
void ac_skip_assertion(ac_parser *p); /* _Static_assert(...); and asm(...); at file scope */

/* parse_stmt.c */
ac_stmt *ac_block(ac_parser *p);
ac_stmt *ac_variables(ac_parser *p); /* a declaration inside a function */

#endif
