/* text.h - bytes that claim to be text. */
#ifndef COSTATE_PLATFORM_TEXT_H
#define COSTATE_PLATFORM_TEXT_H

#include <stddef.h>

int platform_utf8(const char *s); /* length of the UTF-8 sequence at s, which ends with 0; 0: it is none */

/* Copies the character at *from, or one byte as \xNN: of a control character but a line end or a tab, and of what is no UTF-8.
 * Returns where the next one goes, at most 4 bytes on. */
char *platform_put_shown(const char **from, char *to);

/* 1: bytes of a text in some encoding that has ASCII in it: none is zero, and hardly any is a control character. */
int platform_is_text(const char *bytes, size_t length);

#endif
