/* mbs/arena.h - the memory of nodes, models and results. */
#ifndef MBS_MBS_ARENA_H
#define MBS_MBS_ARENA_H

#include <stddef.h>

#include "mbs/api.h"

typedef struct mbs_arena mbs_arena;
/* An arena that refuses to grow past `limit` bytes (0: no limit). NULL when there is no memory. */
MBS_API mbs_arena *mbs_arena_new(size_t limit);
MBS_API void mbs_arena_free(mbs_arena *arena);
/* All blocks are given back to the arena, which keeps its memory for others. */
MBS_API void mbs_arena_clear(mbs_arena *arena);
/* Zeroed memory, aligned for any type; NULL past the limit. */
MBS_API void *mbs_arena_alloc(mbs_arena *arena, size_t count, size_t size);
/* Texts, which follow one another as they are: room for so many characters and the end of one; a copy; one that is
 * printed. */
MBS_API char *mbs_arena_characters(mbs_arena *arena, size_t length);
MBS_API char *mbs_arena_text(mbs_arena *arena, const char *text);
MBS_API char *mbs_arena_format(mbs_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Bytes that were taken so far. */
MBS_API size_t mbs_arena_used(const mbs_arena *arena);

#endif
