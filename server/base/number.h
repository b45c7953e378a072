/* number.h - reads numbers of options and of the token file. */
#ifndef SERVER_BASE_NUMBER_H
#define SERVER_BASE_NUMBER_H

#include <stdbool.h>

/* Reads a number; `bytes`: it may have the suffix K, M, G or T, a power of 1024. Returns the end of what it read, or
 * NULL if the text does not begin with a number or the number is too large. */
const char *srv_number_read(const char *text, bool bytes, double *number);

#endif
