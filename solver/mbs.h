/* mbs.h - the public face of libmbs, the multibody solver of mbsd.
 *
 * A model document is a tree of nodes (`mbs_node`), each described by a class (`mbs_class`): its fields, their
 * kinds, units, bounds and defaults. Whoever reads documents (api/ reads JSON) walks the class tables, so no
 * reader knows an element by name. The life of a model:
 *
 *     node tree --mbs_model_build--> mbs_model (immutable) --mbs_run--> mbs_result (arrays and report)
 *
 * Nothing here knows JSON, HTTP, SQL, threads or files; there are no global variables. */
#ifndef MBS_H
#define MBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MBS_VERSION "0.2.0"

/* ---- errors ------------------------------------------------------------------------------------------------- */

typedef enum mbs_status {
#define MBS_STATUS(symbol, code, meaning) MBS_##symbol,
#include "base/status.def"
#undef MBS_STATUS
  MBS_STATUS_COUNT
} mbs_status;

/* The code users see, for instance "singular_position". */
const char *mbs_status_code(mbs_status status);

typedef struct mbs_error {
  mbs_status status;
  char pointer[256]; /* JSON pointer into the document, "" for the whole */
  char element[128]; /* joint, driver or body concerned, or "" */
  double time;       /* [s] when it happened; NaN for errors of the document */
  char message[768]; /* what is wrong and what to do, without a final full stop */
} mbs_error;

/* All mistakes of a document at once; the list grows, at most to MBS_DIAGNOSTICS_MAX entries (the rest is counted). */
#define MBS_DIAGNOSTICS_MAX 200
typedef struct mbs_diagnostics {
  mbs_error *items;
  size_t count;
  size_t dropped;
} mbs_diagnostics;

void mbs_diagnostics_free(mbs_diagnostics *list);

/* Appends an error of the document, unless it is listed already: several readers may look at one value. `format` as in
 * printf. Returns `status`. */
