/* schema.c - mbs schema: prints the schema of model documents, schemas/model.schema.json. */
#include "api/documents/schema.h"

#include "cli.h"

#include <stdlib.h>

int cli_schema(int argc, char **argv) {
  if (!cli_takes(argc, argv, "")) return cli_say_usage(argv[0]);
  char *text = api_schema_text();
  if (!text) return CLI_RUN_FAILED;
  puts(text);
  free(text);
  return CLI_DONE;
}
