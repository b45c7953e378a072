/* drawing.h - the solids by which a mechanism is drawn: bodies by their shapes, or by rods to their points, and the
 * symbols of joints; those of the page (web/src/view3d). A planar mechanism is drawn with the thickness of sheet metal,
 * seen along z. */
#ifndef API_DRAWING_DRAWING_H
#define API_DRAWING_DRAWING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Forms around the origin, which solids scale, rotate and move. */
typedef enum api_form {
  API_FORM_BALL,  /* a ball of radius 1 */
  API_FORM_BAR,   /* a cylinder of radius 1 along y, from -1/2 to 1/2 */
  API_FORM_BLOCK, /* a cube with sides of 1 */
  API_FORM_FOOT,  /* a pyramid along y, from -1/2 to 1/2 */
  API_FORM_NUT,   /* a prism with six sides along y, from -1/2 to 1/2 */
  API_FORM_PRISM, /* between an outline and its copy; own outline */
  API_FORM_MESH   /* triangles; own outline */
} api_form;

/* The corners of a prism or mesh, in the axes of the carrier. */
typedef struct api_outline {
  double (*points)[3]; /* [count] */
  size_t count;
  double way[3];       /* PRISM: from the outline to its copy */
  int (*triangles)[3]; /* MESH: [triangle_count] indices of points */
  size_t triangle_count;
} api_outline;

typedef struct api_solid {
  int carrier; /* index of a body; 0: the ground */
  api_form form;
  size_t outline;     /* index of the outline of a PRISM or MESH */
  double place[4][3]; /* images of x, y, z and of the origin, in the axes of the carrier from its mass centre; of forms
                         with an outline the identity */
  unsigned colour;    /* 0xrrggbb */
  bool clear;         /* transparent, as a floor */
} api_solid;

/* A rod, beam or spring between points of two bodies. */
typedef struct api_link {
  int from, to; /* points */
  bool spring;  /* otherwise a rod or beam */
} api_link;

/* A belt or rope over points and pulleys. glTF files do not contain it, as its form changes. */
typedef struct api_rope {
  struct api_stop {
    int point;
    double radius; /* positive where it runs counterclockwise about the point, negative: clockwise; 0: a point [m] */
  } * stops;       /* [count] */
  size_t count;
  bool closed;
} api_rope;

typedef struct api_drawing {
  bool planar;
  char **names;      /* [body_count] names of the bodies; the first one is the ground */
  size_t body_count; /* the ground counts */
  double radius;     /* radius of rods [m] */
  api_solid *solids;
  api_outline *outlines;
  api_link *links;
  api_rope *ropes;
  size_t solid_count, outline_count, link_count, rope_count;
  size_t solid_capacity, outline_capacity, link_capacity, rope_capacity;
  bool failed; /* memory ran out */
} api_drawing;

/* Colours of what belongs to no body. */
enum { API_COLOUR_FAINT = 0x667085, API_COLOUR_SPRING = 0x7a869a };

/* Makes the drawing of the scene `from` (scene_json.h). `centres` and `points` are the positions of mass centres and of
 * points at the start, with 2 or 3 numbers each; sizes of symbols depend on them. Returns NULL if memory runs out. */
api_drawing *api_drawing_new(const json_t *from, const double *centres, const double *points);
void api_drawing_free(api_drawing *drawing);

/* ---- for the parts of a drawing -------------------------------------------------------------------------------- */

/* Receives the solids of a carrier. */
typedef struct api_drawing_onto {
  api_drawing *drawing;
  int carrier;
  unsigned colour;
  double z, thickness; /* planar: middle and thickness of its sheets */
} api_drawing_onto;

/* Adds a form that is scaled along x, y and z, rotated from y to a direction (NULL: y), and moved. */
void api_drawing_add(const api_drawing_onto *onto, api_form form, const double at[3], const double size[3],
                     const double *direction);
/* Adds a cylinder between two points, nothing if they coincide; a ball; a rod with round ends. */
void api_drawing_bar(const api_drawing_onto *onto, const double from[3], const double to[3], double radius);
void api_drawing_ball(const api_drawing_onto *onto, const double at[3], double radius);
/* Adds a prism or mesh, and takes ownership of the arrays of its outline. */
void api_drawing_outline(const api_drawing_onto *onto, api_form form, const api_outline *outline);
/* Adds a polygon [count] in a planar drawing as a sheet. */
void api_drawing_sheet(const api_drawing_onto *onto, double (*points)[3], size_t count);
/* Adds a disc in a planar drawing as a sheet. */
void api_drawing_disc(const api_drawing_onto *onto, const double at[3], double radius);
/* Adds a shape of the document. In shapes.c. */
void api_drawing_shape(const api_drawing_onto *body, const json_t *shape);

/* Reads up to three numbers; those that are missing are 0. Returns their count. */
size_t api_drawing_vector(const json_t *list, double out[3]);

#endif
