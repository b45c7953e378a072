/* examples.h - the documents that are built into the programs: models/NAME.json, a bare model, or studies/NAME.json, a
 * model with a study, is the example NAME. */
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

/* The models by name, after them the studies by name. */
size_t api_example_count(void);
/* How many of them are models. */
size_t api_example_models(void);
/* `i` < api_example_count(). */
api_example api_example_at(size_t i);
bool api_example_find(const char *name, api_example *found);
/* What to say of a name that no example has, as api_name_hint() does. Returns `out`. */
const char *api_example_hint(const char *name, char *out, size_t size);
/* What a list tells of it: {"name", "title", "description", "space", "analysis", "elements"}. */
json_t *api_example_json(const api_example *example);

#endif
