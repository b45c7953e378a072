/* mat_names.h - names of MATLAB's variables for arrays. */
#ifndef API_FORMATS_MAT_NAMES_H
#define API_FORMATS_MAT_NAMES_H

#include "api/formats/unique_names.h"

/* The variable that tells of all others. */
#define API_MAT_INFO "info"

/* A letter, then letters, digits and `_`, at most 63 of them, and no word of the language: `_` stands for what is
 * something else (one for a character), and what does not begin with a letter gets an `x` in front. */
extern const api_name_rule api_mat_names;

#endif
