/* painter.h - paints a mechanism as filled polygons: a parallel projection, with faces sorted by depth (the painter's
 * algorithm). A planar mechanism is seen along z, a spatial one from above and the side. */
#ifndef CLI_PAINTER_H
#define CLI_PAINTER_H

#include "api/base/buffer.h"
#include "api/drawing/drawing.h"
#include "api/drawing/poses.h"

#include <stdbool.h>

typedef struct cli_painter cli_painter;

/* Makes a painter of a drawing, which must outlive it, and reads its motion. Returns NULL if memory runs out. */
cli_painter *cli_painter_new(const api_drawing *drawing, const api_poses *poses);
void cli_painter_free(cli_painter *self);

/* Sets t to the times of the first and of the last row. */
void cli_painter_times(const cli_painter *self, double t[2]);
/* Sets the intervals of both coordinates of the picture that contain the mechanism at all rows. */
void cli_painter_bounds(cli_painter *self, double x[2], double y[2]);
/* Appends the polygons at the time t, interpolated between rows: lines of x, y and the colour, an empty line after each
 * polygon. Returns false if memory runs out. */
bool cli_painter_paint(cli_painter *self, double t, api_buffer *out);

#endif
