/* export.c - mbsd_export_fmu(). */
#include "answer.h"
#include "texts.h"

#include "api/documents/document.h"
#include "api/exports/fmu.h"
#include "api/jobs/build.h"

static mbsd_answer *export_text(const char *text, size_t size) {
  api_document document;
  api_syntax_error syntax = {0};
  if (!api_document_parse(text, size, &document, &syntax)) return answer_malformed(&syntax);
  const mbs_limits limits = {0};
  mbs_diagnostics list = {0};
  json_t *texts = api_fmu_make(json_incref(document.root), &limits, &list);
  mbsd_answer *answer =
      texts ? answer_new(MBSD_SUCCEEDED, NULL, NULL) : answer_new(MBSD_INVALID, NULL, api_build_errors(&list));
  api_buffer file = {0};
  if (texts && answer && api_fmu_write(texts, &file)) {
    answer->bytes = file.data;
    answer->byte_count = file.size;
  } else if (texts) {
    api_buffer_free(&file);
    mbsd_answer_free(answer);
    answer = NULL;
  }
  json_decref(texts);
  mbs_diagnostics_free(&list);
  api_document_free(&document);
  return answer;
}

mbsd_answer *mbsd_export_fmu(const char *text, size_t size) {
  RETURN_WITH_TEXTS(mbsd_answer *, export_text(text, size));
}
