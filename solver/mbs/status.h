/* mbs/status.h - status codes of calls, and the errors of a document. */
#ifndef MBS_MBS_STATUS_H
#define MBS_MBS_STATUS_H

#include <stddef.h>

#include "mbs/api.h"

typedef enum mbs_status {
#define MBS_STATUS(symbol, code, meaning) MBS_##symbol,
#include "mbs/status.def"
#undef MBS_STATUS
  MBS_STATUS_COUNT
} mbs_status;

/* Returns the code that users see, for instance "singular_position". */
MBS_API const char *mbs_status_code(mbs_status status);

typedef struct mbs_error {
  mbs_status status;
  char pointer[256]; /* JSON pointer into the document, "" for the whole document */
  char element[128]; /* joint, driver or body concerned, or "" */
  double time;       /* time of the error [s]; NaN for errors of the document */
  char message[768]; /* description of the error and its remedy, without a final full stop */
} mbs_error;

/* The errors of a document. The list has at most MBS_DIAGNOSTICS_MAX entries; `dropped` counts further errors. The
 * first MBS_SUGGESTIONS_MAX may suggest a similar name, whose search compares with all names. */
#define MBS_DIAGNOSTICS_MAX 200
#define MBS_SUGGESTIONS_MAX 50
typedef struct mbs_diagnostics {
  mbs_error *items;
  size_t count;
  size_t dropped;
} mbs_diagnostics;

/* Frees the entries of a list and makes it empty. */
MBS_API void mbs_diagnostics_free(mbs_diagnostics *list);

/* Appends an error of the document, unless the list has it already, as several readers may read one value. `format` is
 * that of printf. Returns `status`. */
MBS_API mbs_status mbs_diagnose(mbs_diagnostics *list, mbs_status status, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns the candidate most similar to `word`: equal except for case, or with an edit distance of at most a third of
 * its length (1 for two letters). Returns NULL if none of the `count` candidates is similar. */
MBS_API const char *mbs_nearest(const char *word, const char *const *candidates, size_t count);

#endif
