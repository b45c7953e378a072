/* stdin.c - the standard input of an FMU. Jansson compares files with it; the linker replaces the name (--wrap). */
#include <stddef.h>

extern void *const __wrap_stdin;
void *const __wrap_stdin = NULL;
