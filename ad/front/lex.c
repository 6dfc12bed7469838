/* lex.c - the lexer. One pass over the text; line markers set the file and line of the tokens after them. */
#include "front/lex.h"
#include "base/arena.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { BUCKETS = 4096, TOKENS_MAX = 50000000 };

struct ac_names {
    ad_arena *m;
    ac_name *bucket[BUCKETS];
};

static const struct {
    const char *text;
    ac_word word;
} words[] = {
    {"auto", KW_AUTO}, {"break", KW_BREAK}, {"case", KW_CASE}, {"char", KW_CHAR}, {"const", KW_CONST},
    {"continue", KW_CONTINUE}, {"default", KW_DEFAULT}, {"do", KW_DO}, {"double", KW_DOUBLE}, {"else", KW_ELSE},
    {"enum", KW_ENUM}, {"extern", KW_EXTERN}, {"float", KW_FLOAT}, {"for", KW_FOR}, {"goto", KW_GOTO}, {"if", KW_IF},
    {"inline", KW_INLINE}, {"int", KW_INT}, {"long", KW_LONG}, {"register", KW_REGISTER}, {"restrict", KW_RESTRICT},
    {"return", KW_RETURN}, {"short", KW_SHORT}, {"signed", KW_SIGNED}, {"sizeof", KW_SIZEOF}, {"static", KW_STATIC},
    {"struct", KW_STRUCT}, {"switch", KW_SWITCH}, {"typedef", KW_TYPEDEF}, {"union", KW_UNION}, {"unsigned", KW_UNSIGNED},
    {"void", KW_VOID}, {"volatile", KW_VOLATILE}, {"while", KW_WHILE}, {"_Bool", KW_BOOL}, {"_Complex", KW_COMPLEX},
    {"_Imaginary", KW_IMAGINARY}, {"_Alignas", KW_ALIGNAS}, {"_Alignof", KW_ALIGNOF}, {"_Atomic", KW_ATOMIC},
    {"_Generic", KW_GENERIC}, {"_Noreturn", KW_NORETURN}, {"_Static_assert", KW_STATIC_ASSERT},
    {"_Thread_local", KW_THREAD_LOCAL}, {"__thread", KW_THREAD_LOCAL}, {"__attribute__", KW_ATTRIBUTE},
    {"__attribute", KW_ATTRIBUTE}, {"__extension__", KW_EXTENSION}, {"asm", KW_ASM}, {"__asm__", KW_ASM}, {"__asm", KW_ASM},
    {"__inline", KW_INLINE}, {"__inline__", KW_INLINE}, {"__restrict", KW_RESTRICT}, {"__restrict__", KW_RESTRICT},
    {"__const", KW_CONST}, {"__const__", KW_CONST}, {"__volatile__", KW_VOLATILE}, {"__volatile", KW_VOLATILE},
    {"__signed__", KW_SIGNED}, {"__complex__", KW_COMPLEX}, {"__typeof__", KW_TYPEOF}, {"typeof", KW_TYPEOF},
    {"__typeof", KW_TYPEOF}, {"__alignof__", KW_ALIGNOF}, {"__int128", KW_INT128}, {"__float128", KW_FLOAT128},
    {"_Float128", KW_FLOAT128}, {"__costate_model__", KW_MODEL},
};

ac_name *ac_intern(ac_names *names, const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    ac_name **bucket = &names->bucket[(hash ^ hash >> 15) % BUCKETS];
    for (ac_name *k = *bucket; k; k = k->next) {
        if (k->length == length && memcmp(k->text, text, length) == 0) return k;
    }
    ac_name *k = ad_take(names->m, sizeof *k);
    k->text = ad_text_n(names->m, text, length);
    k->length = length;
    k->next = *bucket;
    *bucket = k;
    return k;
}

ac_names *ac_names_open(ad_arena *m)
{
    ac_names *names = ad_take(m, sizeof *names);
    names->m = m;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ac_intern(names, words[i].text, strlen(words[i].text))->word = words[i].word;
    return names;
}

typedef struct lexer {
    ad_arena *m;
    ad_diag *d; /* NULL: text that has not been preprocessed */
    ac_names *names;
    const char *at, *end, *line_start;
    ad_place place;    /* file and line of `at` */
    const char **ours; /* files that were entered without the flag of system headers */
    int ours_count, ours_room;
    int system; /* 1: tokens here belong to a system header */
    int at_line_start;
    ac_tokens out;
    int room;
} lexer;

static int is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static int is_name(char c)
{
    return is_name_start(c) || isdigit((unsigned char)c);
}

static ad_place here(const lexer *x, const char *at)
{
    ad_place place = x->place;
    place.col = (int)(at - x->line_start) + 1;
    return place;
}

