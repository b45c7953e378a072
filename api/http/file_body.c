/* file_body.c - api_respond_file(): an open file as a body, see response.h. */
#include "api/http/response.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct file_body {
  int file;
  uint64_t position, size;
  api_file_lender lender;
} file_body;

static void close_file(int file, const api_file_lender *lender) {
  close(file);
  if (lender && lender->closed) lender->closed(lender->context, lender->loan);
}

static ssize_t file_read(void *context, char *buffer, size_t size) {
  file_body *body = context;
  assert(body->position <= body->size);
  uint64_t left = body->size - body->position;
  if (left < size) size = (size_t)left;
  if (size == 0) return 0;
  ssize_t got;
  do got = pread(body->file, buffer, size, (off_t)body->position);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return -1; /* a file that has become shorter ends too early */
  body->position += (uint64_t)got;
  return got;
}

static int file_seek(void *context, uint64_t position) {
  file_body *body = context;
  body->position = position;
  return position <= body->size ? 0 : -1;
}

static void file_close(void *context) {
  file_body *body = context;
  close_file(body->file, &body->lender);
  free(body);
}

void api_respond_file(api_response *response, int status, const char *type, int file, uint64_t size,
                      const api_file_lender *lender) {
  assert(file >= 0 && !response->body && !response->stream.read);
  file_body *body = calloc(1, sizeof *body);
  if (!body) {
    close_file(file, lender);
    api_respond_no_memory(response);
    return;
  }
  *body = (file_body){.file = file, .size = size};
  if (lender) body->lender = *lender;
  response->status = status;
  response->stream = (api_stream){
      .context = body, .read = file_read, .close = file_close, .sized = true, .size = size, .seek = file_seek};
  api_response_header(response, "Content-Type", "%s", type);
}
