/* utf16.h - text in UTF-16, as in MATLAB files. */
#ifndef API_BASE_UTF16_H
#define API_BASE_UTF16_H

#include <stddef.h>
#include <stdint.h>

/* Writes the text into `units`, which must have as many items as the text has bytes. Returns the number of units.
 * Replaces invalid UTF-8 by U+FFFD, and also characters beyond U+FFFF: these have two units, which MATLAB files count
 * as two characters, and readers that count characters (SciPy) then cannot read the file. */
size_t api_utf16(const char *text, uint16_t *units);

#endif