static ac_token *add(lexer *x, ac_kind kind, const char *from, const char *to)
{
    if (x->out.count == x->room) {
        const int room = x->room ? 2 * x->room : 1024;
        x->out.at = ad_grow(x->m, x->out.at, (size_t)x->room * sizeof *x->out.at, (size_t)room * sizeof *x->out.at);
        x->room = room;
    }
    ac_token *t = &x->out.at[x->out.count++];
    *t = (ac_token){.kind = kind, .text = from, .length = (int)(to - from), .place = here(x, from)};
    return t;
}

static void new_line(lexer *x)
{
    x->place.line++;
    x->line_start = x->at;
    x->at_line_start = 1;
}

/* The file that a marker names. A file counts as the user's when it was once entered without the flag 3: inside it the flag
 * only says that the tokens came from a macro of a system header, such as M_PI. */
static void enter_file(lexer *x, const char *name, size_t length, int flagged)
{
    const char *file = NULL;
    for (int i = 0; i < x->ours_count && !file; i++) {
        if (strlen(x->ours[i]) == length && memcmp(x->ours[i], name, length) == 0) file = x->ours[i];
    }
    x->system = !file && flagged;
    if (!file) file = ad_text_n(x->m, name, length);
    if (!x->system && (x->ours_count == 0 || x->place.file != file)) {
        int there = 0;
        for (int i = 0; i < x->ours_count; i++) there |= x->ours[i] == file;
        if (!there) {
            if (x->ours_count == x->ours_room) {
                const int room = x->ours_room ? 2 * x->ours_room : 16;
                x->ours = ad_grow(x->m, x->ours, (size_t)x->ours_room * sizeof *x->ours, (size_t)room * sizeof *x->ours);
                x->ours_room = room;
            }
            x->ours[x->ours_count++] = file;
        }
    }
    x->place.file = file;
}

/* A line that starts with #: a line marker, a pragma (skipped), or something that the preprocessor should have taken away. */
static void directive(lexer *x)
{
    if (!x->d) { /* the user's own file: up to the end of the line, and of those that a backslash adds */
        while (x->at < x->end && (*x->at != '\n' || x->at[-1] == '\\')) {
            const int ends = *x->at == '\n';
            x->at++;
            if (ends) new_line(x);
        }
        return;
    }
    const char *from = x->at, *stop = memchr(from, '\n', (size_t)(x->end - from));
    if (!stop) stop = x->end;
    const char *at = from + 1;
    while (at < stop && (*at == ' ' || *at == '\t')) at++;
    if (stop - at > 4 && memcmp(at, "line", 4) == 0) at += 4;
    while (at < stop && (*at == ' ' || *at == '\t')) at++;
    if (at < stop && isdigit((unsigned char)*at)) {
        long line = 0;
        for (; at < stop && isdigit((unsigned char)*at); at++) line = line < 100000000 ? 10 * line + (*at - '0') : line;
        const char *open = memchr(at, '"', (size_t)(stop - at));
        const char *close = stop - 1; /* the last quotation mark: there may be some in the name */
        while (open && close > open && *close != '"') close--;
        if (open && close > open) {
            int flagged = 0;
            for (const char *k = close + 1; k < stop; k++) flagged |= *k == '3';
            enter_file(x, open + 1, (size_t)(close - open - 1), flagged);
        }
        x->place.line = (int)line - 1; /* the end of this line adds one */
    } else if (at < stop && !(stop - at >= 6 && memcmp(at, "pragma", 6) == 0) && *at != '\r' && !x->system) {
        ad_error(x->d, here(x, from), "the text that `cc -E` makes of the file",
                 "a line for the preprocessor in preprocessed text");
    }
    x->at = stop;
}

/* Comments and white space; 1 if something was skipped. */
static int skip_blank(lexer *x)
{
    const char c = *x->at, next = x->at + 1 < x->end ? x->at[1] : 0;
    if (c == '\n') {
        x->at++;
        new_line(x);
        return 1;
    }
    if (c == '\\' && (next == '\n' || (next == '\r' && x->at + 2 < x->end && x->at[2] == '\n'))) {
        x->at += next == '\n' ? 2 : 3;
        new_line(x);
        return 1;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
        x->at++;
        return 1;
    }
    if (c == '/' && next == '/') {
        while (x->at < x->end && *x->at != '\n') x->at++;
        return 1;
    }
    if (c == '/' && next == '*') {
        const ad_place place = here(x, x->at);
        for (x->at += 2; x->at + 1 < x->end && !(x->at[0] == '*' && x->at[1] == '/');) {
            const int ends = *x->at == '\n';
            x->at++;
            if (ends) new_line(x);
        }
        if (x->at + 1 >= x->end) {
            if (x->d) ad_error(x->d, place, NULL, "this comment is not closed");
            x->at = x->end;
        } else {
            x->at += 2;
        }
        return 1;
    }
    return 0;
}

