/* check.h - what a worker does with a document that somebody sent: finds its mistakes, and keeps the model of one that
 * has none for the job that it becomes. */
#ifndef API_CHECKS_CHECK_H
#define API_CHECKS_CHECK_H

#include "api/service.h"
#include "mbs.h"

#include <stddef.h>

typedef struct api_check {
  service_document document;
  mbs_limits looking; /* of a model that is only looked at: rows, memory */
  mbs_limits running; /* of the job that the document becomes; memory 0: its model is not wanted */
  /* Holds the process to `bytes` more memory than it has, or, with 0, to what a whole check may take. NULL: unheld. */
  void (*hold)(void *context, size_t bytes);
  void *context;
} api_check;

/* Checks the document. `model`: the model of a job without mistakes, within the limits of `running`, if it could be
 * told that it keeps those of `looking` as well; else NULL. */
void api_check_document(const api_check *asked, service_verdict *verdict, mbs_model **model);

#endif
