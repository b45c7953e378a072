/* check.h - checks a document in a worker: finds its errors, and keeps the model of a valid document for its job. */
#ifndef API_CHECKS_CHECK_H
#define API_CHECKS_CHECK_H

#include "api/service.h"
#include "mbs.h"

#include <stddef.h>

typedef struct api_check {
  service_document document;
  mbs_limits looking; /* limits of models that are only checked: rows, memory */
  mbs_limits running; /* limits of the document's job; memory 0: the model is not wanted */
  /* Limits the further memory of the process to `bytes`, or, with 0, to the memory of a whole check. NULL: no limit. */
  void (*hold)(void *context, size_t bytes);
  void *context;
} api_check;

/* Checks the document. Sets `model` to the model of a valid job, built within the limits `running`, if it also
 * satisfies the limits `looking`; else to NULL. */
void api_check_document(const api_check *asked, service_verdict *verdict, mbs_model **model);

#endif