static void number(lexer *x)
{
    const char *from = x->at;
    const int hex = x->end - from > 1 && from[0] == '0' && (from[1] == 'x' || from[1] == 'X');
    int floating = 0;
    while (x->at < x->end && (is_name(*x->at) || *x->at == '.')) {
        const char c = *x->at++;
        const int exponent = hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
        floating |= c == '.' || exponent;
        if (exponent && x->at < x->end && (*x->at == '+' || *x->at == '-')) x->at++;
    }
    add(x, floating ? AC_FLOATING : AC_INTEGER, from, x->at);
}

static void quoted(lexer *x, char quote)
{
    const char *from = x->at++;
    while (x->at < x->end && *x->at != quote && *x->at != '\n')
        x->at += *x->at == '\\' && x->at + 1 < x->end && x->at[1] != '\n' ? 2 : 1;
    if (x->at >= x->end || *x->at == '\n') {
        if (x->d) ad_error(x->d, here(x, from), NULL, "the closing %c is missing on this line", quote);
    } else {
        x->at++;
    }
    add(x, quote == '"' ? AC_STRING : AC_CHARACTER, from, x->at);
}

static void punctuator(lexer *x)
{
    static const char longest[][4] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                      "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "^=", "|=", "##"};
    const size_t left = (size_t)(x->end - x->at);
    for (size_t i = 0; i < sizeof longest / sizeof *longest; i++) {
        const size_t n = strlen(longest[i]);
        if (n <= left && memcmp(x->at, longest[i], n) == 0) {
            add(x, AC_PUNCT, x->at, x->at + n)->punct = AC_P(longest[i][0], longest[i][1], n > 2 ? longest[i][2] : 0);
            x->at += n;
            return;
        }
    }
    const char c = *x->at;
    const int good = c && strchr("[](){}.&*+-~!/%<>^|?:;=,#", c) != NULL;
    ac_token *t = add(x, good ? AC_PUNCT : AC_STRAY, x->at, x->at + 1);
    t->punct = good ? c : 0;
    x->at++;
}

/* One stray byte is a typing error; many are a file of another kind. */
static int is_binary(const char *text, size_t length)
{
    return memchr(text, 0, length) != NULL;
}

static ac_tokens lex(ad_arena *m, ad_diag *d, ac_names *names, const char *file, const char *text, size_t length)
{
    lexer x = {.m = m, .d = d, .names = names, .at = text, .end = text + length, .line_start = text, .at_line_start = 1};
    x.place = (ad_place){.file = NULL, .line = 1, .col = 1};
    enter_file(&x, file, strlen(file), 0);
    if (is_binary(text, length)) {
        if (d) ad_error(d, (ad_place){.file = file}, NULL, "this is not a text file");
        x.at = x.end;
    }
    while (x.at < x.end && x.out.count < TOKENS_MAX) {
        if (skip_blank(&x)) continue;
        if (x.at_line_start && *x.at == '#') {
            directive(&x);
            continue;
        }
        x.at_line_start = 0;
        if (x.system) {
            const char c = *x.at++;
            if (c == '"' || c == '\'') { /* a quote may hide the start of a comment */
                while (x.at < x.end && *x.at != c && *x.at != '\n') x.at += *x.at == '\\' && x.at + 1 < x.end ? 2 : 1;
                if (x.at < x.end && *x.at == c) x.at++;
            }
            continue;
        }
        const char c = *x.at;
        if (is_name_start(c)) {
            const char *from = x.at;
            while (x.at < x.end && is_name(*x.at)) x.at++;
            ac_name *name = ac_intern(names, from, (size_t)(x.at - from));
            add(&x, name->word ? AC_KEYWORD : AC_IDENT, from, x.at)->name = name;
        } else if (isdigit((unsigned char)c) || (c == '.' && x.at + 1 < x.end && isdigit((unsigned char)x.at[1]))) {
            number(&x);
        } else if (c == '"' || c == '\'') {
            quoted(&x, c);
        } else {
            punctuator(&x);
        }
    }
    add(&x, AC_END, x.end, x.end);
    return x.out;
}

ac_tokens ac_lex(ad_arena *m, ad_diag *d, ac_names *names, const char *file, const char *text, size_t length)
{
    return lex(m, d, names, file, text, length);
}

ac_tokens ac_lex_original(ad_arena *m, ac_names *names, const char *file, const char *text, size_t length)
{
    return lex(m, NULL, names, file, text, length);
}
