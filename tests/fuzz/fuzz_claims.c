/* fuzz_claims.c - any text as an answer for a block of each matrix in turn, and as the statements of an M-file: the
 * check returns a verdict, or an error with a place in the text. The first byte selects the model. */
#include "json.h"
#include "mbs.h"
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition) abort();
}

static void look_at(const mbs_check *check, size_t size) {
  for (size_t k = 0; k < check->result_count; k++) {
    const mbs_block_verdict *result = &check->results[k];
    require(result->place <= size + 1 && result->line <= size + 1);
    require(result->verdict == MBS_VERDICT_RIGHT || result->verdict == MBS_VERDICT_WRONG || result->detail);
    require(result->verdict != MBS_VERDICT_RIGHT || (result->claimed && result->error_count == 0));
    for (size_t i = 0; i < result->error_count; i++) require(result->errors[i].name && result->errors[i].detail);
  }
}

static void judge(const mbs_model *model, const char *text, size_t size, bool program) {
  static const char *const names[] = {"B", "Bdot_thetad", "C", "rhsA", "M", "h", "gamma", "r"};
  mbs_check *check = mbs_check_new(model);
  mbs_error error;
  bool kept = true;
  require(check != NULL);
  for (size_t m = 0; m < sizeof names / sizeof *names && !program; m++) {
    const mbs_equation_matrix *matrix = mbs_check_matrix(check, names[m]);
    if (!matrix) continue;
    const mbs_answer claim = {
        .matrix = names[m], .row = size % matrix->row_count, .column = size / 7 % matrix->column_count, .text = text};
    kept = kept && mbs_check_add_answer(check, &claim);
  }
  if (program) kept = mbs_check_add_mfile(check, text, NULL);
  if (kept && mbs_check_run(check, &(mbs_check_options){0}, &error) == MBS_OK) look_at(check, size);
  mbs_check_free(check);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"SP", "SC", "RSSR_rod", "Cart_C"};
  static mbs_model *models[sizeof names / sizeof *names];
  if (size == 0) return 0;
  size_t which = data[0] % (sizeof names / sizeof *names);
  char *text = malloc(size);
  require(text != NULL);
  memcpy(text, data + 1, size - 1);
  text[size - 1] = 0;
  if (!models[which]) {
    char *document = models_named(names[which]);
    models[which] = models_build(document, NULL);
    free(document);
  }
  judge(models[which], text, size, false);
  judge(models[which], text, size, true);
  free(text);
  return 0;
}
