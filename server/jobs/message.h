/* message.h - messages between the server and a worker, over a local stream socket.
 *
 * Numbers have their format in memory. Each header contains the version of the messages and the byte order of its
 * numbers; a receiver refuses another version or order before it reads anything else. */
#ifndef SERVER_JOBS_MESSAGE_H
#define SERVER_JOBS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Increases with every change of the contents of a message. */
enum { MESSAGE_VERSION = 4 };
#define MESSAGE_MAGIC "mbsm"
#define MESSAGE_BYTE_ORDER 0x0102u /* number in the writer's byte order */

typedef enum message_kind {
  MESSAGE_JOB = 1,  /* server to worker: limits, block (runs 0: the whole job), document */
  MESSAGE_CANCEL,   /* server to worker: stop the job */
  MESSAGE_CHECK,    /* server to worker: purpose, limits, target, document */
  MESSAGE_VERDICT,  /* result of a check, field by field of a service_verdict */
  MESSAGE_PROGRESS, /* t, fraction, evaluations */
  MESSAGE_ARRAY,    /* header of a result array */
  MESSAGE_TILE,     /* rows of an array: numbers of the rows in the header, doubles in the body, column by column */
  MESSAGE_COMPUTED, /* the job is computed; only the remaining results follow */
  MESSAGE_OUTCOME,  /* status, t, fraction, evaluations, seconds of computation, report, error */
  MESSAGE_BLOCK     /* results of a block: failed, runs, columns, seconds, report, rows */
} message_kind;

typedef struct message_head {
  char magic[4];
  uint16_t byte_order, version;
  uint32_t kind;
  uint32_t position; /* position of the array of a tile, in the order of the headers */
  uint64_t first, rows;
  uint64_t size; /* bytes of the body */
} message_head;

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* A sequence of messages; the last one may be incomplete. To reuse it, set `size` to 0. */
typedef struct message_builder {
  char *data;
  size_t size, capacity;
  size_t begin; /* begin of the last message */
  bool failed;  /* memory ran out */
} message_builder;

/* Begins the next message. */
void message_begin(message_builder *builder, message_kind kind);
/* Begins a MESSAGE_TILE of `rows` rows, starting with row `first`. */
void message_begin_tile(message_builder *builder, uint32_t position, uint64_t first, uint64_t rows);
void message_put_integer(message_builder *builder, uint64_t value);
void message_put_number(message_builder *builder, double value);
/* Adds a text; NULL is read back as NULL. */
void message_put_text(message_builder *builder, const char *text);
void message_put_bytes(message_builder *builder, const void *data, size_t size);
/* Returns space for `size` bytes of the body, which the caller fills; NULL if memory runs out. */
void *message_put_space(message_builder *builder, size_t size);
/* Removes the message that is being built, and clears its memory failure. */
void message_drop(message_builder *builder);
/* Completes the header of the message. Returns false if memory ran out for any message. */
bool message_end(message_builder *builder);
void message_builder_free(message_builder *builder);

/* Sends `size` bytes on a blocking socket. Returns false if the other side has closed it. */
bool message_send(int socket, const void *data, size_t size);

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* A message being received. */
typedef struct message_reader {
  message_head head;
  size_t have; /* bytes of header and body so far */
  char *body;  /* malloc'd, followed by a 0; to take ownership set it to NULL */
  /* Bytes received with this message that belong to the next ones: there are many small messages, and a system call for
   * each header and each body would cost more than they do. */
  char *ahead;
  size_t ahead_begin, ahead_end;
} message_reader;

typedef enum message_result {
  MESSAGE_WAIT,  /* incomplete */
  MESSAGE_READY, /* `head` and `body` are complete, until the next call */
  MESSAGE_CLOSED,
  MESSAGE_FOREIGN, /* not a message of this program; message_complaint() describes it */
  MESSAGE_BROKEN   /* larger than the limit, or memory ran out */
} message_result;

/* Receives the next message of at most `limit` bytes. `flags` as for recv(): MSG_DONTWAIT does not wait. */
message_result message_receive(message_reader *reader, int socket, size_t limit, int flags);
/* Returns true if bytes of the next message were received; the socket does not report these as readable. */
bool message_is_begun(const message_reader *reader);
void message_reader_free(message_reader *reader);
/* Returns why a header is not of this program; NULL if it is. The message is stored in `text`. */
const char *message_complaint(const message_head *head, char text[96]);

/* Reader of a body; a read past its end sets `failed` and returns 0. */
typedef struct message_cursor {
  const char *at, *end;
  bool failed;
} message_cursor;

message_cursor message_open(const message_reader *reader);
uint64_t message_take_integer(message_cursor *cursor);
double message_take_number(message_cursor *cursor);
/* Reads a text; the result points into the body. */
const char *message_take_text(message_cursor *cursor);
/* Returns the remaining bytes. */
const char *message_take_rest(message_cursor *cursor, size_t *size);

#endif
