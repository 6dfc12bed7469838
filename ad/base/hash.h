/* hash.h - 128 bits that stand for a text: SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF", 2012) under a fixed key. Names entries of the cache and tells damaged ones from good ones. */
#ifndef COSTATE_AD_HASH_H
#define COSTATE_AD_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct ad_hash {
    uint64_t v[4];          /* the state */
    uint64_t word, length;  /* bytes that do not fill a word yet, in the low end; bytes in all */
} ad_hash;

typedef struct ad_digest {
    uint64_t half[2];
} ad_digest;

void ad_hash_start(ad_hash *h);
void ad_hash_bytes(ad_hash *h, const void *bytes, size_t count);
void ad_hash_field(ad_hash *h, const char *text); /* its length, then the text: "ab", "c" differs from "a", "bc" */
ad_digest ad_hash_end(const ad_hash *h);          /* h may be carried on */

#endif
