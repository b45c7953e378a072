/* formats.h - a slice of a result array as JSON, CSV or NumPy's .npy, made block by block. */
#ifndef API_FORMATS_H
#define API_FORMATS_H

#include "buffer.h"
#include "table.h"

#include <stdbool.h>

typedef struct api_format {
  const char *name;   /* as in ?format= */
  const char *type;   /* the content type */
  const char *accept; /* what a client may write in Accept, "a|b" */
  /* What comes before the first row; `count` rows from row `first` of the slice, which are in table->block; what comes
   * after the last row. False when something could not be read. */
  bool (*begin)(const api_table *table, api_buffer *out);
  bool (*rows)(const api_table *table, size_t first, size_t count, api_buffer *out);
  void (*end)(const api_table *table, api_buffer *out);
} api_format;

extern const api_format api_format_json, api_format_csv, api_format_npy;

/* Appends a text as a field of CSV (RFC 4180): in quotes where it needs them. */
void api_csv_field(api_buffer *out, const char *text);
/* Appends a number with 17 significant digits; "nan", "inf", "-inf". */
void api_csv_number(api_buffer *out, double value);

#endif
