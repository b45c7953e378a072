/* poses.h - the motion of a drawing, read from result arrays. */
#ifndef API_DRAWING_POSES_H
#define API_DRAWING_POSES_H

#include "api/drawing/drawing.h"
#include "api/service.h"

#include <stdbool.h>
#include <stddef.h>

/* The arrays of a motion and the rows that are wanted. */
typedef struct api_poses {
  const service *source;
  const char *id; /* job */
  const service_array *centres, *turns, *points;
  size_t dimension; /* 2 or 3 */
  size_t first, stride, count;
} api_poses;

/* Finds the arrays of a motion, "r", "p" and "rP", among those of a job, and selects all rows. Returns false if one is
 * missing, they have no rows, or their columns do not fit together. */
bool api_poses_find(api_poses *poses, const service *source, const char *id, const service_array *arrays, size_t count);
/* Reads the times [count]; the mass centres [count x 3] of a body (from 1); its Euler parameters [count x 4] of norm 1,
 * whose signs change least from row to row; the positions of a point [count x 3]. Each returns false if they cannot be
 * read. */
bool api_poses_times(const api_poses *poses, double *out);
bool api_poses_centres(const api_poses *poses, int body, double (*out)[3]);
bool api_poses_turns(const api_poses *poses, int body, double (*out)[4]);
bool api_poses_points(const api_poses *poses, int point, double (*out)[3]);

/* Returns true if the scene of a model has as many bodies and points as the motion. */
bool api_poses_match(const api_poses *poses, const json_t *scene);
/* Returns the drawing of a scene that matches, with the sizes of the first row; NULL if memory runs out or rows cannot
 * be read. */
api_drawing *api_poses_draw(const api_poses *poses, const json_t *scene);

#endif
