/* arena.h - memory of one run of costate diff: taken piece by piece, freed at once. When memory ends, or a limit is reached,
 * the run is left by longjmp to the place that ad_arena_open was given, so that no pass checks for NULL. */
#ifndef COSTATE_AD_ARENA_H
#define COSTATE_AD_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

typedef struct ad_arena ad_arena;

ad_arena *ad_arena_open(jmp_buf *out_of_memory, size_t limit); /* NULL: no memory for the arena itself; limit 0: none */
void ad_arena_close(ad_arena *m);                              /* NULL is fine */
void *ad_take(ad_arena *m, size_t bytes);                      /* zeroed, aligned for any type */
void *ad_grow(ad_arena *m, void *old, size_t old_bytes, size_t bytes); /* a larger copy */
char *ad_text(ad_arena *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *ad_text_n(ad_arena *m, const char *s, size_t n);         /* a copy of n characters, ended by 0 */

#endif
