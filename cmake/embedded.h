/* embedded.h - files that the build puts into the program as they are (see Embed.cmake). */
#ifndef EMBEDDED_H
#define EMBEDDED_H

#include <stddef.h>

typedef struct embedded_file {
  const char *name;          /* relative to its folder, for instance "SC.json" */
  const unsigned char *data; /* `size` bytes, then a 0 that is not counted */
  size_t size;
} embedded_file;

/* Tables sorted by name. */
extern const embedded_file embedded_models[]; /* models, one JSON document each */
extern const size_t embedded_models_count;
extern const embedded_file embedded_studies[]; /* studies of models, one JSON document each */
extern const size_t embedded_studies_count;
extern const embedded_file embedded_schemas[]; /* schemas, one JSON document each */
extern const size_t embedded_schemas_count;
extern const embedded_file embedded_web[]; /* web/dist, what npm built; empty when it was not built */
extern const size_t embedded_web_count;
extern const embedded_file embedded_manual[]; /* docs/manual as pages; empty where it was not rendered */
extern const size_t embedded_manual_count;
extern const embedded_file embedded_fmu[]; /* license.txt and the library of FMUs */
extern const size_t embedded_fmu_count;
extern const embedded_file embedded_migrations[]; /* migrations, SQL in the order to apply; in the daemon only */
extern const size_t embedded_migrations_count;

#endif
