/* worker_check.c - see worker_check.h. */
#include "server/jobs/worker_check.h"

#include "api/jobs/build.h"
#include "server/jobs/process_memory.h"

#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory of the JSON tree per byte of text (measured: 80, for empty objects), and memory of everything without a
 * size. */
enum { TREE_FACTOR = 128, OTHER_MEMORY = 256 << 20, LARGE_TEXT = 1 << 20 };

void worker_limits_put(message_builder *out, const worker_limits *limits) {
  message_put_integer(out, limits->memory);
  message_put_integer(out, limits->rows);
  message_put_integer(out, limits->runs);
  message_put_integer(out, limits->result_bytes);
  message_put_number(out, limits->seconds);
}

worker_limits worker_limits_take(message_cursor *cursor) {
  worker_limits limits = {.memory = message_take_integer(cursor)};
  limits.rows = message_take_integer(cursor);
  limits.runs = message_take_integer(cursor);
  limits.result_bytes = message_take_integer(cursor);
  limits.seconds = message_take_number(cursor);
  return limits;
}

mbs_limits worker_job_limits(const worker_limits *limits, char advice[WORKER_ADVICE_SIZE]) {
  snprintf(advice, WORKER_ADVICE_SIZE,
           "start the service with a larger --job-memory (now %.4g MiB; model and results may use half each)",
           (double)limits->memory / (1 << 20));
  return (mbs_limits){.rows = limits->rows,
                      .memory = limits->memory / 2,
                      .advice = advice,
                      .wall_seconds = limits->seconds,
                      .wall_name = "the service's --job-seconds",
                      .runs = limits->runs,
                      .runs_name = "start the service with a larger --study-runs",
                      .result_bytes = limits->result_bytes,
                      .result_name = "the service's --result"};
}

const mbs_model *worker_cache_find(const worker_cache *cache, const char *text, size_t size) {
  return cache->text && cache->size == size && memcmp(cache->text, text, size) == 0 ? cache->model : NULL;
}

void worker_cache_drop(worker_cache *cache) {
  mbs_model_free(cache->model);
  free(cache->body);
  cache->model = NULL;
  cache->body = NULL;
  cache->text = NULL;
}

const mbs_model *worker_cache_build(worker_cache *cache, char *body, const char *text, size_t size,
                                    const mbs_limits *limits, json_t **error) {
  assert(body && text >= body);
  worker_cache_drop(cache);
  mbs_limits own = *limits;
  snprintf(cache->advice, sizeof cache->advice, "%s", limits->advice);
  own.advice = cache->advice;
  cache->model = api_build_text(text, size, &own, error);
  if (!cache->model) {
    free(body);
    return NULL;
  }
  cache->body = body;
  cache->text = text;
  cache->size = size;
  return cache->model;
}

/* Returns the maximum memory of a check: the tree of the text; its nodes, its model, and the memory for analysing
 * it. */
static size_t whole_memory(const api_check *asked) {
  return TREE_FACTOR * asked->document.size + 4 * asked->looking.memory + OTHER_MEMORY;
}

typedef struct held_check {
  api_check asked; /* first */
  size_t base;
} held_check;

static void hold(void *context, size_t bytes) {
  const held_check *self = context;
  if (bytes > 0)
    process_memory_limit_growth(bytes);
  else
    process_memory_limit(self->base + whole_memory(&self->asked));
}

static void put_verdict(message_builder *out, const service_verdict *verdict) {
  message_begin(out, MESSAGE_VERDICT);
  message_put_integer(out, (uint64_t)verdict->status);
  message_put_text(out, verdict->text);
  message_put_text(out, verdict->model_name);
  message_put_text(out, verdict->analysis);
  message_put_text(out, verdict->name);
  message_put_text(out, verdict->tags);
  message_put_integer(out, (uint64_t)verdict->keep);
  message_put_integer(out, (uint64_t)verdict->reuse);
  message_put_text(out, verdict->content_hash);
  message_put_integer(out, verdict->cost.kind);
  message_put_number(out, verdict->cost.span);
  message_put_number(out, verdict->cost.seconds);
  message_put_integer(out, verdict->runs);
  if (!message_end(out) || (verdict->status != 0 && !verdict->text)) _exit(EXIT_FAILURE);
}

/* Reads a MESSAGE_CHECK. */
static api_check open_check(const message_reader *in, worker_cache *cache) {
  message_cursor cursor = message_open(in);
  api_check asked = {.document = {.purpose = (service_purpose)message_take_integer(&cursor)}};
  size_t memory = message_take_integer(&cursor);
  const worker_limits limits = worker_limits_take(&cursor);
  asked.running = worker_job_limits(&limits, cache->advice);
  asked.looking = asked.running;
  asked.looking.wall_seconds = 0;
  asked.looking.memory = memory;
  asked.looking.advice = "start the service with a larger --check-memory";
  asked.document.target = message_take_text(&cursor);
  asked.document.text = message_take_rest(&cursor, &asked.document.size);
  if (cursor.failed) _exit(EXIT_FAILURE);
  return asked;
}

void worker_check(worker_cache *cache, message_reader *in, message_builder *out, size_t base) {
  worker_cache_drop(cache);
  held_check self = {.asked = open_check(in, cache), .base = base};
  self.asked.hold = hold;
  self.asked.context = &self;
  service_verdict verdict;
  api_check_document(&self.asked, &verdict, &cache->model);
  put_verdict(out, &verdict);
  service_verdict_free(&verdict);
  if (cache->model) {
    cache->body = in->body;
    cache->text = self.asked.document.text;
    cache->size = self.asked.document.size;
    in->body = NULL;
  }
  if (self.asked.document.size > LARGE_TEXT) malloc_trim(0);
}
