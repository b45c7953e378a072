/* fuzz_document.c - any bytes as a request body: parsed, read, built. Nothing may crash, leak or take long. */
#include "api/documents/document.h"
#include "api/documents/json_reader.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the reader of documents takes is what Jansson takes. */
static void compare_readers(const char *text, size_t size) {
  json_t *value = api_json_read(text, size), *meant = value ? json_loadb(text, size, API_JSON_FLAGS, NULL) : NULL;
  if (value && !json_equal(value, meant)) abort();
  json_decref(value);
  json_decref(meant);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  compare_readers((const char *)data, size);
  api_document document;
  api_syntax_error error;
  if (!api_document_parse((const char *)data, size, &document, &error)) return 0;
  const mbs_limits limits = {.rows = 1000, .memory = (size_t)16 << 20};
  mbs_diagnostics list = {0};
  mbs_model *model = api_document_build(&document, &limits, &list);
  if (!model == (list.count == 0)) abort(); /* a model, or mistakes */
  mbs_model_free(model);
  mbs_diagnostics_free(&list);
  api_document_free(&document);
  return 0;
}