mbs_status mbs_diagnose(mbs_diagnostics *list, mbs_status status, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Of `count` candidates the one nearest to `word` (the same but for case, or an edit distance of at most a third of its
 * length, 1 for two letters), else NULL. */
const char *mbs_nearest(const char *word, const char *const *candidates, size_t count);

/* ---- classes: what a document may contain -------------------------------------------------------------------- */

/* The kinds of a field. In the document: */
typedef enum mbs_kind {
  MBS_KIND_TEXT,    /* any string: a name, a description */
  MBS_KIND_BOOL,    /* true, false */
  MBS_KIND_CHOICE,  /* one of `choices` */
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
  MBS_KIND_MAP,     /* {"name": value, ...}; each entry becomes a node of class `of` whose first field is the value */
  MBS_KIND_ROW      /* a row of numbers [x, y, ...]: used with arrays for tables */
} mbs_kind;

/* How an element of a family is told apart. */
typedef enum mbs_family {
  MBS_FAMILY_NONE,
  MBS_FAMILY_JOINT,    /* by its "type" */
  MBS_FAMILY_DRIVER,   /* by its "type" */
  MBS_FAMILY_FORCE,    /* by its "type" */
  MBS_FAMILY_SHAPE,    /* by its "type" */
  MBS_FAMILY_FUNCTION, /* a number or string is the class "expression"; otherwise an object with one key, the class
                          name, whose value is an object of fields, or the value of the class's first field */
  MBS_FAMILY_COUNT
} mbs_family;

typedef enum mbs_space { MBS_PLANAR = 1, MBS_SPATIAL = 2, MBS_ANY_SPACE = 3 } mbs_space;

#define MBS_DIM (-1)   /* as a count: as many numbers as space has dimensions, 2 or 3 */
#define MBS_TURNS (-2) /* as a count: as many numbers as space has rotations, 1 or 3 */

struct mbs_class;

/* One field of a class. A field with `max_count` 0 holds one value; otherwise it is an array of `min_count` to
 * `max_count` values (MBS_DIM: 2 in the plane, 3 in space; MBS_TURNS: 1 and 3). */
typedef struct mbs_field {
  const char *name;
  mbs_kind kind;
  int min_count, max_count;
  bool required;
  bool or_single;            /* an array that may also be written as its only value */
  mbs_space spaces;          /* 0 means both */
  double fallback;           /* default of numbers and booleans; NaN when there is none */
  const char *fallback_text; /* default of words and laws, or NULL */
  double low, high;          /* bounds of numbers that are known when the model is built; low == high: none */
  bool low_open;             /* low itself is refused */
  const char *unit;          /* for instance "N/m"; NULL or "" if it has none */
  const char *choices;       /* "a|b|c" */
  const struct mbs_class *of;
  mbs_family family;
  const char *doc;
} mbs_field;

/* A class: one kind of object in a document. Element classes extend it inside the solver. */
typedef struct mbs_class {
  const char *name;
  const char *doc;
  const char *equation;    /* what it means in numbers, in lines; NULL where the fields say all */
  const mbs_field *fields; /* ends with a field whose name is NULL */
  mbs_family family;
  mbs_space spaces; /* where it exists */
} mbs_class;

/* The document itself, and the analysis that may come beside it. */
const mbs_class *mbs_class_model(void);
const mbs_class *mbs_class_analysis(void);
/* A study, which stands beside a model. */
const mbs_class *mbs_class_study(void);
/* The classes of a family in the order of elements.def; NULL past the end. */
const mbs_class *mbs_class_at(mbs_family family, size_t index);
/* NULL where there is none of that name. */
const mbs_class *mbs_class_find(mbs_family family, const char *name);
/* Index of a field, -1 where there is none. */
int mbs_field_index(const mbs_class *cls, const char *name);

/* ---- nodes: a document that was read ------------------------------------------------------------------------- */

/* A number as written: `text` NULL means `number` counts; otherwise the text of an expression, reference or word. */
typedef struct mbs_scalar {
  const char *text;
  double number; /* NaN without a text: an item of a list that was wrong, and reported; the others count */
} mbs_scalar;

/* What a document gave for one field. */
typedef struct mbs_value {
  bool given;
  bool list;              /* it was written as an array */
  size_t count;           /* of scalars, or of nodes */
  mbs_scalar *scalars;    /* [count] for kinds up to LINE; a boolean is the number 0 or 1 */
  const char *pointer;    /* JSON pointer of the value as a whole */
  struct mbs_node *nodes; /* [count] for OBJECT, ELEMENT, MAP (one an entry); ROW: nodes whose values[0] is the row */
} mbs_value;

typedef struct mbs_node {
  const mbs_class *cls;
  const char *pointer; /* JSON pointer of this object */
  const char *key;     /* name of a map's entry, else NULL */
  mbs_value *values;   /* [number of fields of cls] */
} mbs_node;

/* ---- arenas: where nodes, models and results live ------------------------------------------------------------ */

typedef struct mbs_arena mbs_arena;
/* An arena that refuses to grow past `limit` bytes (0: no limit). NULL when there is no memory. */
mbs_arena *mbs_arena_new(size_t limit);
void mbs_arena_free(mbs_arena *arena);
/* All blocks are given back to the arena, which keeps its memory for others. */
void mbs_arena_clear(mbs_arena *arena);
/* Zeroed memory, aligned for any type; NULL past the limit. */
void *mbs_arena_alloc(mbs_arena *arena, size_t count, size_t size);
/* Texts, which follow one another as they are: room for so many characters and the end of one; a copy; one that is
 * printed. */
char *mbs_arena_characters(mbs_arena *arena, size_t length);
char *mbs_arena_text(mbs_arena *arena, const char *text);
char *mbs_arena_format(mbs_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Bytes that were taken so far. */
size_t mbs_arena_used(const mbs_arena *arena);

/* ---- models -------------------------------------------------------------------------------------------------- */

typedef struct mbs_model mbs_model;

typedef struct mbs_limits {
  size_t rows;             /* most reporting times; 0: 1000000 */
  size_t memory;           /* most bytes of a model and of a run each; 0: 2 GiB */
  const char *advice;      /* "...", how a user gets more memory; lasts as long as the model; NULL: nothing to say */
  double wall_seconds;     /* most seconds of a run; 0: no limit */
  const char *wall_name;   /* what a user knows that limit by, as long as the model; NULL: "the wall clock" */
  uint64_t evaluations;    /* most evaluations of a run; 0: no limit */
  size_t runs;             /* most runs of a study; 0: 1000000 */
  const char *runs_name;   /* what a user knows that limit by, as long as the model; NULL: nothing to say */
  size_t result_bytes;     /* most bytes of a study's arrays; 0: no limit */
  const char *result_name; /* likewise */
} mbs_limits;

/* Builds a model for one analysis. `analysis` is of class mbs_class_analysis(); NULL: the one in the document.
 * All mistakes go to `list`; returns NULL if there is any in it. The nodes may go afterwards. So that all mistakes are
 * found at once, a document that its reader found wrong is looked at, too: `list` then has the reader's mistakes, and
 * required values may not be `given`, which is passed over in silence. */
mbs_model *mbs_model_build(const mbs_node *document, const mbs_node *analysis, const mbs_limits *limits,
                           mbs_diagnostics *list);
/* What makes a model: the document, and what may stand beside it, NULL where it does not. */
typedef struct mbs_documents {
  const mbs_node *model;
  const mbs_node *analysis; /* of class mbs_class_analysis() */
  const mbs_node *study;    /* of class mbs_class_study() */
  mbs_arena *arena;         /* of mbs_documents_arena(), with all nodes and their texts: the model is made in it, and it
                             * is freed with the model, at once if there is none; NULL: the model copies the nodes */
} mbs_documents;

/* An arena for nodes that a model within these limits is to be made of. NULL when there is no memory. */
mbs_arena *mbs_documents_arena(const mbs_limits *limits);

/* The same with a study, whose mistakes are found, too, and with other values of the parameters, in the order of the
 * document [as many]; NaN: as the document has them; NULL: all. */
mbs_model *mbs_model_build_for(const mbs_documents *documents, const double *parameters, const mbs_limits *limits,
                               mbs_diagnostics *list);
void mbs_model_free(mbs_model *model);

const char *mbs_model_name(const mbs_model *model);

/* ---- scenes: what a drawing of a model needs ----------------------------------------------------------------- */

/* A plane curve of an element, as points from its own point on, in the axes of its body. */
typedef struct mbs_scene_curve {
  int point; /* that it is about */
  bool closed;
  bool whole;         /* false: it has no ends, and these are its points near where its contacts are looked for first */
  double first, step; /* the contact parameters of the points, where it is not closed [rad] */
  size_t count;
  double *points; /* [count x 2] [m]; NaN where it has none */
} mbs_scene_curve;

/* A field with its value; which member has it follows from the field's kind. */
typedef struct mbs_scene_value {
  const mbs_field *field;
  size_t count;            /* of numbers, places or curves */
  double *numbers;         /* NUMBER; ROW: row by row, as many as space has dimensions */
  int *places;             /* POINT, VECTOR, BODY: which of the scene's; LINE: a point, then a vector */
  const char *text;        /* COLOR, CHOICE */
  mbs_scene_curve *curves; /* OBJECT: a curve */
} mbs_scene_value;

/* An element or a shape: the fields that have a value, given or by default, but laws and what else is not for drawing.
 */
typedef struct mbs_scene_element {
  const mbs_class *cls;
  const char *name;   /* NULL: it has none */
  const char *symbol; /* of a joint: the word for how it is drawn; else NULL */
  size_t count;
  mbs_scene_value *values; /* [count] */
} mbs_scene_element;

typedef struct mbs_scene_body {
  const char *name;
  size_t shape_count;
  mbs_scene_element *shapes; /* [shape_count] */
} mbs_scene_body;

/* A point, from the mass centre [m], or a unit vector, in the axes of a body. */
typedef struct mbs_scene_place {
  const char *name;
  int body;
  double at[3];
} mbs_scene_place;

/* A model with the numbers of its parameters, as it is drawn. Bodies: the ground first, then as in the document; points
 * as in the array rP. */
typedef struct mbs_scene {
  int dim; /* 2 or 3 */
  size_t body_count, point_count, vector_count, joint_count, force_count;
  mbs_scene_body *bodies;
  mbs_scene_place *points, *vectors;
  mbs_scene_element *joints, *forces;
  bool view_given[3];
  double view[3][2]; /* [m] the part of the global axes that is shown at first */
} mbs_scene;

/* The scene of a model, in an arena, with the model's texts. NULL: no memory. */
const mbs_scene *mbs_model_scene(const mbs_model *model, mbs_arena *arena);

/* ---- running ------------------------------------------------------------------------------------------------- */

struct mbs_result;

/* What a run asks of its host; every member may be NULL. */
typedef struct mbs_hooks {
  void *user;
  /* Called now and then (at the least every few hundred evaluations); false stops the run as MBS_CANCELLED. */
  bool (*progress)(void *user, double t, double fraction, uint64_t evaluations);
  /* Seconds on a monotonic clock; without it wall-clock limits do not count. */
  double (*now)(void *user);
  /* Called after each row: the first `rows` of every array that is there (all with time) are final and stay where they
   * are until mbs_run() returns. shape[0] is what a whole run fills. Not called with error_estimate, where arrays are
   * complete with the second run only: the host has all of them from mbs_run() itself. */
  void (*rows)(void *user, const struct mbs_result *result, size_t rows);
} mbs_hooks;

/* An array of results, row-major; shape[0] is the number of reporting times unless `about_state` (matrices of the
 * linearization and the like, that have no time). */
typedef struct mbs_array {
  const char *name;
  const char *unit;
  const char *doc;
  int rank;
  size_t shape[4];
  const char *const *labels; /* one for each column: product of shape[1..]; for rank 1 the name itself */
  const char *const *units;  /* as many; "" for numbers without a unit, and where it is not known */
  double *data;
  bool timeless; /* rows are not reporting times */
  bool by_run;   /* of those: rows are runs of a study, final one after another */
} mbs_array;

typedef struct mbs_tree_entry {
  const char *body;  /* the body that the joint carries */
  const char *joint; /* "" for a body that floats by itself */
  const char *type;
  const char *parent; /* the body it is carried by */
  int freedoms;       /* coordinates */
} mbs_tree_entry;

typedef struct mbs_row_entry {
  const char *element; /* joint or driver */
  const char *label;   /* for instance "crank_pin.x" */
  bool driver;
  bool redundant;
} mbs_row_entry;

typedef struct mbs_event {
  double t;
  const char *element;
  const char *kind;
  int element_number, kind_number; /* in the array `events`: equal for equal names, from 1 */
} mbs_event;

/* The run that an estimate of the error takes. */
typedef struct mbs_second_run {
  double rtol, atol, fixed_step; /* NaN: of the other kind of method */
  uint64_t evaluations, steps;   /* what it cost */
} mbs_second_run;

/* How exact an integrated motion is. Arrays are [coordinates + velocities], in the order of their labels. */
typedef struct mbs_accuracy {
  double rtol, atol, fixed_step;          /* asked for; NaN: of the other kind of method */
  double *local_error, *local_error_time; /* largest estimate of the error of one step, and its end [s]; NaN: none */
  /* Reporting times inside a step that got a step of their own, or of several of them, lest interpolation over all of
   * the step add to the error. */
  uint64_t row_steps;
  double *global_error, *global_error_time; /* largest difference from the second run, and when [s]; NULL: none */
  mbs_second_run second;
} mbs_accuracy;

/* What a run has to say about itself. Arrays have the counts beside them; everything lives as long as the result. */
/* A sensor without a finite value at some reporting times; all other numbers are finite, or the run ends. */
typedef struct mbs_non_finite {
  const char *sensor;
  size_t count;      /* of rows */
  double first_time; /* [s] of the first of them */
} mbs_non_finite;

/* The smallest and the largest finite value of a column in the rows of results; NaN if it has none. */
typedef struct mbs_extremes {
  const char *name, *unit;
  double min, min_time, max, max_time; /* times [s] */
} mbs_extremes;

typedef struct mbs_mode {
  double eigenvalue[2]; /* real, imaginary part [1/s] */
  double frequency;     /* abs(eigenvalue) / (2 pi), 0 if it does not oscillate [Hz] */
  double damping_ratio;
} mbs_mode;

typedef struct mbs_report {
  const char *model_name, *analysis, *formulation, *space;
  size_t bodies, coordinates, velocities, rows;
  bool ranked;            /* the ranks were found: a run that found no start has none */
  int degrees_of_freedom; /* drivers counted as constraints; rank, not count of rows */
  int mobility;           /* without drivers */
  const char *undriven;   /* freedoms that have no driver, of an analysis that needs one for each; or NULL */
  mbs_tree_entry *tree;   /* [bodies] */
  const char **cut;       /* [cut_count] joints outside the tree */
  size_t cut_count;
  mbs_row_entry *constraints; /* [rows] */
  size_t redundant_count;
  double redundant_residual; /* the largest of their residuals at any position, in units of accuracy */
  const char **not_unique;   /* [not_unique_count] joints and drivers whose reactions redundant rows leave open */
  size_t not_unique_count;
  /* Initial conditions, before and after their correction. */
  const char **coordinate_labels; /* [coordinates] */
  const char **velocity_labels;   /* [velocities] */
  double *q_before, *q_after;     /* [coordinates] */
  double *v_before, *v_after;     /* [velocities] v_after is NaN if no position was found */
  bool corrected;                 /* the correction ran, and its result satisfies the constraints */
  bool from_equilibrium;          /* `after` is the static equilibrium that was found from there */
  int correction_iterations;
  double position_residual, velocity_residual; /* afterwards, largest absolute value; NaN if not computed */
  const char *failed_element; /* joint or driver that kept the start from being found, "": none; NULL: it was found */
  int failed_row;             /* the row of it in `constraints` that is not satisfied; -1: none in particular */
  /* The rows of results. */
  size_t recorded;                       /* how many there are */
  double final_time;                     /* of the last one [s] */
  double *q_final, *v_final;             /* [coordinates], [velocities] its state; NULL if it is not known */
  double kinetic_final, potential_final; /* its energies [J]; NaN if no forces were computed */
  mbs_extremes *sensors, *efforts;       /* [sensor_count], [effort_count] of sensors, and of what drivers exert */
  size_t sensor_count, effort_count;
  mbs_mode *modes; /* [mode_count] of a linearization */
  size_t mode_count;
  /* Work. */
  uint64_t evaluations;
  uint64_t steps, rejected;
  double longest_step; /* of the accepted steps [s] */
  const char *method;
  double jacobian_error;   /* largest difference between Jac_p and differences; NaN where there is none */
  double residual_max[3];  /* position, velocity, acceleration over all reporting times */
  double residual_time[3]; /* when [s] */
  double residual_share;   /* the largest of positions in units of accuracy */
  int residual_row[3];     /* which of `constraints`; -1: none */
  double energy_start, energy_change_max; /* T + V - work + dissipated at the start, NaN if it was not computed; largest
                                             change since */
  double energy_time;                     /* when that was [s] */
  double energy_scale;    /* largest of T, |V - V at the start|, |work|, |dissipated|: what a change is measured by */
  mbs_accuracy *accuracy; /* NULL: nothing was integrated */
  struct mbs_examination *examination; /* NULL: mbs_examine() was not called */
  double wall_seconds;
  mbs_event *events; /* [event_count] */
  size_t event_count;
  int stable;                 /* equilibrium and linearization: 1 stable, 0 unstable, -1 not said, as about a motion */
  mbs_non_finite *non_finite; /* [non_finite_count] */
  size_t non_finite_count;
  const char **notes; /* [note_count] advice and remarks, whole sentences */
  size_t note_count;
} mbs_report;

typedef struct mbs_result {
  mbs_arena *arena; /* owns everything below */
  mbs_array *arrays;
  size_t array_count;
  mbs_report report;
} mbs_result;

/* Runs the analysis of a model. On failure returns its status, fills `error`, and `*result` still holds everything
 * up to the failure (NULL only when there is no memory). */
mbs_status mbs_run(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result, mbs_error *error);
/* The same of the analysis `assembly`, whatever the model was built for: for the report on its corrected start. Of the
 * arrays there are sensors, multipliers, reactions and forces alone. */
mbs_status mbs_run_start_alone(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result, mbs_error *error);
void mbs_result_free(mbs_result *result);
const mbs_array *mbs_result_array(const mbs_result *result, const char *name);
/* Numbers in a row: product of shape[1..]. */
size_t mbs_array_columns(const mbs_array *array);

/* How many parameters the analysis asks for derivatives in. */
size_t mbs_model_sensitivities(const mbs_model *model);
/* Adds the array `sensitivities` [rows x columns of uT x parameters] to the result of a run that came to its end: the
 * derivatives of uT, of the exact motion; NaN where there is none, and the report gets a note that says why. Else what
 * hooks or limits end (MBS_CANCELLED, MBS_TIMED_OUT, MBS_NO_MEMORY), with `error` filled. */
mbs_status mbs_sensitivities(const mbs_model *model, const mbs_hooks *hooks, mbs_result *result, mbs_error *error);

/* ---- examination: what vouches for a result ----------------------------------------------------------------------*/

/* The largest difference that a kind of quantity has between two runs. */
typedef struct mbs_difference {
  const char *quantity;     /* "positions" */
  const char *unit;         /* "m" */
  double largest, t, scale; /* when [s]; what it is measured by, 0: there is nothing of the kind to compare */
  const char *column;       /* where */
} mbs_difference;

/* Positions, angles (in space orientations, as Euler parameters up to their sign), velocities, angular velocities of
 * the bodies; reaction forces and torques of the joints. */
enum { MBS_MOTION_QUANTITIES = 4, MBS_QUANTITIES = 6 };

typedef struct mbs_comparison {
  const char *why_not;                     /* NULL: the comparison was made */
  bool pointless;                          /* there is nothing that it could show: the other run would be the same */
  double rtol, atol, fixed_step, max_step; /* of the other run; NaN: they do not count */
  double longest_step;                     /* that the other run took [s] */
  uint64_t evaluations;                    /* of the other run */
  size_t rows;                             /* reporting times that were compared */
  mbs_difference items[MBS_QUANTITIES];
} mbs_comparison;

/* C at reporting times: its differences from those of Phi, and its condition, that is the largest of its singular
 * values over the smallest, redundant rows left out, in units of mbs_units(). */
typedef struct mbs_instants {
  const char *why_not; /* NULL: some were looked at */
  size_t looked_at;
  double jacobian_error, jacobian_time;
  int jacobian_row;
  double condition, condition_time, least_condition;
} mbs_instants;

typedef struct mbs_examination {
  mbs_comparison finer; /* the same at a tenth of the tolerances */
  mbs_comparison other; /* the other formulation */
  mbs_instants instants;
} mbs_examination;

/* Whether a model's analysis asks for it. */
bool mbs_model_certified(const mbs_model *model);
/* Examines the result of a run of the model, for its report. `other`: the model in the other formulation, which starts
 * where the result does; NULL with `why_not`, which must last as long as the result. What cannot be had is said there;
 * only MBS_CANCELLED, with `error`, and MBS_NO_MEMORY are failures. */
mbs_status mbs_examine(const mbs_model *model, const mbs_model *other, const char *why_not, const mbs_hooks *hooks,
                       mbs_result *result, mbs_error *error);

/* ---- sessions: a mechanism that is moved by hand --------------------------------------------------------------- */

/* A mechanism that stands assembled and is moved from call to call: pulled at a point, driven, given other values of
 * its parameters. It begins where a run of the model does. A call that fails leaves it as it was, bit for bit, and says
 * why in mbs_session_error(); after one that succeeds the constraints hold to 1e-10 in units of accuracy. Calls
 * allocate nothing unless they fail, but mbs_session_new(). For one thread. */
typedef struct mbs_session mbs_session;

/* Assembles the model, which must last as long as the session. From another session, of an edited document: bodies that
 * the same joint carries, or that float, in both begin where they stand there, and drivers as far on (matched by name);
 * NULL: where the document has them. NULL on failure, with `error`. */
mbs_session *mbs_session_new(const mbs_model *model, const mbs_session *from, mbs_error *error);
void mbs_session_free(mbs_session *session);
/* Why the last call failed; its status is MBS_OK where it did not. */
const mbs_error *mbs_session_error(const mbs_session *session);

/* Moves the mechanism onto its constraints from where it stands. MBS_NOT_ASSEMBLED, MBS_CONTRADICTION. */
mbs_status mbs_session_assemble(mbs_session *session);
/* Gives a parameter another value, and moves the mechanism onto its constraints from where it stands; parameters that
 * are expressions of it follow. MBS_UNKNOWN_NAME; as mbs_bind() refuses numbers, with their pointer: MBS_INVALID where
 * the structure of the model would be another one; MBS_NOT_ASSEMBLED, MBS_CONTRADICTION. */
mbs_status mbs_session_set(mbs_session *session, const char *parameter, double value);
/* Leads a driver to a value [m, rad], a little at a time; its function of time counts from there on. MBS_UNKNOWN_NAME;
 * MBS_LOCK_UP where the mechanism cannot follow so far. */
mbs_status mbs_session_drive(mbs_session *session, const char *driver, double value);
/* Pulls a point [dim, in the axes of its body, from the mass centre, m] of a body (as scenes count them) towards a
 * target [dim, m], as near as its constraints let it come in a few steps: freedoms that need not move stay, heavy parts
 * before light ones. Drivers are led along (see mbs_session_drive()); velocities become zero. No body moves farther
 * than `limit` in this call, in extents of the model and radians; 0: 1.5. `*distance` [m]: how far the point then is
 * from the target. MBS_LOCK_UP, with what holds the body, where it cannot move at all; MBS_OUT_OF_RANGE: no such body,
 * or what is given is not finite. */
mbs_status mbs_session_pull(mbs_session *session, size_t body, const double *point, const double *target, double limit,
                            double *distance);

/* Goes on with the motion for `dt` [s], by the method and tolerance of the model, from the state in hand; constraints
 * are kept by projection. Forces, contacts and functions of time act as in a run of dynamics; an end of the run is none
 * here. `hooks` are asked as by mbs_run(), and may be NULL. What ends a run fails here, MBS_CANCELLED as well: the
 * motion is then as before the call. Methods of several steps (bdf) begin anew in each call, and allocate. */
mbs_status mbs_session_step(mbs_session *session, double dt, const mbs_hooks *hooks);

/* Time [s]; degrees of freedom, drivers counted as constraints, and without drivers. */
double mbs_session_time(const mbs_session *session);
int mbs_session_freedoms(const mbs_session *session);
int mbs_session_mobility(const mbs_session *session);
/* What a run of the model would report before it begins: the tree, the rows of constraints with those that are
 * redundant for the numbers in force, degrees of freedom. */
const mbs_report *mbs_session_report(const mbs_session *session);

/* The tour of a mechanism with one freedom, drivers not counted: from where it stands through its positions, in steps
 * in which no body goes farther than `stride` (extents of the model, and radians), until it stands there again. Another
 * call that moves it ends the tour. MBS_OUT_OF_RANGE: it has not one freedom. */
mbs_status mbs_session_begin_tour(mbs_session *session, double stride);
typedef enum mbs_tour_end {
  MBS_TOUR_GOES_ON, /* it stands one position further */
  MBS_TOUR_CLOSED,  /* the same, and that was the start */
  MBS_TOUR_TURNED,  /* it goes no farther, or too far, and stands at the start again, to go the other way */
  MBS_TOUR_OVER     /* that way neither */
} mbs_tour_end;
/* To the next position of the tour. */
mbs_tour_end mbs_session_go_on_tour(mbs_session *session);

/* Velocities that satisfy the constraints, accelerations, reactions and forces at the state in hand, for the functions
 * below. Of velocities that a call left open, the nearest to those before. */
mbs_status mbs_session_evaluate(mbs_session *session);
/* In their place velocities of the motion that the mechanism makes by hand, drivers released: on in the direction of
 * the last pull, or, where there was none, along the only freedom; so fast that the fastest of its points and mass
 * centres has 1 m/s, or, where none moves, the fastest body 1 rad/s. The state stays. MBS_LOCK_UP: there is no such
 * motion. */
mbs_status mbs_session_take_unit_motion(mbs_session *session);
/* Arrays of the session, until its next call: of the bodies without the ground, in the order of the document, [bodies x
 * 3] x, y, angle [m, rad], or [bodies x 7] x, y, z and Euler parameters; of the points as a scene counts them [points x
 * dim], and of the mass centres [bodies x dim], positions (level 0), velocities (1), accelerations (2); the mass centre
 * of all bodies [dim], NULL where nothing has a mass; in the plane the points [bodies x 2] about which the bodies turn,
 * their instant centres, NaN of those at rest and where it is farther away than 20 extents; the reactions of the joints
 * as in the array of results; what each force element pushes its second body with, or its only one [forces x dim, N].
 * NULL: what needs mbs_session_evaluate(), or of velocities and instant centres mbs_session_take_unit_motion(), which
 * was not called since the state changed. */
const double *mbs_session_poses(mbs_session *session);
/* Its coordinates and velocities in the document's order, as mbs_equations_at() takes them; false where it has not nq
 * and nv of them. */
bool mbs_session_coordinates(const mbs_session *session, size_t nq, double *q, size_t nv, double *v);
const double *mbs_session_points(mbs_session *session, int level);
const double *mbs_session_centres(mbs_session *session, int level);
const double *mbs_session_mass_centre(mbs_session *session);
const double *mbs_session_instant_centres(mbs_session *session);
const double *mbs_session_reactions(mbs_session *session);
const double *mbs_session_forces(mbs_session *session);

/* ---- studies: many runs of a model ------------------------------------------------------------------------------ */

/* The runs of a model that was built with a study, one by one and in any order: a run is a function of the study and
 * its index alone, and its motion has the bits of mbs_run() for these values of the parameters. For one thread. */
typedef struct mbs_study mbs_study;

/* Texts live as long as the study. */
typedef struct mbs_study_outline {
  size_t runs, parameters, outputs;
  bool gradient;                       /* derivatives of the outputs in the parameters are asked for */
  const char *const *parameter_labels; /* [parameters] */
  const char *const *parameter_units;  /* [parameters] in SI, of those that the document writes with a unit; else "" */
  const char *const *output_labels;    /* [outputs] */
  const char *const *output_units;     /* [outputs] "" where there is none, or it is not known */
  const char *alone;                   /* why its runs go one by one, as "curves"; NULL: nothing keeps them from it */
  double wall_seconds;                 /* most seconds of all runs together; 0: no limit */
  const char *wall_name;               /* what a user knows that limit by; or NULL */
} mbs_study_outline;

/* How many runs the study has that a model was built with; 0: it was built without. */
size_t mbs_model_runs(const mbs_model *model);
/* The model, which was, lasts as long as its study. NULL: no memory. */
mbs_study *mbs_study_new(const mbs_model *model);
void mbs_study_free(mbs_study *study);
const mbs_study_outline *mbs_study_outlined(const mbs_study *study);
/* The values of the parameters in run `index` [parameters]. */
void mbs_study_point(const mbs_study *study, size_t index, double *values);
/* Run `index`: the values of its parameters [parameters] and its outputs [outputs]. On failure returns its status,
 * fills `error`, and the outputs are NaN: values that the model refuses with their pointer, MBS_NOT_REACHED where an
 * output's instant does not come. What the hooks end (MBS_CANCELLED) is a failure of that kind, too; their rows are
 * not called. */
mbs_status mbs_study_run(mbs_study *study, size_t index, const mbs_hooks *hooks, double *values, double *outputs,
                         mbs_error *error);
/* That the runs from `first` up to `end` will be asked for, in their order: where the model allows it, several are made
 * at once when the first of them is. Returns how many take about as long as one; 1: each is made by itself. And whether
 * a run has been made, so that asking costs nothing. */
size_t mbs_study_expect(mbs_study *study, size_t first, size_t end);
bool mbs_study_has(const mbs_study *study, size_t index);
/* Where they are asked for, d output / d parameter of the last run [outputs x parameters]; NULL: they are not. Of the
 * exact solution, whatever the integrator's settings are, good to some 1e-9 of the largest in a row. A run with an
 * output that has no derivative there returns MBS_NO_DERIVATIVE, and `error` tells which and why; its outputs stay,
 * that row is NaN. They are NaN where the run failed. */
const double *mbs_study_gradient(const mbs_study *study);
/* What the last run has cost. */
uint64_t mbs_study_evaluations(const mbs_study *study);
/* What the last run has to say of its answer, as that its eigenvalues are those about a motion; NULL: nothing. */
const char *mbs_study_note(const mbs_study *study);
/* What a run of the model would report before it begins. */
const mbs_report *mbs_study_report(const mbs_study *study);

/* ---- optimization: the best values of parameters ----------------------------------------------------------------- */

/* Why it stopped. */
typedef enum mbs_stop {
  MBS_STOP_CONVERGED,  /* no better values are near the best ones */
  MBS_STOP_LOCAL,      /* the same; but a search of all values was not finished */
  MBS_STOP_LIMIT,      /* as many trials were made as are allowed */
  MBS_STOP_INFEASIBLE, /* no trial satisfied the constraints */
  MBS_STOP_UNBOUNDED   /* a parameter without bounds ran away, and what is sought grew better all the way */
} mbs_stop;
/* "converged", "local", "limit", "infeasible", "unbounded" */
const char *mbs_stop_word(mbs_stop stop);

/* A kind of failure of trials. */
typedef struct mbs_trial_failure {
  mbs_error error; /* of the first one */
  size_t count, first;
} mbs_trial_failure;

typedef struct mbs_optimum {
  mbs_result result; /* arrays with a row a trial: parameters, outputs, objective, violation, status; of a fit also
                        residuals of the best one, a row a datum; and what a run reports before it begins */
  size_t trials, limit;
  const mbs_trial_failure *failures; /* [failure_count] */
  size_t failure_count;
  bool has_best;
  size_t best; /* its row */
  mbs_stop stopped;
  bool interrupted;            /* by the host or by its limits, so that it did not stop by itself */
  const char *algorithm, *why; /* "SLSQP", and why that one */
  uint64_t evaluations;        /* of the equations of motion */
  size_t parameters;
  const bool *has_influence; /* [parameters] on an output, or on what is sought; NULL: there were no derivatives */
  /* Of a fit: what its data tell of the parameters at the best values. */
  bool fitted;
  const double *covariance;  /* [parameters x parameters] NaN where a parameter is at its bound; NULL: there is none */
  double residual_sd;        /* root of the sum over data less free parameters; NaN where there are no more */
  const double *combination; /* [parameters] that changes no datum; NULL: there is none, the data tell all apart */
  const bool *at_bound;      /* [parameters] */
  double wall_seconds;       /* the limit of all trials together; 0: none */
  const char *wall_name;
} mbs_optimum;

/* Most trials of the search that a model was built with ("optimize" or "fit" in its study); 0: it has none. */
size_t mbs_model_trials(const mbs_model *model);
/* Seeks the best values. Values outside of bounds are not tried; a trial that fails is one to be avoided. Each trial
 * calls hooks->rows. MBS_INFEASIBLE, MBS_START_FAILED (no trial has outputs), and what hooks or limits end
 * (MBS_CANCELLED, MBS_TIMED_OUT, MBS_NO_MEMORY): `error` is filled, and the optimum holds what there is. NULL only when
 * there is no memory. MBS_METHOD_NOT_BUILT: this build goes without. */
mbs_status mbs_optimize(const mbs_model *model, const mbs_hooks *hooks, mbs_optimum **out, mbs_error *error);
void mbs_optimum_free(mbs_optimum *optimum);

/* ---- formulas: expressions as mathematics ----------------------------------------------------------------------- */

/* An expression of the language of documents as it is written, or derived from one; it lives in its arena. Names in it
 * are names, known or not; what calls an unknown function with names is a measure, "distance(bob.B, ground.O)", and a
 * name, too. What follows returns NULL and a message where there is none: no expression, nested too deeply (60 levels),
 * too long (a derivative: more than 100 times its origin's text or 65536 bytes), not finite, out of memory. */
typedef struct mbs_formula mbs_formula;

/* `message`: "at column 7: expected a number, a name or '(' but found ')'". */
const mbs_formula *mbs_formula_read(mbs_arena *arena, const char *text, char message[512]);

/* Its distinct names as they first stand in it, without pi; at most 200. */
const char *const *mbs_formula_names(const mbs_formula *formula, mbs_arena *arena, size_t *count);

/* d formula / d name, the other names held. Like terms and like factors are taken together, numbers folded exactly
 * (0.1*3 is 0.3, 2/8 is 1/4), sums are not multiplied out. Where an expression has a kink or a jump, it is the
 * derivative beside that, by branches: of abs(x) it is sign(x); a floor, a sign and a condition are constant. */
const mbs_formula *mbs_formula_derivative(mbs_arena *arena, const mbs_formula *formula, const char *name,
                                          char message[512]);

/* The rates of names, each an expression: "1" of t, "crank.omega" of crank.phi; NULL of what is constant. */
typedef struct mbs_rates {
  void *context;
  const char *(*rate)(void *context, const char *name);
} mbs_rates;
/* d formula / dt along these rates; of that again, with the rates of the rates, the second derivative. */
const mbs_formula *mbs_formula_rate(mbs_arena *arena, const mbs_formula *formula, const mbs_rates *rates,
                                    char message[512]);

/* An expression again, with a blank about + and - and no parentheses that it does not need; LaTeX for math mode
 * (amsmath), or presentation MathML, the content of a <math> element. */
typedef enum mbs_notation { MBS_NOTATION_TEXT, MBS_NOTATION_LATEX, MBS_NOTATION_MATHML } mbs_notation;

/* Symbols of names in that notation, as they go into it; NULL: the usual one, as x with the index bob for bob.x. */
typedef struct mbs_formula_symbols {
  void *context;
  const char *(*symbol)(void *context, const char *name);
} mbs_formula_symbols;
/* `symbols` NULL: all are the usual ones; a text has the names. Powers are superscripts, quotients fractions, what if()
 * chooses stands in cases. */
const char *mbs_formula_show(mbs_arena *arena, const mbs_formula *formula, mbs_notation notation,
                             const mbs_formula_symbols *symbols, char message[512]);
/* The usual symbol of a name, in LaTeX or MathML; NULL: no memory. */
const char *mbs_name_symbol(mbs_arena *arena, const char *name, mbs_notation notation);

/* The functions of the language: the name of number i, and its derivative as an expression of its arguments a, b, ...
 * and their derivatives da, db, ...; false where there are no more. */
bool mbs_function_described(size_t i, const char **name, int *least, int *most, const char **derivative);

/* Where a quantity may be used: there, and in all that come after it. */
typedef enum mbs_use {
  MBS_USE_CONSTRAINTS, /* joints of type expression: positions and t */
  MBS_USE_LAWS,        /* of force elements: velocities, too */
  MBS_USE_SENSORS      /* and conditions and values of studies: accelerations, reactions, energies, too */
} mbs_use;

/* A quantity that expressions can read, as OWNER.word. */
typedef struct mbs_quantity_entry {
  const char *owner; /* "body", "joint", "energy", ... */
  const char *types; /* of force elements: those that have it, "contact, friction"; "" otherwise */
  const char *word;
  bool numbered; /* the word has a number behind it: lambda1 */
  bool plain;    /* it may be left out where there is only one: q */
  mbs_use use;
  bool needs_forces; /* kinematics has none */
  const char *unit;
  mbs_space spaces;
  const char *doc;
} mbs_quantity_entry;
/* Describes quantity number i; false where there are no more, or without memory. */
bool mbs_quantity_described(size_t i, mbs_arena *arena, mbs_quantity_entry *out);

/* ---- inspection: what became of a model ------------------------------------------------------------------------ */

/* Parts of the work on a model. The first four, in their order, are an evaluation. */
typedef enum mbs_part {
  MBS_PART_POSITIONS,     /* functions of time, poses of the bodies, contact parameters of curves */
  MBS_PART_VELOCITIES,    /* of the bodies, and their accelerations without v' */
  MBS_PART_CONSTRAINTS,   /* C and its right-hand sides */
  MBS_PART_ACCELERATIONS, /* force elements, M and S with their factors, v', lambda */
  MBS_PART_EVALUATION,    /* all of these */
  MBS_PART_SENSORS,       /* their laws, at reporting times only */
  MBS_PART_BINDING,       /* the numbers for other values of the parameters */
  MBS_PART_COUNT
} mbs_part;

/* Where a body of report->tree hangs. */
typedef struct mbs_inspected_body {
  int parent;                           /* in report->tree; -1: the ground */
  size_t level;                         /* joints between it and the ground */
  size_t first_coordinate, coordinates; /* in report->coordinate_labels */
} mbs_inspected_body;

/* A cut joint or a driver. Where it is between two bodies, paths lead from these to the first one that both have in
 * common: a cut closes a loop of path[0] + path[1] + 1 joints. */
typedef struct mbs_inspected_element {
  const char *name, *type;
  bool driver;
  size_t first_row, rows; /* in report->constraints */
  size_t bodies;          /* that its rows are taken between, the ground not counted */
  size_t path[2];         /* joints; 0 where there are more than two bodies */
  size_t velocities;      /* that its rows depend on */
} mbs_inspected_element;

/* Rows that depend on the same velocities. */
typedef struct mbs_inspected_block {
  size_t element; /* in `elements` */
  size_t first_row, rows, columns;
  const int *velocities; /* [columns], ascending */
} mbs_inspected_block;

/* M: each velocity couples with those before it on its branch. */
typedef struct mbs_inspected_masses {
  const int *before; /* [velocities] how many that are */
  size_t longest;    /* velocities on the longest branch */
  size_t size;       /* numbers of the packed matrix */
  bool recursive;    /* it is not formed: some velocity has `recursive_from` or more before it */
  size_t recursive_from;
} mbs_inspected_masses;

typedef struct mbs_inspected_pair {
  size_t block1, block2; /* block2 not later in the order of elimination; may be block1 */
  size_t velocities;     /* that they share */
} mbs_inspected_pair;

/* S = C M^-1 C': row i in the order of elimination has the columns first[i] to i. */
typedef struct mbs_inspected_skyline {
  const int *position; /* [rows] place of a row in that order */
  const int *first;    /* [rows] */
  size_t size;         /* numbers of the skyline, or of S and its factors where an order of less fill takes its place */
  mbs_inspected_pair *pairs;
  size_t pair_count;
} mbs_inspected_skyline;

/* The program of an expression. */
typedef struct mbs_inspected_law {
  const char *pointer, *text;
  size_t instructions, inputs, switches;
  bool depends;    /* its constants follow from parameters */
  bool structural; /* and these must not change */
} mbs_inspected_law;

/* What is evaluated one by one, in this order. */
typedef struct mbs_inspected_stage {
  mbs_part part;
  const char *element, *type; /* of a function of time: the driver that follows it, and its class */
  size_t first_law, laws;     /* programs, in `laws`; what is constant has none */
} mbs_inspected_stage;

/* A number of the document that follows from parameters. */
typedef struct mbs_inspected_number {
  const char *pointer;
  bool structural; /* the structure of the model follows from it */
} mbs_inspected_number;

/* A model as it is evaluated, and one system to evaluate it. Velocities and columns are counted along the tree, parents
 * first; bodies as in the document. Everything lives until mbs_inspection_free(), the model at least as long. */
typedef struct mbs_inspection {
  const mbs_report *report; /* what a run says before it has begun; after mbs_inspect_start() ranks and the start */
  const char **velocities;  /* [report->velocities] labels */
  mbs_inspected_body *tree; /* [report->bodies] */
  mbs_inspected_element *elements;
  size_t element_count;
  mbs_inspected_block *blocks; /* the pattern of C */
  size_t block_count;
  size_t jacobian_size; /* numbers of the packed Jacobian */
  mbs_inspected_masses masses;
  mbs_inspected_skyline skyline;
  mbs_inspected_stage *stages;
  size_t stage_count;
  mbs_inspected_law *laws;
  size_t law_count;
  size_t parameters;
  mbs_inspected_number *numbers;
  size_t number_count;
  size_t model_bytes, constants_bytes, system_bytes; /* the model has one set of constants in it */
  struct mbs_inspected_run *run;                     /* the solver's own */
} mbs_inspection;

/* NULL: no memory. */
mbs_inspection *mbs_inspect(const mbs_model *model);
void mbs_inspection_free(mbs_inspection *inspection);
/* Once: where a run starts, with corrected initial conditions, ranks and redundant rows as an assembly reports them.
 * What follows is evaluated there, not where the document starts. On failure returns its status and fills `error`. */
mbs_status mbs_inspect_start(mbs_inspection *inspection, mbs_error *error);
/* Does a part `times` times over, at the start; what it needs of the parts before is done once. The first status that
 * is not MBS_OK ends it. */
mbs_status mbs_inspect_evaluate(mbs_inspection *inspection, mbs_part part, size_t times);

/* ---- equations: what was derived, as a teacher writes it -------------------------------------------------------- */

/* A place of a body. */
typedef struct mbs_equation_place {
  size_t body;  /* in the document's order, from 1; 0: the ground */
  double at[3]; /* from its mass centre, body axes */
} mbs_equation_place;

/* A name in the equations, with its value at the state that was evaluated last. */
typedef struct mbs_equation_symbol {
  const char *name, *meaning, *unit; /* "d_{2,1}"; unit may be NULL */
  const char *kind;                  /* "scalar", "vector", "matrix" */
  const char *equal;                 /* another name of the same, or NULL */
  unsigned matrices;                 /* that it occurs in: bit m of the m-th */
  int rows, columns;
  const double *value;                 /* [rows x columns], row by row */
  const char *bodies[2], *points[2];   /* of a vector between points: where it begins and ends; NULL: a mass centre */
  const char *joint;                   /* whose axis, pivot or coordinate it is, or NULL */
  const mbs_equation_place *from, *to; /* where a vector between points begins and ends; where an axis stands, or what
                                          belongs to a body: from alone; NULL: nowhere */
  const struct mbs_term *term;
} mbs_equation_symbol;

/* A row or column of blocks. */
typedef struct mbs_equation_axis {
  const char *label; /* "theta_1", "r_1", "B.xy" */
  int size;          /* numbers */
  const char *const
      *velocities; /* [size] of a column: labels of the velocities; NULL: a row of bodies or constraints */
  const char *bodies[2], *element; /* whose motion it is, and the joint of a column; of a constraint its two bodies, and
                                      its joint or driver; NULL: none */
} mbs_equation_axis;

/* A signed sum of products of symbols. */
typedef struct mbs_equation_block {
  const struct mbs_term *term;
  bool zero;           /* wherever the mechanism is */
  bool closed;         /* what is written holds on the constraints only; the value is that of the arrays */
  const double *value; /* [size of its row x size of its column], row by row: what the solver computes with */
} mbs_equation_block;

typedef struct mbs_equation_matrix {
  const char *name; /* "B", "Bdot_thetad", "C", "D", "Jac_p", "rhsV", "rhsA", "M", "h" */
  bool vector;      /* one column, which has no label */
  size_t row_count, column_count;
  const mbs_equation_axis *rows, *columns;
  mbs_equation_block *blocks; /* [row_count x column_count], row by row */
  const size_t *alike;        /* [row_count] the first row that reads the same but for its indices; maybe itself */
} mbs_equation_matrix;

typedef enum mbs_equation_role { MBS_ROLE_FORCE, MBS_ROLE_DRIVER, MBS_ROLE_CONSTRAINT } mbs_equation_role;

/* A force element, a driver, or a joint of curves or of an expression: what it follows. */
typedef struct mbs_equation_element {
  const char *name, *type;
  mbs_equation_role role;
  const char *equation; /* of its class, as the manual has it */
  const char *function; /* of a driver: the class of what it follows, "harmonic"; else NULL */
  const char *follows;  /* and its equation; or NULL */
  size_t law_count;
  const char *const *laws;     /* [law_count] expressions of the document, */
  const char *const *pointers; /* [law_count] and where they stand */
} mbs_equation_element;

/* What carries a body in the tree. */
typedef struct mbs_equation_branch {
  const char *body, *on, *joint; /* joint: NULL, it floats */
} mbs_equation_branch;

/* The equations M theta'' - C' lambda = h, C theta'' = rhsA of a model, in blocks. */
typedef struct mbs_equations {
  mbs_equation_matrix *matrices; /* [matrix_count]; a mechanism without constraints has none of C, D, rhsV, rhsA */
  size_t matrix_count;
  mbs_equation_symbol *symbols; /* [symbol_count] that occur in them */
  size_t symbol_count;
  const char **words; /* [word_count] sentences: coordinates, tree, cuts, drivers */
  size_t word_count;
  const char **system; /* [system_count] the equations that are solved, and how constraints are kept */
  size_t system_count;
  mbs_equation_element *elements; /* [element_count] forces, drivers, constraints with laws */
  size_t element_count;
  mbs_equation_branch *tree; /* [body_count] of the bodies in the document's order */
  size_t body_count;
  const char *formulation; /* "joint" or "body" */
  int dimension;
  const char *const *q_labels, *const *v_labels;
  size_t q_count, v_count;
  double t, residual;              /* of the state evaluated last: largest residual of the constraints */
  const double *q, *v;             /* [q_count], [v_count], in the document's order */
  struct mbs_equations_work *work; /* the solver's own */
} mbs_equations;

/* How large a matrix of the equations would be, as is known before they are derived: blocks that vanish by their
 * numbers only are counted, too. */
typedef struct mbs_equation_size {
  const char *name;
  size_t cells;    /* blocks, also those that are zero, */
  size_t blocks;   /* those that are not, */
  size_t products; /* and the products that these are sums of */
} mbs_equation_size;

enum { MBS_EQUATION_MATRICES = 9 };

/* Of the matrices that the equations of a model have, in their order: how many there are; 0: no memory. */
size_t mbs_equations_sizes(const mbs_model *model, mbs_equation_size sizes[MBS_EQUATION_MATRICES]);
/* Derives them, in the model's formulation; the model must last as long. NULL: no memory. */
mbs_equations *mbs_equations_new(const mbs_model *model);
/* Derives these of the matrices alone, "B,C"; NULL: all. */
mbs_equations *mbs_equations_new_of(const mbs_model *model, const char *only);
void mbs_equations_free(mbs_equations *equations);
/* Numbers where a run starts, with corrected initial conditions. On failure returns its status, fills `error`, and the
 * numbers are those of where the document starts. */
mbs_status mbs_equations_start(mbs_equations *equations, mbs_error *error);
/* Numbers at a state, q and v in the document's order (NULL: as they are), which is not corrected. The status of a
 * position that has no constraints, with `error`. */
mbs_status mbs_equations_at(mbs_equations *equations, double t, const double *q, const double *v, mbs_error *error);
/* How a term is written; it lives as long as the equations. "" without memory. */
const char *mbs_equations_written(mbs_equations *equations, const struct mbs_term *term, mbs_notation notation);

/* ---- checks: equations that somebody else wrote, compared with those that were derived ----------------------- */

typedef enum mbs_verdict {
  MBS_VERDICT_RIGHT,
  MBS_VERDICT_WRONG,
  MBS_VERDICT_UNREADABLE, /* the text, or what it names, is not known */
  MBS_VERDICT_SIZE        /* it can be read, but has another size than the block, or its own parts do not fit */
} mbs_verdict;

/* A number of a claimed block, or an expression of the document's language: one of the model's sensors. */
typedef struct mbs_claim_cell {
  double number;
  int sensor; /* in the document's order; -1: the number counts */
} mbs_claim_cell;

/* What is claimed of one block. */
typedef struct mbs_claim {
  const char *matrix; /* as in mbs_equations; also "gamma", rhsA of the rows over bodies, and "r", the places */
  size_t row, column; /* of the block */
  const char *text;   /* by the grammar in which blocks are printed; NULL: cells */
  size_t rows, columns;
  const mbs_claim_cell *cells; /* [rows x columns] row by row */
  bool given_only;             /* numbers of the state that is given: judged at no other */
  const char *unread;          /* why whoever made it could not read it; NULL: it could */
} mbs_claim;

typedef struct mbs_slip {
  const char *name;   /* "sign", "wrong_point", ... */
  const char *detail; /* a sentence without its full stop */
} mbs_slip;

/* A block that was claimed, and what was found. */
typedef struct mbs_judged {
  const mbs_equation_matrix *matrix; /* NULL: a program that could not be read, or of which no matrix is known */
  size_t row, column;
  mbs_verdict verdict;
  bool accidental;     /* right by this document's numbers only: points elsewhere make it wrong */
  bool assembled_only; /* wrong, but right wherever the constraints hold */
  bool other_size;     /* its size is wrong, whatever the verdict */
  const char *detail;  /* of what is unreadable or has another size; else NULL */
  size_t line, place;  /* where in its text, from 1; 0: nowhere */
  const mbs_slip *slips;
  size_t slip_count;
  bool unsought;         /* it is wrong, and slips were not looked for: too much else is wrong before it */
  int rows, columns;     /* of what was claimed, */
  const double *claimed; /* and its value [rows x columns] at `state`; NULL: it has none */
  const double *value;   /* of the block there */
  const char *text;      /* how the block is printed; NULL: it is no text */
  size_t state;          /* the first at which it is wrong */
} mbs_judged;

typedef struct mbs_check_state {
  double t, residual;
  const double *q, *v; /* in the document's order */
  bool assembled, given;
} mbs_check_state;

typedef struct mbs_check {
  mbs_equations *equations;
  const mbs_judged *judged; /* [judged_count] in the order in which they were claimed */
  size_t judged_count;
  size_t unsought; /* wrong ones of which slips were not looked for */
  const mbs_check_state *states;
  size_t state_count;
  struct mbs_check_work *work; /* the solver's own */
} mbs_check;

typedef struct mbs_check_options {
  bool given; /* a state: t, and q, v in the document's order (NULL: as they are at the start) */
  double t;
  const double *q, *v;
  double tolerance; /* of a block's largest number; 0: 1e-6 */
  bool verdicts;    /* only these: slips are not looked for */
} mbs_check_options;

/* Derives the equations of a model, which must last as long. NULL: no memory. */
mbs_check *mbs_check_new(const mbs_model *model);
/* These of the matrices alone, "B,C"; "gamma" comes with rhsA; NULL: all. */
mbs_check *mbs_check_new_of(const mbs_model *model, const char *only);
void mbs_check_free(mbs_check *check);
/* A matrix by its name, or NULL. */
const mbs_equation_matrix *mbs_check_matrix(const mbs_check *check, const char *name);
/* Adds a claim of a matrix that there is; false: no memory. Texts must last until the check is done. */
bool mbs_check_claim(mbs_check *check, const mbs_claim *claim);
/* Adds all that the statements of an M-file of the DAP programs claim; `matrix` NULL: of every matrix that they
 * assign; else of this one, which a text that is no assignment is the value of. False: no memory. */
bool mbs_check_program(mbs_check *check, const char *text, const char *matrix);
/* Judges all claims by their values at the start, at two other states that satisfy the constraints, at three that do
 * not and at the given one. MBS_OK, also where claims are wrong; else the status of a given state that has no
 * equations, with `error`. */
mbs_status mbs_check_run(mbs_check *check, const mbs_check_options *options, mbs_error *error);

#endif
