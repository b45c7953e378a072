/* arena_image.h - a copy of the content of an arena, to which the arena can return. */
#ifndef MBS_ARENA_IMAGE_H
#define MBS_ARENA_IMAGE_H

#include "mbs/arena.h"

typedef struct mbs_arena_image mbs_arena_image;

/* Copies the content of an arena. Returns NULL if memory runs out. */
mbs_arena_image *mbs_arena_image_new(const mbs_arena *arena);
/* Gives the arena the content of the image, at the same addresses. Frees what was allocated since. */
void mbs_arena_image_restore(const mbs_arena_image *image, mbs_arena *arena);
/* Frees an image; NULL is allowed. */
void mbs_arena_image_free(mbs_arena_image *image);

#endif
