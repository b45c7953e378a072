/* utf16.h - text in UTF-16, as MATLAB keeps it. */
#ifndef API_BASE_UTF16_H
#define API_BASE_UTF16_H

#include <stddef.h>
#include <stdint.h>

/* Writes the text into `units`, which has room for as many as the text has bytes; returns how many it takes. What is no
 * UTF-8 becomes U+FFFD, and so does a character beyond U+FFFF: it would be two units, which MATLAB's files count as two
 * characters, and readers that count characters (SciPy) cannot read the file then. */
size_t api_utf16(const char *text, uint16_t *units);

#endif
