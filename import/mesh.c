/* mesh.c - see mesh.h. The solid is the sum of the tetrahedra from the origin to each triangle (a, b, c), with signed
 * volumes V = a.(b x c) / 6. With s = a + b + c each contributes
 *     integral of x       V s / 4
 *     integral of x x'    V (s s' + a a' + b b' + c c') / 20 */
#include "import/mesh.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct integrals {
  double volume, first[3], second[6]; /* second: xx, yy, zz, xy, xz, yz */
} integrals;

static void add_triangle(integrals *sum, const double a[3], const double b[3], const double c[3]) {
  static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
  double normal[3], s[3];
  import_cross(b, c, normal);
  const double volume = import_dot(a, normal) / 6;
  sum->volume += volume;
  for (int k = 0; k < 3; k++) {
    s[k] = a[k] + b[k] + c[k];
    sum->first[k] += volume * s[k] / 4;
  }
  for (int k = 0; k < 6; k++) {
    const int i = rows[k], j = columns[k];
    sum->second[k] += volume * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]) / 20;
  }
}

static void map_point(const double scale[3], const double shift[3], double x[3]) {
  for (int k = 0; k < 3; k++) x[k] = (x[k] - shift[k]) * scale[k];
}

/* ---- formats ---------------------------------------------------------------------------------------------------- */

/* Binary STL: 80 bytes, the number of triangles, then for each a normal, three points and two bytes. */
static const char *read_stl(const import_file *file, const double scale[3], const double shift[3], integrals *sum) {
  enum { HEAD = 84, EACH = 50 };
  uint32_t count;
  if (file->size < HEAD) return "its file is too short for binary STL";
  memcpy(&count, file->data + 80, sizeof count);
  if (file->size < HEAD + (size_t)count * EACH) return "its file is not binary STL";
  for (uint32_t i = 0; i < count; i++) {
    float numbers[9];
    double x[3][3];
    memcpy(numbers, file->data + HEAD + (size_t)i * EACH + 12, sizeof numbers);
    for (int k = 0; k < 9; k++) x[k / 3][k % 3] = (double)numbers[k];
    for (int k = 0; k < 3; k++) map_point(scale, shift, x[k]);
    add_triangle(sum, x[0], x[1], x[2]);
  }
  return NULL;
}

typedef struct points {
  double (*x)[3];
  size_t count, capacity;
} points;

static bool add_point(points *list, const char *text) {
  if (list->count == list->capacity) {
    const size_t more = list->capacity ? 2 * list->capacity : 1024;
    double(*x)[3] = realloc(list->x, more * sizeof *x);
    if (!x) return false;
    list->x = x;
    list->capacity = more;
  }
  char *at = (char *)text;
  for (int k = 0; k < 3; k++) list->x[list->count][k] = strtod(at, &at);
  list->count++;
  return true;
}

/* Adds the triangles of a face "f a/b/c ...", whose polygon is split from its first corner. */
static bool add_face(const points *list, const char *text, const char *end, integrals *sum) {
  size_t corners[3], count = 0;
  for (const char *at = text; at < end;) {
    char *rest;
    const long index = strtol(at, &rest, 10);
    if (rest == at || rest > end) break;
    const long number = index < 0 ? (long)list->count + index : index - 1;
    if (number < 0 || (size_t)number >= list->count) return false;
    corners[count < 2 ? count : 2] = (size_t)number;
    if (count >= 2) {
      add_triangle(sum, list->x[corners[0]], list->x[corners[1]], list->x[corners[2]]);
      corners[1] = corners[2];
    }
    count++;
    at = rest;
    while (at < end && *at != ' ' && *at != '\t') at++; /* the numbers of texture and normal */
    while (at < end && (*at == ' ' || *at == '\t')) at++;
  }
  return true;
}

static const char *read_obj(const import_file *file, const double scale[3], const double shift[3], integrals *sum) {
  points list = {0};
  bool good = true;
  for (const char *line = file->data; good && *line;) {
    const size_t length = strcspn(line, "\n");
    if (strncmp(line, "v ", 2) == 0) {
      good = add_point(&list, line + 2);
      if (good) map_point(scale, shift, list.x[list.count - 1]);
    } else if (strncmp(line, "f ", 2) == 0) {
      const char *start = line + 2 + strspn(line + 2, " \t");
      good = add_face(&list, start, line + length, sum);
    }
    line += length + (line[length] != 0);
  }
  free(list.x);
  return good ? NULL : "its file has a face without its points";
}

const char *import_mesh_mass(const import_file *file, const double scale[3], const double shift[3], import_mass *out) {
  const char *dot = strrchr(file->path, '.'), *why = "only binary STL and OBJ files are supported";
  integrals sum = {0};
  if (dot && strcasecmp(dot, ".stl") == 0) why = read_stl(file, scale, shift, &sum);
  if (dot && strcasecmp(dot, ".obj") == 0) why = read_obj(file, scale, shift, &sum);
  if (why) return why;
  if (!isfinite(sum.volume) || sum.volume == 0) return "its triangles enclose no volume";
  const double sign = sum.volume < 0 ? -1 : 1, trace = sum.second[0] + sum.second[1] + sum.second[2];
  *out = (import_mass){.mass = sign * sum.volume};
  for (int k = 0; k < 3; k++) {
    out->com[k] = sum.first[k] / sum.volume;
    out->inertia[k] = sign * (trace - sum.second[k]);
    out->inertia[3 + k] = -sign * sum.second[3 + k];
  }
  import_mass_add_point(out->inertia, -out->mass, out->com); /* moves the tensor from the origin to the mass centre */
  return NULL;
}
