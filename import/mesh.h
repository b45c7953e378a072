/* mesh.h - the mass of a mesh. */
#ifndef IMPORT_MESH_H
#define IMPORT_MESH_H

#include "import/mass.h"
#include "import/tree.h"

/* Computes the mass of the solid in a surface of triangles (binary STL or OBJ) for density 1. Coordinates are
 * scale (x - p) in the axes of `frame`, whose origin is p. With `exact`, the volumes of triangles have the signs of
 * their orientations; else all count as positive. Returns NULL, or why there is none. */
const char *import_mesh_mass(const import_file *file, const import_pose *frame, const double scale[3], bool exact,
                             import_mass *out);

#endif
