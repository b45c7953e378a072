/* mbs/document.h - the classes of objects that a document may contain, and the nodes of a document that was read. */
#ifndef MBS_MBS_DOCUMENT_H
#define MBS_MBS_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "mbs/api.h"

/* The kinds of a field, with the form of its value in a document. */
typedef enum mbs_kind {
  MBS_KIND_TEXT,    /* a string, for instance a name or a description */
  MBS_KIND_BOOL,    /* true, false */
  MBS_KIND_CHOICE,  /* a word of `choices` */
  MBS_KIND_COLOR,   /* "#rrggbb", or a name of a colour */
  MBS_KIND_NUMBER,  /* a number, or an expression over parameters */
  MBS_KIND_LAW,     /* a number, or an expression over parameters, time and state */
  MBS_KIND_BODY,    /* "body", or "ground" */
  MBS_KIND_POINT,   /* "body.point" */
  MBS_KIND_VECTOR,  /* "body.vector" */
  MBS_KIND_JOINT,   /* "joint" */
  MBS_KIND_LINE,    /* ["body.point", "body.vector"]: a line along the vector, or a plane with it as normal */
  MBS_KIND_OBJECT,  /* an object of class `of` */
  MBS_KIND_ELEMENT, /* an object of one of the classes of `family` (see mbs_family) */
  MBS_KIND_MAP,     /* {"name": value, ...}; each entry becomes a node of class `of`: an object, or the value of its
                       only field */
  MBS_KIND_ROW      /* a row of numbers [x, y, ...]: used with arrays for tables */
} mbs_kind;

/* The families of elements, with the field that selects the class of an element. */
typedef enum mbs_family {
  MBS_FAMILY_NONE,
  MBS_FAMILY_JOINT,    /* selected by "type" */
  MBS_FAMILY_DRIVER,   /* selected by "type" */
  MBS_FAMILY_FORCE,    /* selected by "type" */
  MBS_FAMILY_SHAPE,    /* selected by "type" */
  MBS_FAMILY_SIGNAL,   /* selected by "type", "expression" if it is omitted */
  MBS_FAMILY_FUNCTION, /* a number or string is the class "expression"; otherwise an object with one key, the class
                          name, whose value is an object of fields, or the value of the class's first field */
  MBS_FAMILY_COUNT
} mbs_family;

typedef enum mbs_space { MBS_PLANAR = 1, MBS_SPATIAL = 2, MBS_ANY_SPACE = 3 } mbs_space;

/* A count that depends on the space: `planar` in the plane, `spatial` in space, both from 1 to 9. */
#define MBS_COUNTS(planar, spatial) (-(10 * (planar) + (spatial)))
#define MBS_DIM MBS_COUNTS(2, 3)     /* count: the number of dimensions of space */
#define MBS_TURNS MBS_COUNTS(1, 3)   /* count: the number of rotations of space */
#define MBS_MOTIONS MBS_COUNTS(3, 6) /* count: the number of translations and rotations of space */
#define MBS_COORDINATES (-3)         /* count: the number of coordinates of a joint */
#define MBS_RUNS (-4)                /* count: an output for each run of a belt or rope, and its length */

struct mbs_class;

/* A field of a class. If `max_count` is 0, the field has one value. Otherwise it is an array of `min_count` to
 * `max_count` values, which may depend on the space (MBS_COUNTS). */
typedef struct mbs_field {
  const char *name;
  mbs_kind kind;
  int min_count, max_count;
  bool required;
  bool nullable;             /* null is allowed; its number is infinite */
  bool or_single;            /* the array may also be written as a single value */
  bool or_first;             /* an OBJECT may also be written as the value of its first field */
  bool reference_keys;       /* the keys of a MAP are references, such as "joint.qd" */
  mbs_space spaces;          /* 0 means both */
  double fallback;           /* default of numbers and booleans; NaN: no default */
  const char *fallback_text; /* default of words and laws; NULL: no default */
  double low, high;          /* bounds of numbers that are known when the model is built; low == high: no bounds */
  bool low_open;             /* `low` itself is not allowed */
  const char *unit;          /* for instance "N/m"; NULL or "" without a unit */
  const char *choices;       /* "a|b|c" */
  const struct mbs_class *of;
  mbs_family family;
  const char *doc;
} mbs_field;

/* A class: one kind of object in a document. Element classes extend it inside the solver. */
typedef struct mbs_class {
  const char *name;
  const char *doc;
  const char *equation;    /* equation of the class, one or more lines; NULL if the fields define it completely */
  const mbs_field *fields; /* ends with a field whose name is NULL */
  mbs_family family;
  mbs_space spaces; /* spaces in which the class exists */
} mbs_class;

/* Returns a count in the plane or in space. */
MBS_API int mbs_count_in(int count, bool planar);
/* Returns the class of a document. */
MBS_API const mbs_class *mbs_class_model(void);
/* Returns the class of an analysis, which is part of a document or given separately. */
MBS_API const mbs_class *mbs_class_analysis(void);
/* Returns the class of a study, which is given in addition to a model. */
MBS_API const mbs_class *mbs_class_study(void);
/* Returns the class number `index` of a family, in the order of the manual; NULL past the end. */
MBS_API const mbs_class *mbs_class_at(mbs_family family, size_t index);
/* Returns the name of the class of an element without "type"; NULL if "type" is required. */
MBS_API const char *mbs_family_default(mbs_family family);
/* Returns the class of that name in a family, or NULL. */
MBS_API const mbs_class *mbs_class_find(mbs_family family, const char *name);
/* Returns the index of the field of that name in cls->fields, or -1. */
MBS_API int mbs_field_index(const mbs_class *cls, const char *name);

/* A value as written. If `text` is NULL, it is `number`. Otherwise `text` is an expression, a reference or a word. */
typedef struct mbs_scalar {
  const char *text;
  double number; /* NaN without a text: an invalid item of a list, already reported */
} mbs_scalar;

/* The value of one field in a document. */
typedef struct mbs_value {
  bool given;
  bool list;           /* written as an array */
  size_t count;        /* number of scalars or of nodes */
  mbs_scalar *scalars; /* [count] for kinds up to LINE; a boolean is the number 0 or 1 */
  const char *pointer; /* JSON pointer of the whole value */
  struct mbs_node
      *nodes;        /* [count] for OBJECT, ELEMENT, MAP (one node per entry); ROW: nodes whose values[0] is the row */
  const char **lost; /* [lost_count] names of elements that were left out after a report: they are not unknown */
  size_t lost_count;
} mbs_value;

typedef struct mbs_node {
  const mbs_class *cls;
  const char *pointer; /* JSON pointer of this object */
  const char *key;     /* name of the entry of a map, else NULL */
  mbs_value *values;   /* [number of fields of cls] */
} mbs_node;

#endif
