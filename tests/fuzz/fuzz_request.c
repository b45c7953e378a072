/* fuzz_request.c - any text as a request: "METHOD TARGET", header lines, an empty line, a body. Requests that pass the
 * check of the head get a complete response, and a body declared as JSON is valid JSON. */
#include "api/api.h"
#include "api/fake_service.h"
#include "server/http/head_check.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_HEADERS = 32, MOST_BODY = 1 << 12, MOST_ROUNDS = 8, MOST_ANSWER = 1 << 20 };

static void require(bool condition) {
  if (!condition) abort();
}

/* Jobs of every state, and the arrays of one: the times, a matrix, one without time, one without rows. */
static fake_service *service_with_jobs(void) {
  static fake_service fake;
  static const char *const states[] = {"succeeded", "queued", "running", "failed", "cancelled"};
  static const double data[] = {0, 0.5, 1, -1, 2e300, 3};
  if (fake.job_count > 0) fake_service_close(&fake);
  fake_service_open(&fake);
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) fake_service_add(&fake, states[i]);
  fake_job *job = &fake.jobs[0];
  fake_job_add_array(job, "T", 1, (size_t[]){3}, "[\"T\"]", data, false);
  fake_job_add_array(job, "uT", 2, (size_t[]){3, 2}, "[\"=a\",\"b, c\"]", data, false);
  fake_job_add_array(job, "modes", 2, (size_t[]){2, 1}, "[\"x\"]", data, true);
  fake_job_add_array(job, "none", 2, (size_t[]){0, 1}, "[\"x\"]", data, true);
  return &fake;
}

/* Splits off the next line without its end. Returns NULL if there is none. */
static char *next_line(char **rest) {
  char *line = *rest, *end = line ? strchr(line, '\n') : NULL;
  if (!end) return NULL;
  *rest = end + 1;
  *end = '\0';
  if (end > line && end[-1] == '\r') end[-1] = '\0';
  return line;
}

static size_t read_headers(char **rest, api_header headers[MOST_HEADERS]) {
  size_t count = 0;
  for (char *line; (line = next_line(rest)) && *line;) {
    char *colon = strchr(line, ':');
    if (!colon || count == MOST_HEADERS) continue;
    *colon = '\0';
    headers[count++] = (api_header){line, colon + 1 + strspn(colon + 1, " \t")};
  }
  return count;
}

/* Returns the whole body, which the caller frees. */
static char *take_body(api_response *response, size_t *size) {
  char *text = malloc(MOST_ANSWER + 1);
  require(text != NULL);
  *size = 0;
  if (response->stream.read) {
    ssize_t got;
    while (*size < MOST_ANSWER &&
           (got = response->stream.read(response->stream.context, text + *size, MOST_ANSWER - *size)) > 0)
      *size += (size_t)got;
  } else if (response->body) {
    *size = response->body_size < MOST_ANSWER ? response->body_size : MOST_ANSWER;
    memcpy(text, response->body, *size);
  }
  return text;
}

static const char *header(const api_response *response, const char *name) {
  for (size_t i = 0; i < response->header_count; i++)
    if (strcmp(response->headers[i].name, name) == 0) return response->headers[i].value;
  return "";
}

/* Returns true for an uncompressed JSON response. */
static bool is_json(const api_response *response) {
  return strstr(header(response, "Content-Type"), "json") && !*header(response, "Content-Encoding");
}

static void look_at(api_response *response) {
  size_t size;
  bool json = is_json(response);
  for (size_t i = 0; i < response->header_count; i++) /* no header contains a line break */
    require(!strpbrk(response->headers[i].value, "\r\n"));
  require(response->status >= 200 && response->status < 600);
  char *text = take_body(response, &size);
  if (json && size > 0 && size < MOST_ANSWER) {
    json_t *value = json_loadb(text, size, JSON_DECODE_ANY, NULL);
    require(value != NULL);
    json_decref(value);
  }
  free(text);
}

/* Handles a request like the server: again while it is pending, and once more after a wait. */
static void handle(api_request *request) {
  api_response response;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    api_handle(request, &response);
    if (!response.pending && !response.beside && !response.wait_id[0]) break;
    request->beside = request->beside || response.beside;
    static char waited[SERVICE_ID_SIZE];
    if (response.wait_id[0]) {
      snprintf(waited, sizeof waited, "%s", response.wait_id);
      request->waited = true;
      request->wait_id = waited;
    }
    api_response_free(&response);
  }
  look_at(&response);
  api_response_free(&response);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  require(text != NULL);
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  char *rest = text, *method = next_line(&rest);
  char *target = method ? strchr(method, ' ') : NULL;
  if (target) {
    *target++ = '\0';
    api_header headers[MOST_HEADERS];
    size_t count = read_headers(&rest, headers), left = size - (size_t)(rest - text);
    if (!srv_head_complaint(headers, count) && left <= MOST_BODY) {
      fake_service *fake = service_with_jobs();
      api_request request = {.method = method,
                             .target = target,
                             .headers = headers,
                             .header_count = count,
                             .body = rest,
                             .body_size = left,
                             .client = "127.0.0.1",
                             .service = &fake->service};
      handle(&request);
    }
  }
  free(text);
  return 0;
}
