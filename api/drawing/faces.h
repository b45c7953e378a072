/* faces.h - the surfaces of solids: flat polygons with normals at their corners. */
#ifndef API_DRAWING_FACES_H
#define API_DRAWING_FACES_H

#include "api/drawing/drawing.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct api_faces {
  double (*points)[3], (*normals)[3]; /* [ends[count - 1]] corners, face by face, counterclockwise seen from outside */
  size_t *ends;                       /* [count] corner after the last one of each face */
  size_t count, corner_count;
  size_t face_capacity, point_capacity, normal_capacity;
  bool failed; /* memory ran out */
} api_faces;

/* Makes the faces of a form; round forms have `sides` sides. `outline` is that of a PRISM or MESH. */
void api_faces_make(api_form form, const api_outline *outline, int sides, api_faces *out);
/* Makes a bar along y from 0 to 1, and a spring of wire there. */
void api_faces_make_link(double radius, int sides, api_faces *out);
void api_faces_make_spring(double radius, api_faces *out);
void api_faces_free(api_faces *faces);

/* Divides a face into triangles, three corners each, counted from the first corner of the face; `triangles` has 3
 * (`count` - 2) items. Returns false if memory runs out. */
bool api_face_triangles(double (*points)[3], size_t count, unsigned *triangles);

#endif
