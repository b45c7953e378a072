/* message.h - messages between the server and a worker, over a local stream socket.
 *
 * Numbers go as they are in memory. Each head says which version of these messages it speaks and in which order the
 * bytes of its numbers are, and a side that speaks otherwise is refused before anything else of it is believed. */
#ifndef SERVER_JOBS_MESSAGE_H
#define SERVER_JOBS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Another number for every change of what is in a message. */
enum { MESSAGE_VERSION = 3 };
#define MESSAGE_MAGIC "mbsm"
#define MESSAGE_BYTE_ORDER 0x0102u /* as whoever writes it has it */

typedef enum message_kind {
  MESSAGE_JOB = 1,  /* to the worker: limits, which block of it (runs 0: all of it), document */
  MESSAGE_CANCEL,   /* to the worker: stop the job */
  MESSAGE_CHECK,    /* to the worker: what for, limits, target, document */
  MESSAGE_VERDICT,  /* what came of a check, member by member of a service_verdict */
  MESSAGE_PROGRESS, /* t, fraction, evaluations */
  MESSAGE_ARRAY,    /* the head of a result array */
  MESSAGE_TILE,     /* a block of rows of an array: which ones in the head, doubles in the body, column after column */
  MESSAGE_COMPUTED, /* the job is computed; what follows is the rest of its results */
  MESSAGE_OUTCOME,  /* status, t, fraction, evaluations, report, error */
  MESSAGE_BLOCK     /* what a block came to: failed, runs, columns, seconds, report, rows */
} message_kind;

typedef struct message_head {
  char magic[4];
  uint16_t byte_order, version;
  uint32_t kind;
  uint32_t position; /* of the array that a tile belongs to, in the order of their heads */
  uint64_t first, rows;
  uint64_t size; /* bytes of the body */
} message_head;

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* Messages, one after another; the last one may still be put together. To use it anew, set `size` to 0. */
typedef struct message_builder {
  char *data;
  size_t size, capacity;
  size_t begin; /* of the last message */
  bool failed;  /* out of memory */
} message_builder;

/* Begins the next message. */
void message_begin(message_builder *builder, message_kind kind);
/* Begins a MESSAGE_TILE: `rows` rows from `first` on. */
void message_begin_tile(message_builder *builder, uint32_t position, uint64_t first, uint64_t rows);
void message_put_integer(message_builder *builder, uint64_t value);
void message_put_number(message_builder *builder, double value);
/* NULL stays NULL. */
void message_put_text(message_builder *builder, const char *text);
void message_put_bytes(message_builder *builder, const void *data, size_t size);
/* Room for `size` bytes of the body, for the caller to fill; NULL without memory. */
void *message_put_space(message_builder *builder, size_t size);
/* Takes back the message that is being put together, and that memory was short for it. */
void message_drop(message_builder *builder);
/* Completes its head; false when memory was short for any of them. */
bool message_end(message_builder *builder);
void message_builder_free(message_builder *builder);

/* Sends all of it on a blocking socket; false when the other side is gone. */
bool message_send(int socket, const void *data, size_t size);

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* A message that is being received. */
typedef struct message_reader {
  message_head head;
  size_t have; /* bytes of head and body so far */
  char *body;  /* malloc'd, with a 0 after it; take it by setting it to NULL */
  /* What came with it and belongs to the next ones: small messages are many, and a call of the kernel for each head and
   * each body would cost more than they do. */
  char *ahead;
  size_t ahead_begin, ahead_end;
} message_reader;

typedef enum message_result {
  MESSAGE_WAIT,  /* not all of it is here yet */
  MESSAGE_READY, /* `head` and `body` are whole, until the next call */
  MESSAGE_CLOSED,
  MESSAGE_FOREIGN, /* not the messages of this program; message_complaint() says what they are */
  MESSAGE_BROKEN   /* larger than it may be, or no memory */
} message_result;

/* Receives the next message of at most `limit` bytes; `flags` as for recv(), MSG_DONTWAIT not to wait. */
message_result message_receive(message_reader *reader, int socket, size_t limit, int flags);
/* Whether bytes of the next message have been received: a socket that has nothing more to read says nothing of them. */
bool message_is_begun(const message_reader *reader);
void message_reader_free(message_reader *reader);
/* What is foreign about a head; NULL where nothing is. `text` holds it. */
const char *message_complaint(const message_head *head, char text[96]);

/* Takes a body apart; a read past its end sets `failed` and gives 0. */
typedef struct message_cursor {
  const char *at, *end;
  bool failed;
} message_cursor;

message_cursor message_open(const message_reader *reader);
uint64_t message_take_integer(message_cursor *cursor);
double message_take_number(message_cursor *cursor);
/* Points into the body. */
const char *message_take_text(message_cursor *cursor);
/* What is left, as it is. */
const char *message_take_rest(message_cursor *cursor, size_t *size);

#endif
