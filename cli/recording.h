/* recording.h - the result arrays that mbs plot and mbs animate show: those of a model, which is run, or those that an
 * earlier mbs run wrote. */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct cli_recording {
  const mbs_array *list; /* [count] */
  size_t count;
  const char *title; /* name of the model, or the path of the results */
  json_t *scene;     /* scene of the model (scene_json.h); NULL: not known */
} cli_recording;

/* Shows a recording, which lasts as long as the call. Returns false after printing an error. */
typedef bool (*cli_show)(void *context, const cli_recording *recording);

typedef struct cli_recording_source {
  const char *path;     /* MODEL or RESULTS */
  const char *analysis; /* file with an analysis for a model; NULL: its own */
  const char *model;    /* model of the results, whose scene is wanted; NULL: none */
} cli_recording_source;

/* Makes the recording: runs the model, or reads the results: the folder of `mbs run --out`, or one of its files, or the
 * file of `mbs run --csv`. Calls `show` once, unless there are no arrays. Returns the exit code. */
int cli_record(const cli_recording_source *source, cli_show show, void *context);

#endif
