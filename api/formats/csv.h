/* csv.h - slices as CSV (RFC 4180). */
#ifndef API_FORMATS_CSV_H
#define API_FORMATS_CSV_H

#include "api/base/buffer.h"
#include "api/formats/format.h"

extern const api_format api_format_csv;

/* Appends a text as a field of CSV (RFC 4180), in quotes if necessary. A text that a spreadsheet would take for a
 * formula, because it begins with = + - @, a tab or a carriage return, gets an apostrophe in front. */
void api_csv_field(api_buffer *out, const char *text);
/* Appends a number with 17 significant digits; "nan", "inf", "-inf". */
void api_csv_number(api_buffer *out, double value);

#endif
