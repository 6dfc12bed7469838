/* headers.h - the text of the public headers, which the build puts into the library: models are compiled wherever the library
 * is installed, and with the headers that belong to it. */
#ifndef COSTATE_AD_HEADERS_H
#define COSTATE_AD_HEADERS_H

#include <stddef.h>

typedef struct ad_header {
    const char *name; /* model.h, ... */
    const unsigned char *text;
    size_t length;
} ad_header;

extern const ad_header ad_headers[];
extern const int ad_header_count;

/* Stands for the text of costate diff itself: code that another one wrote is not used. */
extern const char ad_source_digest[];

#endif
