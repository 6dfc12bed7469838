/* hash.c - SipHash-2-4, 128 bits. */
#include "base/hash.h"

#include <string.h>

static inline uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void rounds(uint64_t v[4], int count)
{
    for (int i = 0; i < count; i++) {
        v[0] += v[1], v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0], v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2], v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
}

/* The key is 00 01 02 ... 0f, that of the paper's test vectors; the constants are its too. */
void ad_hash_start(ad_hash *h)
{
    const uint64_t low = 0x0706050403020100, high = 0x0f0e0d0c0b0a0908;
    *h = (ad_hash){.v = {low ^ 0x736f6d6570736575, high ^ 0x646f72616e646f6d ^ 0xee, low ^ 0x6c7967656e657261,
                         high ^ 0x7465646279746573}};
}

void ad_hash_bytes(ad_hash *h, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    for (; count && h->length % 8; count--, b++) {
        h->word |= (uint64_t)*b << 8 * (h->length % 8);
        if (++h->length % 8 == 0) absorb(h->v, h->word), h->word = 0;
    }
    for (; count >= 8; count -= 8, b += 8, h->length += 8) {
        uint64_t word = 0;
        for (int i = 0; i < 8; i++) word |= (uint64_t)b[i] << 8 * i;
        absorb(h->v, word);
    }
    for (; count; count--, b++, h->length++) h->word |= (uint64_t)*b << 8 * (h->length % 8);
}

void ad_hash_field(ad_hash *h, const char *text)
{
    const size_t length = strlen(text);
    const uint64_t wide = length;
    unsigned char prefix[8];
    for (int i = 0; i < 8; i++) prefix[i] = (unsigned char)(wide >> 8 * i);
    ad_hash_bytes(h, prefix, sizeof prefix);
    ad_hash_bytes(h, text, length);
}

ad_digest ad_hash_end(const ad_hash *h)
{
    uint64_t v[4];
    memcpy(v, h->v, sizeof v);
    absorb(v, h->word | h->length << 56);
    ad_digest d;
    v[2] ^= 0xee;
    rounds(v, 4);
    d.half[0] = v[0] ^ v[1] ^ v[2] ^ v[3];
    v[1] ^= 0xdd;
    rounds(v, 4);
    d.half[1] = v[0] ^ v[1] ^ v[2] ^ v[3];
    return d;
}
