/* fuzz_document.c - any bytes as a request body: parsed, read, built. Nothing may crash, leak or take long. */
#include "api/documents/document.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  api_document document;
  api_syntax_error error;
  if (!api_document_parse((const char *)data, size, &document, &error)) return 0;
  const mbs_limits limits = {.rows = 1000, .memory = (size_t)16 << 20};
  mbs_diagnostics list = {0};
  mbs_model *model = api_document_build(&document, &limits, &list);
  if (!model == (list.count == 0)) abort(); /* either a model or errors */
  mbs_model_free(model);
  mbs_diagnostics_free(&list);
  api_document_free(&document);
  return 0;
}
