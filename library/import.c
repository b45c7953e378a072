/* import.c - mbsd_import() and mbsd_schema(). */
#include "answer.h"
#include "texts.h"

#include "api/base/values.h"
#include "api/documents/report_json.h"
#include "api/documents/schema.h"
#include "api/imports/imported.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Most time for the check of an imported model [s], as in the program mbs. */
static const double check_seconds = 10;

/* Returns the answer to a source that is refused as a whole. */
static mbsd_answer *refuse(const import_fault *fault) {
  json_t *error = api_plain_error_json(fault->code, fault->detail);
  if (*fault->file) json_object_set_new(error, "file", api_json_text(fault->file));
  if (fault->line > 0) json_object_set_new(error, "line", json_integer(fault->line));
  if (fault->column > 0) json_object_set_new(error, "column", json_integer(fault->column));
  return answer_new(MBSD_INVALID, NULL, error);
}

/* Returns the answer of a conversion that reached its end. */
static mbsd_answer *answer_of(const api_imported *imported) {
  if (imported->answer) return answer_new(MBSD_SUCCEEDED, json_incref(imported->answer), NULL);
  if (imported->fault.status != 0) return refuse(&imported->fault);
  json_t *error = api_plain_error_json("not_mapped", "parts of the source cannot be converted, listed in \"errors\"");
  json_object_set(error, "errors", imported->errors);
  if (imported->notes) json_object_set(error, "notes", imported->notes);
  return answer_new(MBSD_INVALID, NULL, error);
}

static mbsd_answer *import_path(const char *path, const mbsd_import_options *options) {
  static const mbsd_import_options none = {0};
  if (!options) options = &none;
  const import_options asked = {.format = options->format,
                                .main_file = options->main_file,
                                .keyframe = options->keyframe,
                                .floating = options->floating,
                                .partial = options->partial};
  import_fault fault;
  import_tree *tree = import_tree_of_path(path, &fault);
  if (!tree && fault.status == 0 && !fault.code)
    return answer_new(MBSD_INVALID, NULL, api_plain_error_json("not_readable", strerror(errno)));
  if (!tree) return refuse(&fault);
  const mbs_limits limits = {.wall_seconds = check_seconds};
  api_imported imported;
  api_import(tree, &asked, &limits, &imported);
  mbsd_answer *answer = answer_of(&imported);
  api_imported_free(&imported);
  import_tree_free(tree);
  return answer;
}

mbsd_answer *mbsd_import(const char *path, const mbsd_import_options *options) {
  RETURN_WITH_TEXTS(mbsd_answer *, import_path(path, options));
}

mbsd_answer *mbsd_schema(void) {
  mbsd_answer *answer = answer_new(MBSD_SUCCEEDED, NULL, NULL);
  if (answer) answer->json = api_schema_text();
  if (answer && answer->json) return answer;
  mbsd_answer_free(answer);
  return NULL;
}
