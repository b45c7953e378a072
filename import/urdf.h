/* urdf.h - a URDF robot while it is read (urdf.c, urdf_loops.c). */
#ifndef IMPORT_URDF_H
#define IMPORT_URDF_H

#include "import/spatial.h"
#include "import/xml.h"

typedef struct urdf_joint urdf_joint;

typedef struct urdf_link {
  xmlNode *node, *inertial;
  const char *name;
  urdf_joint *joint; /* joint to the parent; NULL: the root */
  import_pose pose;  /* pose in the root's frame at zero */
  bool placed;       /* `pose` is known */
  import_link *link;
} urdf_link;

struct urdf_joint {
  xmlNode *node, *mimic;
  const char *name, *type, *mimicked;
  const char *out; /* name in the document; NULL: not there */
  urdf_link *parent, *child;
  import_pose origin;
  double axis[3];
  import_damping law;
  bool one_coordinate, fixed;
};

typedef struct urdf_robot {
  import_spatial spatial;
  xmlNode *root;
  urdf_link *links;
  urdf_joint *joints;
  size_t link_count, joint_count;
} urdf_robot;

urdf_link *urdf_find_link(urdf_robot *robot, const char *name);
urdf_joint *urdf_find_joint(urdf_robot *robot, const char *name);
/* Reads the attributes xyz and rpy; the node may be NULL. */
import_pose urdf_origin(import_context *context, xmlNode *node);
/* Normalizes the axis that an element gives; see import_spatial_unit(). */
bool urdf_unit(import_context *context, const xmlNode *node, double axis[3]);
/* Adds the joints that close loops (urdf_loops.c). */
void urdf_add_loops(urdf_robot *robot, const import_file *main);

#endif
