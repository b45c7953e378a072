/* message.c - see message.h. */
#include "server/jobs/message.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Most bytes received ahead: all of a small job's results. */
enum { AHEAD_BYTES = 32 << 10 };

/* ---- writing --------------------------------------------------------------------------------------------------- */

void *message_put_space(message_builder *builder, size_t size) {
  if (builder->failed) return NULL;
  assert(builder->size <= builder->capacity);
  if (builder->capacity - builder->size < size) {
    size_t capacity = 2 * builder->capacity + size;
    char *larger = realloc(builder->data, capacity);
    if (!larger) {
      builder->failed = true;
      return NULL;
    }
    builder->data = larger;
    builder->capacity = capacity;
  }
  void *space = builder->data + builder->size;
  builder->size += size;
  return space;
}

void message_put_bytes(message_builder *builder, const void *data, size_t size) {
  void *space = size > 0 ? message_put_space(builder, size) : NULL;
  if (space) memcpy(space, data, size);
}

static void put_head(message_builder *builder, message_head head) {
  memcpy(head.magic, MESSAGE_MAGIC, sizeof head.magic);
  head.byte_order = MESSAGE_BYTE_ORDER;
  head.version = MESSAGE_VERSION;
  builder->begin = builder->size;
  message_put_bytes(builder, &head, sizeof head);
}

void message_begin(message_builder *builder, message_kind kind) {
  put_head(builder, (message_head){.kind = (uint32_t)kind});
}

void message_begin_tile(message_builder *builder, uint32_t position, uint64_t first, uint64_t rows) {
  put_head(builder, (message_head){.kind = MESSAGE_TILE, .position = position, .first = first, .rows = rows});
}

void message_put_integer(message_builder *builder, uint64_t value) { message_put_bytes(builder, &value, sizeof value); }

void message_put_number(message_builder *builder, double value) { message_put_bytes(builder, &value, sizeof value); }

void message_put_text(message_builder *builder, const char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  message_put_integer(builder, size);
  message_put_bytes(builder, text, size);
}

void message_drop(message_builder *builder) {
  assert(builder->begin <= builder->size);
  builder->size = builder->begin;
  builder->failed = false;
}

bool message_end(message_builder *builder) {
  if (builder->failed) return false;
  assert(builder->size - builder->begin >= sizeof(message_head));
  uint64_t size = builder->size - builder->begin - sizeof(message_head);
  memcpy(builder->data + builder->begin + offsetof(message_head, size), &size, sizeof size);
  return true;
}

void message_builder_free(message_builder *builder) {
  free(builder->data);
  *builder = (message_builder){0};
}

