#include "expression/writing.h"

#include <string.h>

void mbs_write_bytes(mbs_writing *writing, const char *text, size_t length) {
  if (writing->why == NULL && length > writing->limit - writing->used) writing->why = "too long to be shown";
  if (writing->why != NULL) return;
  if (writing->used + length >= writing->room) {
    size_t room = 2 * (writing->used + length) + 64;
    char *wider = mbs_arena_alloc(writing->arena, room, 1);
    if (wider == NULL) {
      writing->why = "out of memory";
      return;
    }
    if (writing->used > 0) memcpy(wider, writing->text, writing->used);
    writing->text = wider;
    writing->room = room;
  }
  memcpy(writing->text + writing->used, text, length);
  writing->used += length;
  writing->text[writing->used] = '\0';
}

void mbs_write(mbs_writing *writing, const char *text) { mbs_write_bytes(writing, text, strlen(text)); }
