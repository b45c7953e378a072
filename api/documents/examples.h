/* examples.h - the models that are built into the programs: models/NAME.json is the example NAME. */
#ifndef API_DOCUMENTS_EXAMPLES_H
#define API_DOCUMENTS_EXAMPLES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct api_example {
  char name[64];
  const char *text; /* the document, `size` bytes */
  size_t size;
} api_example;

size_t api_example_count(void);
/* By name; `i` < api_example_count(). */
api_example api_example_at(size_t i);
bool api_example_find(const char *name, api_example *found);
/* What to say of a name that no example has, as api_name_hint() does. Returns `out`. */
const char *api_example_hint(const char *name, char *out, size_t size);
/* What a list tells of it: {"name", "title", "description", "space", "analysis", "elements"}. */
json_t *api_example_json(const api_example *example);

#endif
