/* mbs/status.h - how a call ends, and the mistakes of a document. */
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
  char pointer[256]; /* JSON pointer into the document, "" for the whole */
  char element[128]; /* joint, driver or body concerned, or "" */
  double time;       /* [s] when it happened; NaN for errors of the document */
  char message[768]; /* what is wrong and what to do, without a final full stop */
} mbs_error;

/* All mistakes of a document. The list has at most MBS_DIAGNOSTICS_MAX entries; further mistakes are counted. */
#define MBS_DIAGNOSTICS_MAX 200
typedef struct mbs_diagnostics {
  mbs_error *items;
  size_t count;
  size_t dropped;
} mbs_diagnostics;

/* Frees the entries of a list, which is then empty. */
MBS_API void mbs_diagnostics_free(mbs_diagnostics *list);

/* Appends an error of the document unless the list has it already: several readers may read one value. `format` is that
 * of printf. Returns `status`. */
MBS_API mbs_status mbs_diagnose(mbs_diagnostics *list, mbs_status status, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns the candidate that is most similar to `word`: equal but for case, or with an edit distance of at most a third
 * of its length (1 for two letters). Returns NULL if there is none among the `count` candidates. */
MBS_API const char *mbs_nearest(const char *word, const char *const *candidates, size_t count);

#endif
