/* poses.c - see poses.h. */
#include "api/drawing/poses.h"

#include "api/formats/slice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const service_array *find(const service_array *arrays, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(arrays[i].name, name) == 0) return &arrays[i];
  return NULL;
}

static size_t width_of(const service_array *array) {
  size_t width = 1;
  for (int i = 1; i < array->rank; i++) width *= array->shape[i];
  return width;
}

bool api_poses_find(api_poses *poses, const service *source, const char *id, const service_array *arrays,
                    size_t count) {
  const service_array *times = find(arrays, count, API_TIMES);
  *poses = (api_poses){.source = source,
                       .id = id,
                       .centres = find(arrays, count, "r"),
                       .turns = find(arrays, count, "p"),
                       .points = find(arrays, count, "rP"),
                       .stride = 1};
  if (!times || !poses->centres || !poses->turns || !poses->points) return false;
  /* A body has 2 + 1 or 3 + 4 numbers. */
  const size_t centres = width_of(poses->centres), turns = width_of(poses->turns);
  poses->dimension = 2 * turns == centres ? 2 : 3;
  if (poses->dimension == 3 && 3 * turns != 4 * centres) return false;
  if (width_of(times) != 1 || width_of(poses->points) % poses->dimension != 0) return false;
  poses->count = times->shape[0];
  const service_array *const all[] = {poses->centres, poses->turns, poses->points};
  for (int i = 0; i < 3; i++)
    if (all[i]->shape[0] < poses->count) poses->count = all[i]->shape[0];
  return poses->count > 0;
}

/* Reads columns from, from + 1, .. (`width`) of all rows. */
static bool read_columns(const api_poses *poses, const char *name, size_t from, size_t width, size_t count,
                         double *out) {
  size_t columns[4];
  for (size_t k = 0; k < width; k++) columns[k] = from + k;
  return poses->source->read(poses->source->context, poses->id, name, poses->first, poses->stride, count, columns,
                             width, out) == SERVICE_OK;
}

bool api_poses_times(const api_poses *poses, double *out) {
  return read_columns(poses, API_TIMES, 0, 1, poses->count, out);
}

/* Reads places of an array with `dimension` numbers each; those of the plane get z = 0. */
static bool read_places(const api_poses *poses, const char *name, size_t index, double (*out)[3]) {
  const size_t width = poses->dimension;
  double *packed = (double *)out;
  if (!read_columns(poses, name, index * width, width, poses->count, packed)) return false;
  for (size_t i = poses->count; width == 2 && i-- > 0;) {
    const double x = packed[2 * i], y = packed[2 * i + 1];
    out[i][0] = x;
    out[i][1] = y;
    out[i][2] = 0;
  }
  return true;
}

bool api_poses_centres(const api_poses *poses, int body, double (*out)[3]) {
  return read_places(poses, poses->centres->name, (size_t)body - 1, out);
}

bool api_poses_points(const api_poses *poses, int point, double (*out)[3]) {
  return read_places(poses, poses->points->name, (size_t)point, out);
}

bool api_poses_turns(const api_poses *poses, int body, double (*out)[4]) {
  const size_t width = poses->dimension == 2 ? 1 : 4;
  double *packed = (double *)out;
  if (!read_columns(poses, poses->turns->name, width * ((size_t)body - 1), width, poses->count, packed)) return false;
  for (size_t i = poses->count; width == 1 && i-- > 0;) {
    const double angle = packed[i];
    out[i][0] = cos(angle / 2);
    out[i][1] = out[i][2] = 0;
    out[i][3] = sin(angle / 2);
  }
  for (size_t i = 0; i < poses->count; i++) {
    double size = 0, product = 0;
    for (int k = 0; k < 4; k++) {
      size += out[i][k] * out[i][k];
      product += i > 0 ? out[i][k] * out[i - 1][k] : 0;
    }
    const double factor = size > 0 ? (product < 0 ? -1 : 1) / sqrt(size) : 0;
    for (int k = 0; k < 4; k++) out[i][k] = size > 0 ? factor * out[i][k] : k == 0;
  }
  return true;
}

/* Reads all columns of the first row. */
static bool read_first(const api_poses *poses, const service_array *array, double *out) {
  const size_t width = width_of(array);
  for (size_t k = 0; k < width; k++)
    if (!read_columns(poses, array->name, k, 1, 1, out + k)) return false;
  return true;
}

bool api_poses_match(const api_poses *poses, const json_t *scene) {
  const size_t bodies = json_array_size(json_object_get(scene, "bodies")),
               points = json_array_size(json_object_get(scene, "points"));
  return bodies > 0 && json_number_value(json_object_get(scene, "dimension")) == (double)poses->dimension &&
         width_of(poses->centres) == (bodies - 1) * poses->dimension &&
         width_of(poses->points) == points * poses->dimension &&
         width_of(poses->turns) == (bodies - 1) * (poses->dimension == 2 ? 1 : 4);
}

api_drawing *api_poses_draw(const api_poses *poses, const json_t *scene) {
  double *centres = malloc((width_of(poses->centres) + 1) * sizeof *centres);
  double *points = malloc((width_of(poses->points) + 1) * sizeof *points);
  const bool good =
      centres && points && read_first(poses, poses->centres, centres) && read_first(poses, poses->points, points);
  api_drawing *drawing = good ? api_drawing_new(scene, centres, points) : NULL;
  free(centres);
  free(points);
  return drawing;
}
