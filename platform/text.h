/* text.h - bytes that claim to be text. */
#ifndef COSTATE_PLATFORM_TEXT_H
#define COSTATE_PLATFORM_TEXT_H

#include <stddef.h>

int platform_utf8(const char *s); /* length of the UTF-8 sequence at s, which ends with 0; 0: it is none */

/* 1: bytes of a text in some encoding that has ASCII in it: none is zero, and hardly any is a control character. */
int platform_is_text(const char *bytes, size_t length);

#endif
