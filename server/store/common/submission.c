/* submission.c - see submission.h. */
#include "server/store/common/submission.h"

#include "api/base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Appends a copy to the block; if `to` is NULL only adds its size. */
static void put(char *to, size_t *used, const void *data, size_t size, const char **place) {
  if (to && size > 0) memcpy(to + *used, data, size);
  if (to) *place = to + *used;
  *used += size;
}

static void put_text(char *to, size_t *used, const char **text) {
  if (*text) put(to, used, *text, strlen(*text) + 1, text);
}

/* Copies everything that a submission points to into `to`; returns its size. */
static size_t put_submission(char *to, service_submission *job) {
  size_t used = 0;
  const char **texts[] = {&job->model_name, &job->analysis,        &job->name,     &job->tags, &job->content_hash,
                          &job->client,     &job->idempotency_key, &job->body_hash};
  put(to, &used, job->document, job->document_size, &job->document);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) put_text(to, &used, texts[i]);
  return used;
}

char *store_submission_copy(const service_submission *job, service_submission *copy) {
  assert(job->document && (!job->idempotency_key || job->body_hash));
  *copy = *job;
  if (!copy->client) copy->client = "";
  if (!(copy->cost.span > 0)) copy->cost.span = 1;
  char *texts = malloc(put_submission(NULL, copy) + 1);
  if (texts) put_submission(texts, copy);
  return texts;
}

bool store_limits_allow(const service_submission *job, const service_usage *usage, service_receipt *receipt) {
  const service_limit reached = service_limit_reached(job->most, usage->used, job->document_size);
  if (reached == SERVICE_LIMITS) return true;
  receipt->limit = reached;
  receipt->most = job->most[reached];
  receipt->usage = *usage;
  return false;
}

bool store_expected_copy(const service_job *job, service_job *copy) {
  *copy = (service_job){.name = api_text_copy(job->name), .tags = api_text_copy(job->tags), .keep = job->keep};
  return (!job->name || copy->name) && (!job->tags || copy->tags);
}
