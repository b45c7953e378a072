/* formats.h - the formats of sources. */
#ifndef IMPORT_FORMATS_H
#define IMPORT_FORMATS_H

#include "import/context.h"
#include "import/tree.h"

typedef struct import_format {
  const char *name;
  /* Marks of a main file: the root element of XML, its name, or the end of its name. */
  const char *root, *main_name, *ending;
  /* Converts the file `main` (dap: its folder). */
  void (*convert)(import_context *context, const import_file *main);
} import_format;

extern const import_format import_adm, import_dap, import_mjcf, import_robotran, import_sdf, import_urdf;

#endif
