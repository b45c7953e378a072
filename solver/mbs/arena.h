/* mbs/arena.h - arenas: memory for nodes, models and results, freed as a whole. */
#ifndef MBS_MBS_ARENA_H
#define MBS_MBS_ARENA_H

#include <stddef.h>

#include "mbs/api.h"

typedef struct mbs_arena mbs_arena;
/* Creates an arena that holds at most `limit` bytes (0: no limit). Returns NULL if memory runs out. */
MBS_API mbs_arena *mbs_arena_new(size_t limit);
/* Frees an arena with all its blocks. */
MBS_API void mbs_arena_free(mbs_arena *arena);
/* Frees all allocations at once. The arena keeps its memory for later allocations. */
MBS_API void mbs_arena_clear(mbs_arena *arena);
/* Allocates zeroed memory, aligned for any type. Returns NULL past the limit. */
MBS_API void *mbs_arena_alloc(mbs_arena *arena, size_t count, size_t size);
/* Allocates a text of `length` characters and its final zero. Texts are not aligned. */
MBS_API char *mbs_arena_characters(mbs_arena *arena, size_t length);
/* Copies a text. */
MBS_API char *mbs_arena_text(mbs_arena *arena, const char *text);
/* Prints a text as printf does. */
MBS_API char *mbs_arena_format(mbs_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the number of bytes that were allocated so far. */
MBS_API size_t mbs_arena_used(const mbs_arena *arena);

#endif
