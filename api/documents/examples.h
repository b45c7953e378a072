/* examples.h - documents built into the programs. Example NAME is models/NAME.json, a bare model, or studies/NAME.json,
 * a model with a study. */
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

/* Returns the number of examples: the models by name, then the studies by name. */
size_t api_example_count(void);
/* Returns how many of them are models. */
size_t api_example_models(void);
/* Returns example `i` < api_example_count(). */
api_example api_example_at(size_t i);
bool api_example_find(const char *name, api_example *found);
/* Finds the example whose name, apart from upper and lower case, is most similar to an unknown one. Returns false if no
 * name is similar. */
bool api_example_nearest(const char *name, api_example *found);
/* Returns the entry of a list: {"name", "title", "description", "space", "analysis", "elements"}. */
json_t *api_example_json(const api_example *example);

#endif
