/* gnuplot.h - scripts for gnuplot, and the programs gnuplot and ffmpeg, which make pictures and videos of them. */
#ifndef CLI_GNUPLOT_H
#define CLI_GNUPLOT_H

#include "api/base/buffer.h"

#include <stdbool.h>

/* Appends a text as a string of gnuplot, in which all characters that mean anything to gnuplot are octal escapes:
 * quotes, backquotes, backslashes, semicolons and the like. Control characters become blanks. */
void cli_gnuplot_text(api_buffer *script, const char *text);

/* Parses a size in pixels, "800x600". Returns false after printing an error. */
bool cli_gnuplot_size(const char *text, int *width, int *height);

/* Returns the position of the extension of a path in the list "svg|png|pdf"; -1 after printing an error. `path` may be
 * NULL: 0. */
int cli_gnuplot_kind(const char *path, const char *list);

/* Runs the script, whose output becomes the file. If `codec` is not NULL, it ends with NULL and has the arguments with
 * which ffmpeg encodes the pictures (PNG) of the script, `fps` per second, as a video. The file is written when all is
 * done. Returns false after printing an error. */
bool cli_gnuplot_run(const api_buffer *script, const char *path, const char *const *codec, double fps);

#endif
