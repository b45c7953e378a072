/* frame.c - see frame.h. */
#include "frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* ---- writing --------------------------------------------------------------------------------------------------- */

void frame_put_bytes(frame_builder *builder, const void *data, size_t size) {
  if (builder->failed) return;
  if (builder->capacity - builder->size < size) {
    size_t capacity = 2 * builder->capacity + size;
    char *larger = realloc(builder->data, capacity);
    if (!larger) {
      builder->failed = true;
      return;
    }
    builder->data = larger;
    builder->capacity = capacity;
  }
  if (size > 0) memcpy(builder->data + builder->size, data, size);
  builder->size += size;
}

static void put_head(frame_builder *builder, const frame_head *head) {
  builder->begin = builder->size;
  frame_put_bytes(builder, head, sizeof *head);
}

void frame_begin(frame_builder *builder, frame_kind kind) { put_head(builder, &(frame_head){.kind = (uint32_t)kind}); }

void frame_begin_tile(frame_builder *builder, uint32_t position, uint64_t first, uint64_t rows) {
  put_head(builder, &(frame_head){.kind = FRAME_TILE, .position = position, .first = first, .rows = rows});
}

void frame_put_integer(frame_builder *builder, uint64_t value) { frame_put_bytes(builder, &value, sizeof value); }

void frame_put_number(frame_builder *builder, double value) { frame_put_bytes(builder, &value, sizeof value); }

void frame_put_text(frame_builder *builder, const char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  frame_put_integer(builder, size);
  frame_put_bytes(builder, text, size);
}

bool frame_end(frame_builder *builder) {
  if (builder->failed) return false;
  uint64_t size = builder->size - builder->begin - sizeof(frame_head);
  memcpy(builder->data + builder->begin + offsetof(frame_head, size), &size, sizeof size);
  return true;
}

void frame_builder_free(frame_builder *builder) {
  free(builder->data);
  *builder = (frame_builder){0};
}

bool frame_send(int socket, const void *data, size_t size) {
  const char *at = data;
  while (size > 0) {
    ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    at += sent;
    size -= (size_t)sent;
  }
  return true;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* Where the next bytes go, and how many are wanted there. */
static char *next_place(frame_reader *reader, size_t *wanted) {
  if (reader->have < sizeof reader->head) {
    *wanted = sizeof reader->head - reader->have;
    return (char *)&reader->head + reader->have;
  }
  size_t in_body = reader->have - sizeof reader->head;
  *wanted = reader->head.size - in_body;
  return reader->body + in_body;
}

frame_result frame_receive(frame_reader *reader, int socket, size_t limit, int flags) {
  if (reader->have >= sizeof reader->head && reader->have == sizeof reader->head + reader->head.size)
    frame_reader_free(reader); /* the frame of the last call */
  for (;;) {
    if (reader->have == sizeof reader->head && !reader->body) {
      if (reader->head.size > limit) return FRAME_BROKEN;
      reader->body = malloc(reader->head.size + 1);
      if (!reader->body) return FRAME_BROKEN;
      reader->body[reader->head.size] = '\0';
    }
    size_t wanted;
    char *place = next_place(reader, &wanted);
    if (wanted == 0) return FRAME_READY;
    ssize_t got = recv(socket, place, wanted, flags);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return FRAME_WAIT;
    if (got <= 0) return FRAME_CLOSED;
    reader->have += (size_t)got;
  }
}

void frame_reader_free(frame_reader *reader) {
  free(reader->body);
  reader->body = NULL;
  reader->have = 0;
}

frame_cursor frame_open(const frame_reader *reader) {
  return (frame_cursor){reader->body, reader->body + reader->head.size, false};
}

static void take(frame_cursor *cursor, void *out, size_t size) {
  memset(out, 0, size);
  if (cursor->failed || (size_t)(cursor->end - cursor->at) < size) {
    cursor->failed = true;
    return;
  }
  memcpy(out, cursor->at, size);
  cursor->at += size;
}

uint64_t frame_take_integer(frame_cursor *cursor) {
  uint64_t value;
  take(cursor, &value, sizeof value);
  return value;
}

double frame_take_number(frame_cursor *cursor) {
  double value;
  take(cursor, &value, sizeof value);
  return value;
}

const char *frame_take_text(frame_cursor *cursor) {
  uint64_t size = frame_take_integer(cursor);
  if (cursor->failed || size == 0) return NULL;
  if ((uint64_t)(cursor->end - cursor->at) < size || cursor->at[size - 1] != '\0') {
    cursor->failed = true;
    return NULL;
  }
  const char *text = cursor->at;
  cursor->at += size;
  return text;
}

const char *frame_take_rest(frame_cursor *cursor, size_t *size) {
  const char *rest = cursor->at;
  *size = (size_t)(cursor->end - cursor->at);
  cursor->at = cursor->end;
  return rest;
}
