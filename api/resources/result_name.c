/* result_name.c - see result_name.h. */
#include "api/resources/result_name.h"

#include "api/base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the names in both forms together; a header has 255 for everything. Last digits of an id, which distinguish
 * jobs: the first ones are the time. */
enum { LONGEST = 170, ID_DIGITS = 8 };

char *api_result_model_name(const api_call *call) {
  service_job job = {0};
  if (call->service->job(call->service->context, call->arguments[0], &job) != SERVICE_OK) return NULL;
  char *name = job.model_name;
  job.model_name = NULL;
  service_job_free(&job);
  return name;
}

/* Returns true for characters that RFC 8187 leaves unencoded, without those that are special in a shell or a file
 * system. */
static bool is_plain(char c) {
  return c && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", c);
}

static bool is_unsafe(char c) { return (unsigned char)c < ' ' || c == 0x7f || strchr("/\\:\"*?<>|", c); }

/* Appends a text in both forms, as many of its characters as fit into `longest` bytes. Skips `.` at its beginning. */
static void add(api_buffer *ascii, api_buffer *encoded, size_t longest, const char *text) {
  size_t begin = encoded->size, most = ascii->size + begin + longest;
  for (const char *c = text; *c;) {
    size_t length = 1;
    while (((unsigned char)c[length] & 0xc0) == 0x80) length++;
    if (ascii->size + 1 + encoded->size + 3 * length > most) return;
    bool refused = is_unsafe(*c) || (*c == '.' && encoded->size == begin);
    char plain = is_plain(*c) && !refused ? *c : '_';
    api_buffer_add(ascii, *c == ' ' ? " " : &plain, 1);
    if (refused || is_plain(*c))
      api_buffer_add(encoded, &plain, 1);
    else
      for (size_t i = 0; i < length; i++) api_buffer_print(encoded, "%%%02X", (unsigned char)c[i]);
    c += length;
  }
}

static void add_both(api_buffer *ascii, api_buffer *encoded, const char *plain) {
  api_buffer_text(ascii, plain);
  api_buffer_text(encoded, plain);
}

void api_result_disposition(api_response *response, const char *model_name, const char *id, const char *array,
                            const char *extension) {
  api_buffer ascii = {0}, encoded = {0};
  size_t length = strlen(id);
  add(&ascii, &encoded, array ? LONGEST / 2 : LONGEST, model_name && *model_name ? model_name : "results");
  if (length > 0) add_both(&ascii, &encoded, "-");
  add(&ascii, &encoded, 4 * ID_DIGITS, length > ID_DIGITS ? id + length - ID_DIGITS : id);
  if (array) {
    add_both(&ascii, &encoded, "-");
    add(&ascii, &encoded, LONGEST / 2, array);
  }
  add_both(&ascii, &encoded, ".");
  add_both(&ascii, &encoded, extension);
  if (!ascii.failed && !encoded.failed)
    api_response_header(response, "Content-Disposition", "attachment; filename=\"%.*s\"; filename*=UTF-8''%.*s",
                        (int)ascii.size, ascii.data, (int)encoded.size, encoded.data);
  api_buffer_free(&ascii);
  api_buffer_free(&encoded);
}
