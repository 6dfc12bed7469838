/* plot_image.c - images within a figure: PNG with a palette, not compressed, in base64. A byte of the image is a pixel, so that
 * nothing but the two check sums has to be computed. */
#include "plot_draw.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void put32(FILE *to, uint32_t x)
{
    for (int shift = 24; shift >= 0; shift -= 8) fputc((int)(x >> shift & 255), to);
}

static uint32_t crc(const unsigned char *bytes, size_t length)
{
    uint32_t c = ~UINT32_C(0);
    for (size_t i = 0; i < length; i++) {
        c ^= bytes[i];
        for (int k = 0; k < 8; k++) c = c & 1 ? UINT32_C(0xedb88320) ^ c >> 1 : c >> 1;
    }
    return ~c;
}

static uint32_t adler(const unsigned char *bytes, size_t length)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < length; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* A chunk: its length, its four letters and bytes, and their check sum. bytes begins with the letters. */
static void chunk(FILE *to, const unsigned char *bytes, size_t length)
{
    put32(to, (uint32_t)(length - 4));
    fwrite(bytes, 1, length, to);
    put32(to, crc(bytes, length));
}

/* A stream of stored blocks, as zlib reads them. */
static int data_chunk(FILE *to, const unsigned char *raw, size_t length)
{
    enum { BLOCK = 65535 };
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return -1;
    fwrite("IDAT\x78\x01", 1, 6, stream);
    for (size_t at = 0; at < length; at += BLOCK) {
        const unsigned part = (unsigned)(length - at < BLOCK ? length - at : BLOCK);
        const unsigned char low = (unsigned char)part, high = (unsigned char)(part >> 8);
        const unsigned char head[] = {at + part == length, low, high, (unsigned char)~low, (unsigned char)~high};
        fwrite(head, 1, sizeof head, stream);
        fwrite(raw + at, 1, part, stream);
    }
    put32(stream, adler(raw, length));
    const int bad = fclose(stream);
    if (!bad) chunk(to, (unsigned char *)text, size);
    free(text);
    return bad ? -1 : 0;
}

static int write_png(FILE *to, int width, int height, const unsigned char *pixel, unsigned char palette[256][3])
{
    const size_t row = (size_t)width + 1; /* each begins with the number of its filter: none */
    unsigned char *raw = calloc((size_t)height, row), colours[4 + 768];
    if (!raw) return -1;
    for (int i = 0; i < height; i++) memcpy(raw + (size_t)i * row + 1, pixel + (size_t)i * (size_t)width, (size_t)width);
    const unsigned char head[] = {'I', 'H', 'D', 'R', 0, 0, (unsigned char)(width >> 8), (unsigned char)width, 0, 0,
                                  (unsigned char)(height >> 8), (unsigned char)height, 8, 3, 0, 0, 0};
    memcpy(colours, "PLTE", 4);
    memcpy(colours + 4, palette, 768);
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, to);
    chunk(to, head, sizeof head);
    chunk(to, colours, sizeof colours);
    const int status = data_chunk(to, raw, (size_t)height * row);
    chunk(to, (const unsigned char *)"IEND", 4);
    free(raw);
    return status;
}

static void write_base64(FILE *to, const unsigned char *bytes, size_t length)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        const size_t rest = length - i;
        const unsigned second = rest > 1 ? bytes[i + 1] : 0, third = rest > 2 ? bytes[i + 2] : 0;
        const unsigned x = (unsigned)bytes[i] << 16 | second << 8 | third;
        fputc(digit[x >> 18], to);
        fputc(digit[x >> 12 & 63], to);
        fputc(rest > 1 ? digit[x >> 6 & 63] : '=', to);
        fputc(rest > 2 ? digit[x & 63] : '=', to);
    }
}

int pen_image(figure *g, double x, double y, double wide, double high, int width, int height, const unsigned char *pixel,
              unsigned char palette[256][3], const char *style)
{
    char *png = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&png, &length);
    if (!to) return -1;
    int status = write_png(to, width, height, pixel, palette);
    if (fclose(to)) status = -1;
    if (!status) {
        fprintf(g->to,
                "<image x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" preserveAspectRatio=\"none\" %s "
                "xlink:href=\"data:image/png;base64,", x, y, wide, high, style);
        write_base64(g->to, (const unsigned char *)png, length);
        fputs("\"/>\n", g->to);
    }
    free(png);
    return status;
}
