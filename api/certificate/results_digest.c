/* results_digest.c - see results_digest.h. */
#include "api/certificate/results_digest.h"

#include "api/base/values.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Number of values converted at a time. */
enum { PIECE = 512 };

void api_results_digest_begin(api_results_digest *self) {
  *self = (api_results_digest){.arrays = json_array()};
  api_digest_begin(&self->all);
}

void api_results_digest_array(api_results_digest *self, const char *name, const size_t *shape, int rank) {
  assert(!self->entry);
  json_t *sizes = json_array();
  size_t used = (size_t)snprintf(self->line, sizeof self->line, "%.250s ", name);
  for (int i = 0; i < rank; i++) {
    json_array_append_new(sizes, json_integer((json_int_t)shape[i]));
    used += (size_t)snprintf(self->line + used, sizeof self->line - used, "%s%zu", i ? "x" : "", shape[i]);
  }
  assert(used < sizeof self->line);
  self->entry = json_object();
  json_object_set_new(self->entry, "name", api_json_text(name));
  json_object_set_new(self->entry, "shape", sizes);
  api_digest_begin(&self->one);
}

void api_results_digest_numbers(api_results_digest *self, const double *numbers, size_t count) {
  unsigned char piece[8 * PIECE];
  for (size_t first = 0; first < count; first += PIECE) {
    size_t some = count - first < PIECE ? count - first : PIECE;
    for (size_t i = 0; i < some; i++) {
      uint64_t bits;
      memcpy(&bits, &numbers[first + i], sizeof bits);
      for (int k = 0; k < 8; k++) piece[8 * i + (size_t)k] = (unsigned char)(bits >> (8 * k));
    }
    api_digest_add(&self->one, piece, 8 * some);
  }
}

void api_results_digest_array_end(api_results_digest *self) {
  char sum[API_DIGEST_SIZE];
  api_digest_end(&self->one, sum);
  json_object_set_new(self->entry, "sha256", json_string(sum));
  json_array_append_new(self->arrays, self->entry);
  self->entry = NULL;
  api_digest_add(&self->all, self->line, strlen(self->line));
  api_digest_add(&self->all, " ", 1);
  api_digest_add(&self->all, sum, strlen(sum));
  api_digest_add(&self->all, "\n", 1);
}

json_t *api_results_digest_end(api_results_digest *self) {
  assert(!self->entry);
  char sum[API_DIGEST_SIZE];
  api_digest_end(&self->all, sum);
  return json_pack("{s:s, s:o}", "sha256", sum, "arrays", self->arrays);
}
