/* file_names.h - names of files for arrays. */
#ifndef API_FORMATS_FILE_NAMES_H
#define API_FORMATS_FILE_NAMES_H

#include "api/formats/unique_names.h"

/* The rule for names of files, without their extension. `_` replaces slashes, backslashes, colons, control characters,
 * and dots at the beginning or after a dot. */
extern const api_name_rule api_file_names;

#endif
