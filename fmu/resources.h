/* resources.h - the files in the folder of resources of an FMU. */
#ifndef FMU_RESOURCES_H
#define FMU_RESOURCES_H

#include <stddef.h>

/* Returns the path of a URI "file:///path", "file:/path", or of a plain path, malloc'd; NULL for others, or if memory
 * runs out. */
char *fmu_path_of_uri(const char *uri);
/* Reads a file of the folder. Returns its text, malloc'd; NULL on failure. */
char *fmu_read_file(const char *folder, const char *name, size_t *size);

#endif
