/* answer.c - see answer.h. */
#include "answer.h"

#include "api/base/values.h"
#include "api/documents/report_json.h"

#include <stdlib.h>
#include <string.h>

mbsd_answer *answer_new(mbsd_status status, json_t *json, json_t *error) {
  mbsd_answer *answer = calloc(1, sizeof *answer);
  bool good = answer != NULL;
  if (good) {
    answer->status = status;
    answer->json = json ? api_json_string(json_incref(json)) : NULL;
    answer->error = error ? api_json_string(json_incref(error)) : NULL;
    good = (!json || answer->json) && (!error || answer->error);
  }
  json_decref(json);
  json_decref(error);
  if (good) return answer;
  mbsd_answer_free(answer);
  return NULL;
}

mbsd_answer *answer_malformed(const api_syntax_error *error) {
  if (error->no_memory) return NULL;
  json_t *object = api_plain_error_json("malformed_json", error->detail);
  json_object_set_new(object, "line", json_integer(error->line));
  json_object_set_new(object, "column", json_integer(error->column));
  return answer_new(MBSD_INVALID, NULL, object);
}

void mbsd_answer_free(mbsd_answer *answer) {
  if (!answer) return;
  free(answer->json);
  free(answer->error);
  free(answer->bytes);
  mbs_arena_free(answer->arena);
  free(answer);
}

/* Copies texts; equal neighbours share a copy, as the units of many columns are equal. Returns NULL if memory runs
 * out. */
static const char *const *copy_texts(mbs_arena *arena, const char *const *texts, size_t count) {
  const char **copies = mbs_arena_alloc(arena, count + 1, sizeof *copies);
  for (size_t i = 0; copies && i < count; i++) {
    const bool again = i > 0 && strcmp(texts[i], texts[i - 1]) == 0;
    copies[i] = again ? copies[i - 1] : mbs_arena_text(arena, texts[i]);
    if (!copies[i]) return NULL;
  }
  return copies;
}

static bool copy_array(mbs_arena *arena, const mbs_array *from, mbs_array *to) {
  const size_t columns = mbs_array_columns(from), numbers = from->shape[0] * columns;
  *to = *from;
  to->name = mbs_arena_text(arena, from->name);
  to->unit = mbs_arena_text(arena, from->unit ? from->unit : "");
  to->doc = mbs_arena_text(arena, from->doc ? from->doc : "");
  to->labels = copy_texts(arena, from->labels, columns);
  to->units = copy_texts(arena, from->units, columns);
  to->data = mbs_arena_alloc(arena, numbers + 1, sizeof *to->data);
  if (!to->name || !to->unit || !to->doc || !to->labels || !to->units || !to->data) return false;
  if (numbers > 0) memcpy(to->data, from->data, numbers * sizeof *to->data);
  return true;
}

bool answer_copy_arrays(mbsd_answer *answer, const mbs_array *list, size_t count) {
  answer->arena = mbs_arena_new(0);
  if (answer->arena) answer->arrays = mbs_arena_alloc(answer->arena, count + 1, sizeof *answer->arrays);
  bool good = answer->arrays != NULL;
  for (size_t i = 0; good && i < count; i++) good = copy_array(answer->arena, &list[i], &answer->arrays[i]);
  answer->count = good ? count : 0;
  return good;
}

mbsd_status mbsd_answer_status(const mbsd_answer *answer) { return answer->status; }

const char *mbsd_answer_json(const mbsd_answer *answer) { return answer->json ? answer->json : "null"; }

const char *mbsd_answer_error(const mbsd_answer *answer) { return answer->error ? answer->error : "null"; }

const void *mbsd_answer_bytes(const mbsd_answer *answer, size_t *size) {
  *size = answer->byte_count;
  return answer->bytes;
}

const mbs_array *mbsd_answer_arrays(const mbsd_answer *answer, size_t *count) {
  *count = answer->count;
  return answer->arrays;
}

const mbs_array *mbsd_answer_array(const mbsd_answer *answer, const char *name) {
  for (size_t i = 0; i < answer->count; i++)
    if (strcmp(answer->arrays[i].name, name) == 0) return &answer->arrays[i];
  return NULL;
}
