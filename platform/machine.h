/* machine.h - the machine and the running program. */
#ifndef COSTATE_PLATFORM_MACHINE_H
#define COSTATE_PLATFORM_MACHINE_H

#include <stddef.h>

double platform_now(void);     /* seconds of a clock that never goes back */
int platform_processors(void); /* that may be used, 1 .. 1023 */

/* What tells one kind of processor from another, as text for a hash; longer ones are cut. */
void platform_processor_kind(char *text, size_t room);

int platform_program(char *path, size_t room); /* the file of the running program; 0: unknown */
int platform_terminal_width(int fd);           /* columns; 0: not a terminal; -1: one that does not tell */
const char *platform_secure_getenv(const char *name); /* NULL where the program has rights that its user has not */

#endif
