/* mat_names.h - names of MATLAB variables for arrays. */
#ifndef API_FORMATS_MAT_NAMES_H
#define API_FORMATS_MAT_NAMES_H

#include "api/formats/unique_names.h"

/* The variable that describes all others. */
#define API_MAT_INFO "info"

/* The rule for names: a letter, then at most 62 letters, digits and `_`, and no keyword of the language. `_` replaces
 * each other character; a name that does not begin with a letter gets an `x` in front. */
extern const api_name_rule api_mat_names;

#endif
