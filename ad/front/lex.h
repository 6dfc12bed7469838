/* lex.h - preprocessed C to tokens. Tokens of system headers are left out; names are interned, so that looking one up is
 * following a pointer. */
#ifndef COSTATE_AD_LEX_H
#define COSTATE_AD_LEX_H

#include "base/diag.h"

typedef enum ac_kind {
    AC_END, AC_IDENT, AC_KEYWORD, AC_INTEGER, AC_FLOATING, AC_CHARACTER, AC_STRING, AC_PUNCT, AC_STRAY
} ac_kind;

/* Keywords, and words of compilers that act as such. */
typedef enum ac_word {
    KW_NONE, KW_AUTO, KW_BREAK, KW_CASE, KW_CHAR, KW_CONST, KW_CONTINUE, KW_DEFAULT, KW_DO, KW_DOUBLE, KW_ELSE, KW_ENUM,
    KW_EXTERN, KW_FLOAT, KW_FOR, KW_GOTO, KW_IF, KW_INLINE, KW_INT, KW_LONG, KW_REGISTER, KW_RESTRICT, KW_RETURN, KW_SHORT,
    KW_SIGNED, KW_SIZEOF, KW_STATIC, KW_STRUCT, KW_SWITCH, KW_TYPEDEF, KW_UNION, KW_UNSIGNED, KW_VOID, KW_VOLATILE, KW_WHILE,
    KW_BOOL, KW_COMPLEX, KW_IMAGINARY, KW_ALIGNAS, KW_ALIGNOF, KW_ATOMIC, KW_GENERIC, KW_NORETURN, KW_STATIC_ASSERT,
    KW_THREAD_LOCAL, KW_ATTRIBUTE, KW_EXTENSION, KW_ASM, KW_TYPEOF, KW_INT128, KW_FLOAT128, KW_MODEL
} ac_word;

typedef struct ac_entity ac_entity; /* ast.h */
typedef struct ac_type ac_type;

/* An interned identifier and what it means here. */
typedef struct ac_name {
    const char *text;
    size_t length;
    ac_word word;
    ac_entity *entity; /* innermost variable, function, typedef or enumerator of this name */
    ac_entity *tag;    /* innermost struct, union or enum of this tag */
    struct ac_name *next;
} ac_name;

typedef struct ac_token {
    ac_kind kind;
    int punct;        /* AC_PUNCT: its characters, packed by AC_P */
    const char *text; /* in the source; not ended by 0 */
    int length;
    ac_name *name;    /* of identifiers and keywords */
    ad_place place;
    int match;        /* of a bracket: the token that closes it (parse.c) */
} ac_token;

/* Punctuators as numbers: AC_P('<', '<', '=') for <<=. */
#define AC_P(a, b, c) ((a) | (b) << 8 | (c) << 16)

typedef struct ac_tokens {
    ac_token *at; /* the last one is AC_END */
    int count;
} ac_tokens;

typedef struct ac_names ac_names;
ac_names *ac_names_open(ad_arena *m);
ac_name *ac_intern(ac_names *names, const char *text, size_t length);

ac_tokens ac_lex(ad_arena *m, ad_diag *d, ac_names *names, const char *file, const char *text, size_t length);

/* The tokens of a file that has not been preprocessed; directives and errors are passed over. */
ac_tokens ac_lex_original(ad_arena *m, ac_names *names, const char *file, const char *text, size_t length);

/* A file as the user wrote it, so that columns of the preprocessed text can be led back to it (align.c). */
typedef struct ac_original {
    const char *file, *text;
    size_t length;
} ac_original;

void ac_align(ad_arena *m, ac_names *names, ac_tokens tokens, const ac_original *original);

#endif
