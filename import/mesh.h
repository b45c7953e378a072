/* mesh.h - the mass of a mesh. */
#ifndef IMPORT_MESH_H
#define IMPORT_MESH_H

#include "import/mass.h"
#include "import/tree.h"

/* Computes the mass of the solid in a closed surface of triangles (binary STL or OBJ) for density 1. Coordinates are
 * (x - shift) scale. Returns NULL, or why there is none. */
const char *import_mesh_mass(const import_file *file, const double scale[3], const double shift[3], import_mass *out);

#endif