bool message_send(int socket, const void *data, size_t size) {
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

const char *message_complaint(const message_head *head, char text[96]) {
  const uint16_t swapped = (uint16_t)(MESSAGE_BYTE_ORDER << 8 | MESSAGE_BYTE_ORDER >> 8);
  if (memcmp(head->magic, MESSAGE_MAGIC, sizeof head->magic) != 0) return "the message is not from this program";
  if (head->byte_order == swapped) return "the numbers of the message have the opposite byte order";
  if (head->byte_order != MESSAGE_BYTE_ORDER) return "the numbers of the message have an unknown byte order";
  if (head->version == MESSAGE_VERSION) return NULL;
  snprintf(text, 96, "the message has version %u; expected %d", head->version, MESSAGE_VERSION);
  return text;
}

/* Returns the location of the next bytes, and their number. */
static char *next_place(message_reader *reader, size_t *wanted) {
  if (reader->have < sizeof reader->head) {
    *wanted = sizeof reader->head - reader->have;
    return (char *)&reader->head + reader->have;
  }
  size_t in_body = reader->have - sizeof reader->head;
  assert(in_body <= reader->head.size);
  *wanted = reader->head.size - in_body;
  return reader->body + in_body;
}

static void forget_message(message_reader *reader) {
  free(reader->body);
  reader->body = NULL;
  reader->have = 0;
}

/* Receives like recv(), through the read-ahead buffer if fewer bytes are needed than fit into it. */
static ssize_t take_bytes(message_reader *reader, int socket, void *place, size_t wanted, int flags) {
  if (reader->ahead_begin == reader->ahead_end) {
    if (wanted >= AHEAD_BYTES) return recv(socket, place, wanted, flags);
    if (!reader->ahead && !(reader->ahead = malloc(AHEAD_BYTES))) return recv(socket, place, wanted, flags);
    ssize_t got = recv(socket, reader->ahead, AHEAD_BYTES, flags);
    if (got <= 0) return got;
    reader->ahead_begin = 0;
    reader->ahead_end = (size_t)got;
  }
  assert(reader->ahead_begin < reader->ahead_end && reader->ahead_end <= AHEAD_BYTES);
  size_t there = reader->ahead_end - reader->ahead_begin, size = there < wanted ? there : wanted;
  memcpy(place, reader->ahead + reader->ahead_begin, size);
  reader->ahead_begin += size;
  return (ssize_t)size;
}

message_result message_receive(message_reader *reader, int socket, size_t limit, int flags) {
  if (reader->have >= sizeof reader->head && reader->have == sizeof reader->head + reader->head.size)
    forget_message(reader); /* message of the last call */
  for (;;) {
    if (reader->have == sizeof reader->head && !reader->body) {
      char text[96];
      if (message_complaint(&reader->head, text)) return MESSAGE_FOREIGN;
      if (reader->head.size > limit) return MESSAGE_BROKEN;
      reader->body = malloc(reader->head.size + 1);
      if (!reader->body) return MESSAGE_BROKEN;
      reader->body[reader->head.size] = '\0';
    }
    size_t wanted;
    char *place = next_place(reader, &wanted);
    if (wanted == 0) return MESSAGE_READY;
    ssize_t got = take_bytes(reader, socket, place, wanted, flags);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return MESSAGE_WAIT;
    if (got <= 0) return MESSAGE_CLOSED;
    reader->have += (size_t)got;
  }
}

bool message_is_begun(const message_reader *reader) { return reader->ahead_begin < reader->ahead_end; }

void message_reader_free(message_reader *reader) {
  forget_message(reader);
  free(reader->ahead);
  reader->ahead = NULL;
  reader->ahead_begin = reader->ahead_end = 0;
}

message_cursor message_open(const message_reader *reader) {
  assert(reader->body && reader->have == sizeof reader->head + reader->head.size);
  return (message_cursor){reader->body, reader->body + reader->head.size, false};
}

static void take(message_cursor *cursor, void *out, size_t size) {
  assert(cursor->at <= cursor->end);
  memset(out, 0, size);
  if (cursor->failed || (size_t)(cursor->end - cursor->at) < size) {
    cursor->failed = true;
    return;
  }
  memcpy(out, cursor->at, size);
  cursor->at += size;
}

uint64_t message_take_integer(message_cursor *cursor) {
  uint64_t value;
  take(cursor, &value, sizeof value);
  return value;
}

double message_take_number(message_cursor *cursor) {
  double value;
  take(cursor, &value, sizeof value);
  return value;
}

const char *message_take_text(message_cursor *cursor) {
  uint64_t size = message_take_integer(cursor);
  if (cursor->failed || size == 0) return NULL;
  if ((uint64_t)(cursor->end - cursor->at) < size || cursor->at[size - 1] != '\0') {
    cursor->failed = true;
    return NULL;
  }
  const char *text = cursor->at;
  cursor->at += size;
  return text;
}

const char *message_take_rest(message_cursor *cursor, size_t *size) {
  const char *rest = cursor->at;
  *size = (size_t)(cursor->end - cursor->at);
  cursor->at = cursor->end;
  return rest;
}
