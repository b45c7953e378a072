/* file_names.h - names of files for arrays, whose own names may be any text. */
#ifndef API_FORMATS_FILE_NAMES_H
#define API_FORMATS_FILE_NAMES_H

#include <stddef.h>

/* A file name, without extension, for each of `count` names that are all different. A name that is safe in a file
 * system stays as it is. In others `_` stands for slashes, backslashes, colons, control characters, and dots at the
 * beginning or after a dot; what is then taken gets a number: a_b, a_b_2, a_b_3. An array of `count` strings, to be
 * freed with api_file_names_free(); NULL when there is no memory. */
char **api_file_names(const char *const *names, size_t count);
void api_file_names_free(char **files, size_t count);

#endif
