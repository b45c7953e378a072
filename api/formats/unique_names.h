/* unique_names.h - names of arrays that obey the rules of a file format; an array's own name may be any text. */
#ifndef API_FORMATS_UNIQUE_NAMES_H
#define API_FORMATS_UNIQUE_NAMES_H

#include <stddef.h>

/* Largest length that a rule may have [bytes]. */
enum { API_NAME_LONGEST = 200 };

typedef struct api_name_rule {
  /* A name that obeys the rule, malloc'd, at most `longest` bytes and as near to `name` as can be: the same where
   * `name` obeys it. NULL when there is no memory. */
  char *(*make)(const char *name, size_t longest);
  size_t longest;       /* at most API_NAME_LONGEST */
  const char *reserved; /* a name that no array gets; may be NULL */
} api_name_rule;

/* Returns a name by the rule for each of `count` different names. A valid name stays; a name that is already used gets
 * a number: a_b, a_b_2, a_b_3. Returns an array of `count` strings; free it with api_unique_names_free(). Returns NULL
 * if memory runs out. */
char **api_unique_names(const api_name_rule *rule, const char *const *names, size_t count);
void api_unique_names_free(char **unique, size_t count);

#endif
