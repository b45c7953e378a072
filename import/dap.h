/* dap.h - a model of DAP_JC or DAP_BC while it is read: dap.c; dap_cuts.c, constraints of CutJoint; dap_joints.c,
 * joints of DAP_BC; dap_forces.c, forces. Indices count from 1; body 0 is the ground. */
#ifndef IMPORT_DAP_H
#define IMPORT_DAP_H

#include "import/document.h"
#include "import/mfile.h"

typedef struct dap_list {
  mfile_struct **items; /* [count] */
  const char **names;   /* names in the document; of points and vectors: references "body.point" */
  size_t count;
} dap_list;

/* A joint of the tree: coordinates theta(first) .. */
typedef struct dap_coordinate {
  const char *joint;
  int index, count;
} dap_coordinate;

enum { DAP_COORDINATES = 1000 };

typedef struct dap_model {
  import_context *context;
  const char *folder; /* folder of the model, with its last "/", or "" */
  dap_list bodies, points, vectors, joints, forces, functions;
  json_t **objects; /* [bodies.count] */
  const char *file; /* being read, for places */
  dap_coordinate coordinates[DAP_COORDINATES];
  size_t coordinate_count;
  const char *list_files[6];
} dap_model;

/* ---- dap.c ------------------------------------------------------------------------------------------------------ */

/* Returns a file of the model's folder; NULL if there is none. */
const import_file *dap_file(dap_model *model, const char *name);
/* Reads a number of a structure, or its default. */
double dap_number(dap_model *model, mfile_struct *object, const char *file, const char *field, double fallback);
/* Returns true if the field was assigned. */
bool dap_has(const mfile_struct *object, const char *field);
bool dap_numbers(dap_model *model, mfile_struct *object, const char *file, const char *field, size_t count,
                 double *out);
const char *dap_word(mfile_struct *object, const char *field, const char *fallback);
/* Returns the 1-based index in a field, within a list; 0 and an error if it is outside. */
int dap_index(dap_model *model, mfile_struct *object, const char *file, const char *field, const dap_list *list);
int dap_body_of(dap_model *model, mfile_struct *place, const char *file);
const char *dap_body_name(const dap_model *model, int body);
/* Sets points, axis and radius of a disc, which rolls along x; its angle is 0 at the point (x0, 0) of the ground. */
void dap_set_disc(dap_model *model, json_t *joint, int body, double x0, double radius);
/* Answers for Points(i).rP and the like, as terms of the state. */
bool dap_member(mfile *reader, const char *global, int index, const char *field, mfile_value *out);
/* Reads a program that computes from the state, for t = "t" and check = 1; `call` as in mfile. */
mfile *dap_read_state(dap_model *model, const import_file *file, mfile_call *call);
/* Returns a term as a number or an expression of the document. */
json_t *dap_law(import_context *context, const mfile_term *term);
/* Returns the function of a driver; NULL after an error. */
json_t *dap_function(dap_model *model, int index, const import_location *place);
import_location dap_location(const mfile_struct *object, const char *file);

void dap_add_cuts(dap_model *model);
void dap_add_joints(dap_model *model);
void dap_add_forces(dap_model *model);

#endif
