/* frame.h - messages between the server and a worker, over a local stream socket of two processes of one program. */
#ifndef SRV_FRAME_H
#define SRV_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum frame_kind {
  FRAME_JOB = 1,  /* to the worker: limits, document */
  FRAME_CANCEL,   /* to the worker: stop the job */
  FRAME_PROGRESS, /* t, fraction, evaluations */
  FRAME_ARRAY,    /* the head of a result array */
  FRAME_TILE,     /* a block of rows of an array: which ones in the head, doubles in the body, column after column */
  FRAME_COMPUTED, /* the job is computed; what follows is the rest of its results */
  FRAME_OUTCOME   /* status, t, fraction, evaluations, report, error */
} frame_kind;

typedef struct frame_head {
  uint32_t kind;
  uint32_t position; /* of the array that a tile belongs to, in the order of their heads */
  uint64_t first, rows;
  uint64_t size; /* bytes of the body */
} frame_head;

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* Frames, one after another; the last one may still be put together. To use it anew, set `size` to 0. */
typedef struct frame_builder {
  char *data;
  size_t size, capacity;
  size_t begin; /* of the last frame */
  bool failed;  /* out of memory */
} frame_builder;

/* Begins the next frame. */
void frame_begin(frame_builder *builder, frame_kind kind);
/* Begins a FRAME_TILE: `rows` rows from `first` on. */
void frame_begin_tile(frame_builder *builder, uint32_t position, uint64_t first, uint64_t rows);
void frame_put_integer(frame_builder *builder, uint64_t value);
void frame_put_number(frame_builder *builder, double value);
/* NULL stays NULL. */
void frame_put_text(frame_builder *builder, const char *text);
void frame_put_bytes(frame_builder *builder, const void *data, size_t size);
/* Completes its head; false when memory was short for any of them. */
bool frame_end(frame_builder *builder);
void frame_builder_free(frame_builder *builder);

/* Sends all of it on a blocking socket; false when the other side is gone. */
bool frame_send(int socket, const void *data, size_t size);

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* A frame that is being received. */
typedef struct frame_reader {
  frame_head head;
  size_t have; /* bytes of head and body so far */
  char *body;  /* malloc'd, with a 0 after it; take it by setting it to NULL */
} frame_reader;

typedef enum frame_result {
  FRAME_WAIT,  /* not all of it is here yet */
  FRAME_READY, /* `head` and `body` are whole, until the next call */
  FRAME_CLOSED,
  FRAME_BROKEN /* no frame of ours, or no memory */
} frame_result;

/* Receives the next frame of at most `limit` bytes; `flags` as for recv(), MSG_DONTWAIT not to wait. */
frame_result frame_receive(frame_reader *reader, int socket, size_t limit, int flags);
void frame_reader_free(frame_reader *reader);

/* Takes a body apart; a read past its end sets `failed` and gives 0. */
typedef struct frame_cursor {
  const char *at, *end;
  bool failed;
} frame_cursor;

frame_cursor frame_open(const frame_reader *reader);
uint64_t frame_take_integer(frame_cursor *cursor);
double frame_take_number(frame_cursor *cursor);
/* Points into the body. */
const char *frame_take_text(frame_cursor *cursor);
/* What is left, as it is. */
const char *frame_take_rest(frame_cursor *cursor, size_t *size);

#endif
