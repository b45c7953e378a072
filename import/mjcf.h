/* mjcf.h - a MuJoCo model while it is read: the file with its includes, classes and angles (mjcf.c, mjcf_source.c),
 * bodies and joints (mjcf_bodies.c), masses (mjcf_masses.c), equalities and key frames (mjcf_equality.c). */
#ifndef IMPORT_MJCF_H
#define IMPORT_MJCF_H

#include "import/spatial.h"
#include "import/xml.h"

typedef struct mjcf_class mjcf_class;
struct mjcf_class {
  const char *name;
  mjcf_class *parent, *next;
  struct mjcf_setting *settings; /* the last one first */
};

/* Attributes of one element kind in a class. */
typedef struct mjcf_setting {
  xmlNode *node;
  struct mjcf_setting *next;
} mjcf_setting;

typedef struct mjcf_body mjcf_body;
typedef struct mjcf_joint mjcf_joint;

struct mjcf_body {
  const char *name; /* name in the source; NULL: none */
  import_link *link;
  import_pose start; /* pose in the global frame, all coordinates at their `ref` */
  mjcf_body *next;
};

typedef enum mjcf_joint_type { MJCF_HINGE, MJCF_SLIDE, MJCF_BALL, MJCF_FREE } mjcf_joint_type;

struct mjcf_joint {
  const char *name; /* name in the source; NULL: none */
  const char *out;  /* name in the document */
  mjcf_joint_type type;
  double ref;
  bool has_spring;
  import_pose relative; /* pose of the second link in the first one at zero */
  import_link *second;
  json_t *object;
  mjcf_joint *next;
};

typedef struct mjcf_site {
  const char *name;
  mjcf_body *body;
  import_pose pose; /* pose in the body */
  struct mjcf_site *next;
} mjcf_site;

/* An element with the pose of the frames around it, in its body. */
typedef struct mjcf_item {
  xmlNode *node;
  import_pose frame;
  mjcf_class *childclass;
} mjcf_item;

typedef struct mjcf_model {
  import_spatial spatial;
  import_context *context;
  const char *folder; /* folder of the main file, with its last "/", or "" */
  xmlNode *root;
  mjcf_class *classes; /* the last one is that of all elements without a class */
  mjcf_class *top;
  /* <compiler> */
  xmlNode *compiler; /* the last one; NULL: none */
  bool radians, balance, exact_meshes;
  bool no_springs, no_dampers, no_friction, no_equalities; /* disabled by <flag> */
  char sequence[4];
  const char *from_geoms; /* "true", "false", "auto" */
  const char *mesh_folder;
  double total_mass, least_mass, least_inertia;
  int groups[2];
  double gravity[3];
  mjcf_body *bodies, **last_body;
  mjcf_joint *joints, **last_joint;
  mjcf_site *sites;
  mjcf_body world;
  size_t body_count, joint_count;
} mjcf_model;

/* ---- mjcf_source.c ---------------------------------------------------------------------------------------------- */

/* Returns the child elements of a node, with those of included files in place of <include>. */
xmlNode **mjcf_children(mjcf_model *model, xmlNode *node, size_t *count);
/* Reads the classes in <default>. */
void mjcf_read_classes(mjcf_model *model);
mjcf_class *mjcf_find_class(mjcf_model *model, const char *name);
/* Returns an attribute of an element, or that of its class, or NULL. */
const char *mjcf_attribute(mjcf_model *model, const mjcf_item *item, const char *name);
/* Returns true if an attribute is "true". Reports an error if it is neither that nor "false". */
bool mjcf_flag(mjcf_model *model, const mjcf_item *item, const char *name);
bool mjcf_numbers(mjcf_model *model, const mjcf_item *item, const char *name, size_t count, double *out);
/* Reads up to `most` numbers; returns how many there are. Reports an error, and returns 0, if there is anything
 * else. */
size_t mjcf_some_numbers(mjcf_model *model, const mjcf_item *item, const char *name, size_t most, double *out);
/* Reads pos and the orientation of an element: quat, axisangle, xyaxes, zaxis or euler. */
import_pose mjcf_pose(mjcf_model *model, const mjcf_item *item);
/* Returns the factor from the unit of angles to radians. */
double mjcf_angle(const mjcf_model *model);
/* Normalizes a vector. Returns false, and does not change it, if its length is 0. */
bool mjcf_normalize(double *v, size_t count);

/* ---- mjcf_masses.c ---------------------------------------------------------------------------------------------- */

/* Sets mass, mass centre and inertia of a link from <inertial>, or from geoms. */
void mjcf_set_masses(mjcf_model *model, const mjcf_item *inertial, const mjcf_item *geoms, size_t geom_count,
                     import_link *link);
/* Scales all masses to settotalmass. */
void mjcf_scale_masses(mjcf_model *model);

/* ---- mjcf_bodies.c, mjcf_equality.c ----------------------------------------------------------------------------- */

void mjcf_add_bodies(mjcf_model *model);
void mjcf_add_equalities(mjcf_model *model);
/* Returns true if an equality of joints names this joint. */
bool mjcf_is_coupled(mjcf_model *model, const char *joint);
void mjcf_set_keyframe(mjcf_model *model);

#endif
