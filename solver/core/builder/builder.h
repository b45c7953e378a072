/* builder.h - builds a model from the nodes of a document. Reading is first and collects every error, with bodies
 * numbered as in the document. Then the tree is chosen, initial poses are computed, and everything is renumbered along
 * the tree. */
#ifndef MBS_BUILDER_H
#define MBS_BUILDER_H

#include "kernels/kernels.h"
#include "model/constants.h"
#include "model/model.h"

/* Names of one kind, in a tree of tsearch(). */
typedef struct mbs_names {
  const char **names;
  size_t count, capacity;
  void *tree;
} mbs_names;

/* Points or vectors of a body that has many, sorted by name. */
typedef struct mbs_sorted_places {
  const mbs_point_or_vector *from, **places;
  size_t count;
} mbs_sorted_places;

/* Names that an expression may contain. */
typedef enum mbs_scope_level {
  MBS_SCOPE_PARAMETERS, /* constants */
  MBS_SCOPE_TIME,       /* constants and t */
  MBS_SCOPE_POSITION,   /* also positions: constraints */
  MBS_SCOPE_VELOCITY,   /* also velocities: constraints of velocity level */
  MBS_SCOPE_TRIGGER,    /* also contact parameters and states: 'when' of events */
  MBS_SCOPE_STATE,      /* also outputs of force elements */
  MBS_SCOPE_REACTION,   /* also accelerations, reactions, multipliers: what force elements exert, rates */
  MBS_SCOPE_ALL         /* also energies: sensors */
} mbs_scope_level;

/* A name that only the laws of one element may contain, such as l and ld of a spring: an input, or an expression. */
typedef struct mbs_local_name {
  const char *name;
  mbs_input input;
  const char *text; /* expression of the name; NULL: the name is the input */
  bool of_locals;   /* names in the expression may be local names; otherwise they are those of the document */
} mbs_local_name;

/* Kinds of names that the document declares for expressions, in addition to parameters. */
typedef enum mbs_declared_kind {
  MBS_DECLARED_STATE,
  MBS_DECLARED_SIGNAL,
  MBS_DECLARED_DISCRETE,
  MBS_DECLARED_EXTERNAL
} mbs_declared_kind;

typedef struct mbs_declared {
  mbs_declared_kind kind;
  int index; /* index in the list of its kind: states, signals, variables with sampled values, or inputs */
} mbs_declared;

/* Reads numbers of the document into constants. Used by the builder of a model, and by mbs_bind() for other
 * parameters. */
typedef struct mbs_binder {
  const mbs_model *model;
  mbs_constants *constants;
  mbs_diagnostics *list;
  struct mbs_builder *builder; /* builder of the model; NULL: the model is complete */
  size_t stand_ins; /* invalid numbers read so far, all reported; comparisons with their substitutes are not */
  bool structural;  /* the structure of the model depends on the numbers that are read now */
  bool loads;       /* masses, forces or gravity are read now, on which no position depends */
  bool masses;      /* masses or moments of inertia are read now */
} mbs_binder;

/* The class of limits, which the builder adds for joints (elements/forces/limit.c). */
extern const mbs_force_class mbs_force_limit;

struct mbs_vary;

/* The signals through which the laws of force element `reader` read an output of `other`. */
typedef struct mbs_read_through {
  int reader, other;
  const char *signals; /* "'u', 'e'": the first signal, the signal that it names, ... */
  struct mbs_read_through *next;
} mbs_read_through;

typedef struct mbs_builder {
  mbs_model *model;
  mbs_binder binder;
  mbs_arena *arena;
  mbs_diagnostics *list;
  const mbs_node *document, *analysis, *study; /* study NULL: none */
  bool uses_count;                             /* a parameter named now counts as used */
  mbs_limits
      host_limits; /* limits of the host: for the study as a whole, while those of the document apply to each run */
  const double
      *given; /* parameter values that replace those of the document; NaN: that of the document; NULL: all of them */
  int parameter_depth;    /* nesting of the parameters being read, each named by the previous one */
  size_t parameters_read; /* number read; each after those on which it depends */
  mbs_names parameter_names, named_functions, body_names, joint_names, force_names, driver_names;
  mbs_names declared_names; /* names of states, signals, variables, sampled values and inputs */
  mbs_declared *declared;   /* [declared_names.count] their meanings */
  size_t declared_capacity, state_capacity;
  mbs_document_signal *signal_now; /* the signal whose expression is being read; NULL: none */
  mbs_sorted_places *sorted[2];    /* [bodies] each, points and vectors; NULL before first use */
  bool *force_reads;               /* [forces x forces] outputs that the laws of a force element read; NULL before */
  mbs_read_through *reads_through; /* entries of force_reads that are due to signals */
  int force_now;                   /* index of the force element whose laws are being read, or -1 */
  struct mbs_named_entry *named_entries; /* [named_functions.count] */
  int function_depth;                    /* nesting of the functions being read */
  size_t touch_capacity;
  size_t input_capacity, coordinate_capacity, function_capacity, curve_capacity, function_number_capacity;
  size_t feedback_capacity, rotor_capacity, strand_capacity, strand_number_capacity, path_capacity;
  size_t number_capacity, value_capacity, law_number_capacity, law_constants_count, law_constants_capacity;
  bool times_known; /* the times of the analysis were read without an error */
  bool has_units;   /* a parameter has a unit, so dimensions of expressions are checked */
  bool failed;      /* memory ran out; the build must stop */
} mbs_builder;

/* Returns the binder for numbers; mbs_structure_of() returns it for numbers on which the structure depends. */
static inline mbs_binder *mbs_numbers_of(mbs_builder *builder) {
  builder->binder.structural = false;
  return &builder->binder;
}
static inline mbs_binder *mbs_structure_of(mbs_builder *builder) {
  builder->binder.structural = true;
  return &builder->binder;
}

/* Copies a text (or NULL) to the model. Returns NULL on failure and marks the builder as failed. */
const char *mbs_keep_text(mbs_builder *builder, const char *text);
/* Allocates zeroed memory of the model. Returns NULL on failure and marks the builder as failed. */
void *mbs_builder_alloc(mbs_builder *builder, size_t count, size_t size);
/* Adds one item to an array that grows in the arena. Returns its address, or NULL if memory runs out. */
void *mbs_builder_grow(mbs_builder *builder, void **items, size_t *count, size_t *capacity, size_t size);
bool mbs_builder_ok(const mbs_builder *builder);

/* ---- names.c ---- */
/* Registers a name, and reports a repeated one at `pointer`. */
void mbs_names_add(mbs_builder *builder, mbs_names *names, const char *name, const char *kind, const char *pointer);
int mbs_names_find(const mbs_names *names, const char *name);
void mbs_names_free(mbs_names *names);
/* Returns true if there are too many errors to search the nearest known names. */
bool mbs_too_many_errors(const mbs_builder *builder);
/* Returns true and the value if `path` is pi or a parameter, which is read if necessary. */
bool mbs_parameter_value(mbs_builder *builder, const char *path, double *value);
/* Returns the parameter of that name, or NULL. */
mbs_parameter *mbs_find_parameter(const mbs_builder *builder, const char *name);
/* Returns true if what was read so far uses a parameter so, directly or through other parameters. Other parameters
 * alone do not count. */
bool mbs_parameter_has_use(const mbs_builder *builder, int parameter, mbs_parameter_use use);
/* Records that the document names a parameter here. */
void mbs_parameter_named(mbs_builder *builder, mbs_parameter *parameter);
/* Returns the pointer to a node's name, or to the node if it has none. */
const char *mbs_name_pointer(const mbs_node *node);
enum { MBS_POINTER_SIZE = 300 };
/* Maximum number of force elements of a model in which a law may read the output of another one: `force_reads` is a
 * square array. */
enum { MBS_READABLE_FORCES_MAX = 2000 };
/* Writes the JSON pointer of an item; that of the value itself if it was written without an array. */
void mbs_item_pointer(const mbs_value *value, size_t i, char pointer[MBS_POINTER_SIZE]);
/* Returns true if `name`, of this length, is that of an element that could not be read, which was reported. */
bool mbs_is_lost(const mbs_builder *builder, const char *name, size_t length);
/* Reports an unknown name, with the nearest of `names`, unless its element could not be read. */
void mbs_unknown_name(mbs_builder *builder, const mbs_names *names, const char *kind, const char *name,
                      const char *pointer);

/* ---- values.c: fields of nodes. A field that is read must be a field of the node's class. ---- */
const mbs_field *mbs_field_of(const mbs_node *node, const char *field);
/* Returns the value of a field. If `node` is NULL, nothing is given. */
const mbs_value *mbs_read_value(const mbs_node *node, const char *field);
/* Returns the value of a field that only some classes have. Nothing is given if this class does not have it. */
const mbs_value *mbs_read_if_known(const mbs_node *node, const char *field);
bool mbs_read_given(const mbs_node *node, const char *field);
/* Returns true if the document has a value for the field that was refused, which was reported. */
bool mbs_read_refused(const mbs_node *node, const char *field);
/* Returns a number, evaluated and checked against the field's bounds; its default if it was not given. */
double mbs_read_number(mbs_binder *binder, const mbs_node *node, const char *field);
/* Reads an array of at most `most` numbers into out[]. Returns the number of given items. */
size_t mbs_read_numbers(mbs_binder *binder, const mbs_node *node, const char *field, double *out, size_t most);
/* Reads one item of an array; `field` may have a unit other than the node's, which may contain numbers of several
 * units. */
double mbs_read_item(mbs_binder *binder, const mbs_field *field, const mbs_value *value, size_t i);
/* Reads number k of a field that is measured along a coordinate of this primitive, in m, rad or without a unit, or that
 * is its rate. */
double mbs_read_along(mbs_binder *binder, const mbs_node *node, const char *name, size_t k, mbs_primitive primitive,
                      bool rate);
/* Returns an angle [rad] that may be meant in degrees, because it is a plain number beyond a revolution and a multiple
 * of 1/2; else 0. */
double mbs_doubtful_angle(const mbs_scalar *scalar);
/* Reads a text that is a number with a unit (unit_words.h): *value in the unit of its field, NaN after a report.
 * Returns false if the text is an expression. */
bool mbs_read_number_with_unit(mbs_builder *builder, const char *unit, const char *text, const char *pointer,
                               double *value);
/* Reports an error of an expression with the compiler's message. If its value is not finite and there is a study, the
 * message contains the document's values of its parameters. */
void mbs_bad_expression(mbs_builder *builder, const char *text, const char *pointer, const char *message);
/* Returns true for an item of a list that is not a number, text or name; it was reported already. */
bool mbs_scalar_is_wrong(const mbs_scalar *scalar);
/* Reads one of the document's own scalars. */
double mbs_read_scalar(mbs_binder *binder, const mbs_field *field, const mbs_scalar *scalar, const char *pointer);
/* Returns a word or text; its default, or NULL, if it was not given. */
const char *mbs_read_text(const mbs_node *node, const char *field);
/* Returns the index of a choice's word among those of its field; 0 if it is invalid, which was reported already. */
int mbs_read_choice(const mbs_node *node, const char *field);
bool mbs_read_bool(const mbs_node *node, const char *field);
/* Adds a constant expression to model->numbers. Returns its index. */
int mbs_keep_number(mbs_builder *builder, const mbs_expression *expression, const char *pointer, double value);
/* Stores the document, and the analysis and study given with it, in the model: as copies, or as they are. */
void mbs_keep_document(mbs_builder *builder, bool copied);
/* Reads the parameters of the document. */
void mbs_read_parameters(mbs_builder *builder);
/* Reports a name that expressions cannot contain, or that has another meaning in them. */
void mbs_check_expression_name(mbs_builder *builder, const char *name, const char *kind, const char *pointer);
/* Returns the document's number of a body, 0 for the ground; -1 after a report if there is none. */
int mbs_read_body(mbs_builder *builder, const char *name, const char *pointer);
int mbs_read_joint(mbs_builder *builder, const char *name, const char *pointer);
/* Returns true for names that expressions can contain. */
bool mbs_can_be_named(const char *name);
/* Returns the value of a field as the text of an expression; a number, also one with a unit, in SI units. */
const char *mbs_definition_text(mbs_builder *builder, const mbs_node *node, const char *field);
/* Does that for item i of an array. */
const char *mbs_definition_item(mbs_builder *builder, const mbs_node *node, const char *field, size_t i);
/* Returns the point, or the vector, of that name of a body; NULL if it has none. */
const mbs_point_or_vector *mbs_find_place(mbs_builder *builder, int body, bool vector, const char *name);
/* Finds a point or a vector "body.name": its body and its number. Returns false after a report if there is none. */
bool mbs_read_place(mbs_builder *builder, const char *reference, bool vector, const char *pointer, int *body,
                    int *place);
/* Reads the fields points (two) and vectors (two) of an element into its frames; fields that it does not have are not
 * changed. */
bool mbs_read_frames(mbs_builder *builder, const mbs_node *node, mbs_frames *frames);
/* Reads the field points (two) alone: the vectors of the element are not one of each frame. */
bool mbs_read_ends(mbs_builder *builder, const mbs_node *node, mbs_frames *frames);
/* Reads frames as above; `second_vector`: the only vector is one of the second body. */
bool mbs_read_frames_with(mbs_builder *builder, const mbs_node *node, bool second_vector, mbs_frames *frames);
/* Reads bodies named in a field into [most]. Returns their number, fewer after a report. */
size_t mbs_read_body_list(mbs_builder *builder, const mbs_node *node, const char *field, int *bodies, size_t most);

/* ---- unit_check.c ---- */
/* Reports an expression that names parameters with a unit, if it adds values of different dimensions or is not of the
 * dimension of its field, which may be NULL. Returns its dimension; unknown if no parameter with a unit takes part. */
mbs_value_dimension mbs_check_dimension(mbs_builder *builder, const mbs_expression *expression, const mbs_field *field,
                                        const char *text, const char *pointer);

/* ---- laws.c ---- */
/* Compiles a scalar (number or expression) of `field`. `locals` ends with a NULL name; NULL: none. */
void mbs_read_law(mbs_builder *builder, const mbs_field *field, const mbs_scalar *scalar, const char *pointer,
                  mbs_scope_level level, const mbs_local_name *locals, mbs_law *law);
/* Reads the law of a field; its default number if it was not given. Returns true if it was given. */
bool mbs_read_field_law(mbs_builder *builder, const mbs_node *node, const char *field, mbs_scope_level level,
                        const mbs_local_name *locals, mbs_law *law);
/* Returns a row between two frames as a block without an index in a model. */
mbs_block mbs_bare_block(const mbs_model *model, const mbs_row *row, const mbs_frames *frames);
/* Returns a row between two frames as a block with an index. `joint`: the joint whose geometry it has, or -1. */
mbs_block mbs_block_of(mbs_builder *builder, const mbs_row *row, const mbs_frames *frames, int joint);
/* Adds a primitive to model->coordinates. Returns its index. `of_joint`: the joint whose coordinate it is, or -1. */
int mbs_builder_add_primitive(mbs_builder *builder, const mbs_row *row, const mbs_frames *frames, int of_joint);
/* Adds a touch of a force element between the bodies of its frames, or those that `touch` lists, with the other members
 * of `touch`. Its name is that of the element unless it has one. */
void mbs_builder_add_touch(mbs_builder *builder, mbs_force *force, const struct mbs_touch *touch);
/* Adds a body to those on which custom rows of a joint depend, unless it is the ground or already there. */
void mbs_joint_add_body(mbs_joint *joint, int body);
/* Returns true for functions of expressions whose arguments are names. */
bool mbs_is_measure(const char *function);
/* Compiles a text with separate names as a law; errors are reported at `pointer`. */
void mbs_read_text_law(mbs_builder *builder, const char *text, const char *pointer, mbs_scope_level level,
                       const mbs_local_name *locals, mbs_law *law);
/* Returns true if a law reads accelerations, reactions, or outputs that are known only with them. */
bool mbs_law_reads_reactions(const mbs_model *model, const mbs_law *law);
/* Returns true if a law reads outputs of force elements. */
bool mbs_law_reads_forces(const mbs_model *model, const mbs_law *law);
/* Marks a law as one on which the structure of the model depends. */
void mbs_law_is_structure(mbs_builder *builder, mbs_law *law);
/* Returns a constant law that is not part of the document. */
mbs_law mbs_constant_law(mbs_builder *builder, double value);

/* ---- bodies.c, joints.c, elements.c, analysis.c ---- */
void mbs_read_bodies(mbs_builder *builder);
void mbs_read_joints(mbs_builder *builder);
/* Reads laws of joints that may name elements read after them. */
void mbs_read_joint_laws(mbs_builder *builder);
void mbs_read_drivers(mbs_builder *builder);
void mbs_read_forces(mbs_builder *builder);
/* Returns the input for the `length` of a force element's class; its rate at level 1. If its points are invalid,
 * returns the time, so that other errors of a law can be reported. */
mbs_input mbs_force_length(const mbs_force *force, int level);
void mbs_read_sensors(mbs_builder *builder);

/* ---- states.c ---- */
/* Declares a name for expressions. Reports a name that cannot be used in an expression or has a meaning already. */
void mbs_declare_name(mbs_builder *builder, const char *name, const char *pointer, mbs_declared meaning);
/* Returns what a kind of declared name is called in messages. */
const char *mbs_declared_word(mbs_declared_kind kind);
/* Returns the meaning of a declared name, or NULL. */
const mbs_declared *mbs_find_declared(const mbs_builder *builder, const char *name);
/* Adds a state. Returns NULL if memory runs out. */
mbs_document_state *mbs_builder_add_state(mbs_builder *builder, const char *name, const char *pointer);
/* Adds a state of a signal, whose rate is `text`. Returns the input that reads it. */
mbs_input mbs_signal_add_state(mbs_builder *builder, mbs_document_signal *signal, const char *text,
                               bool starts_at_input);
/* Returns the input that reads the time derivative of a signal's input. */
mbs_input mbs_signal_input_rate(mbs_builder *builder, mbs_document_signal *signal);
/* Declares all states and signals, before any law is read. */
void mbs_declare_states(mbs_builder *builder);
/* Reads the laws of states and signals, after all elements have their names and outputs. */
void mbs_read_states(mbs_builder *builder);
/* Reports states in a constraint whose rates it cannot follow: its row of velocity level needs z', and one of positions
 * also z''. The rates must have been read. */
void mbs_check_row_states(mbs_builder *builder, const mbs_law *law, const char *pointer, bool positions);
/* Reads the expression of a signal, unless it was read, before an expression that names it. */
void mbs_resolve_signal(mbs_builder *builder, mbs_document_signal *signal);
/* Computes the numbers of states and checks those of signals. */
void mbs_state_numbers(mbs_binder *binder, mbs_constants *constants);
void mbs_read_analysis(mbs_builder *builder);
/* ---- steady.c ---- */
/* Reads the steady joints of a relative equilibrium, and adds drivers to those that have none; after the drivers. */
void mbs_read_steady(mbs_builder *builder);
/* Returns the node of the analysis; NULL if the document has none. */
const mbs_node *mbs_analysis_node(const mbs_builder *builder);
/* Reads the parameters that the analysis names, and the plan of a study, after everything else. */
void mbs_read_sensitivities(mbs_builder *builder);
void mbs_read_frequency_response(mbs_builder *builder);
/* Reads the arrays to keep, after the sensors. */
void mbs_read_outputs(mbs_builder *builder);
void mbs_read_study(mbs_builder *builder);
/* Read the points of `values`, or of `from`, `to`, `count` and `scale`. */
void mbs_read_values(mbs_builder *builder, const mbs_node *node, struct mbs_vary *vary);
void mbs_read_range(mbs_builder *builder, const mbs_node *node, struct mbs_vary *vary);
/* Reports outputs of modes that cannot exist, after the number of velocities is known. */
void mbs_check_modes(mbs_builder *builder);
/* Reads the function of time in `field` of a node, for `element`, with values in `unit`. Returns its index in
 * model->functions, or -1 after an error. */
int mbs_read_function(mbs_builder *builder, const mbs_node *node, const char *field, const char *element,
                      const char *unit);
/* Builds a function; `function->element` and `unit` must be set. */
void mbs_build_function(mbs_builder *builder, const mbs_node *node, mbs_function *function);
/* Sets the class of a function without a node, and allocates its numbers, which its class does not read. */
void mbs_open_function(mbs_builder *builder, const mbs_function_class *cls, mbs_function *function);

/* ---- discrete.c ---- */
/* Reads names, initial values and instants of variables and sampled values, before all expressions that may contain
 * them. */
void mbs_read_discrete(mbs_builder *builder);
/* Reads the expressions of sampled values, the events, and `stop_when`; after all elements. */
void mbs_read_triggers(mbs_builder *builder);
/* Reads period and offset of a sampled value. */
void mbs_sampling_numbers(mbs_binder *binder, const struct mbs_discrete *discrete, struct mbs_sampling *out);

/* ---- externals.c ---- */
/* Reads the names of the inputs, before all expressions that may contain them. */
void mbs_declare_externals(mbs_builder *builder);
/* Reads their values over time in the analysis. */
void mbs_read_external_tables(mbs_builder *builder);
/* Computes their values at the start. */
void mbs_external_numbers(mbs_binder *binder, mbs_constants *constants);

/* ---- rotors.c ---- */
/* Adds an inertia along a coordinate of the model: the number in item `item` of `field`, times the square of the number
 * in the field `ratio` (NULL: 1). Returns its index, or -1 if memory runs out. */
int mbs_add_rotor(mbs_builder *builder, const mbs_node *node, const char *field, size_t item, const char *ratio,
                  int coordinate);
/* Reads `armature` of the joints. */
void mbs_read_armatures(mbs_builder *builder);
/* Finds the velocities of the rotors, and the blocks of those that have none; after the coordinates are numbered. */
void mbs_place_rotors(mbs_builder *builder);
/* Computes the numbers of the rotors. */
void mbs_rotor_numbers(mbs_binder *binder);

/* ---- paths.c ---- */
typedef enum mbs_strand_path_kind { MBS_PATH_BELT, MBS_PATH_ROPE, MBS_PATH_ELASTIC } mbs_strand_path_kind;
/* Reads the path of a belt or rope in `field` of its node. Returns its index in model->paths, or -1 after a report. */
int mbs_read_path(mbs_builder *builder, const mbs_node *node, const char *field, mbs_strand_path_kind kind);
/* Sets the bodies of a joint, and its frames, to those of a path: its frames are at the first and the last element. */
void mbs_strand_path_bodies(mbs_builder *builder, int path, mbs_joint *joint);
/* Reads the signed radii of a path; -1: none. */
void mbs_strand_path_numbers(mbs_binder *binder, int path);
/* Computes angles and lengths of a path at the start, and reports strands that have no tangent there. */
void mbs_strand_path_start(mbs_binder *binder, int path);

/* ---- tree.c, formulation.c, initial.c, structure.c, elimination.c, sparsity.c ---- */
/* The joints that carry the bodies; bodies numbered as in the document. */
typedef struct mbs_tree_choice {
  int *carrier; /* [nB + 1] joint, or -1: the body floats */
  int *parent;  /* [nB + 1] body */
  int *order;   /* [nB] bodies, parents first */
} mbs_tree_choice;
bool mbs_choose_tree(mbs_builder *builder, mbs_tree_choice *tree);
/* Chooses body coordinates if the document leaves the choice and they are predicted to be much cheaper. */
bool mbs_choose_formulation(mbs_builder *builder, const mbs_tree_choice *tree);
/* Numbers bodies, coordinates and rows along the tree. */
void mbs_build_structure(mbs_builder *builder, const mbs_tree_choice *tree);
/* Computes an order of the blocks of S by least degree. */
void mbs_least_degree_order(mbs_builder *builder, int *order);
/* Computes the patterns of S and of its factors for rows in this order, and the number of multiplications. */
mbs_fill *mbs_find_fill(mbs_builder *builder, const int *position, double *cost);
/* Computes the sparsity patterns of C, M and S. */
void mbs_build_sparsity(mbs_builder *builder);

/* ---- numbers ---- */
/* Read points and vectors, then the numbers of bodies, joints, force elements and functions of time. */
void mbs_point_or_vector_numbers(mbs_binder *binder, const mbs_point_or_vector *place, bool vector, double s[3]);
void mbs_gravity_numbers(mbs_binder *binder);
void mbs_body_numbers(mbs_binder *binder, const mbs_body *body, mbs_body_constants *out);
/* Reads only mass and inertia, on which no position depends. */
void mbs_body_masses(mbs_binder *binder, const mbs_body *body, mbs_body_constants *out);
void mbs_joint_numbers_of(mbs_binder *binder, const mbs_joint *joint, mbs_joint_constants *out);
/* Reads the numbers of a joint's rows for their errors: the rows themselves follow only if there is no error. */
void mbs_check_row_numbers(mbs_binder *binder, const mbs_joint *joint);
void mbs_force_numbers_of(mbs_binder *binder, const mbs_force *force, mbs_force_constants *out);
void mbs_function_numbers_of(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out);
/* Sets the zero of a rotation about u1 and u2: where the smallest rotation brings u2 to u1. */
void mbs_axes_zero(mbs_geometry *geometry);
/* Computes `axis` of a driver: unit vectors, and the rotation that is zero if the axes of its bodies coincide. Without
 * this field the axes are the vectors of the element. */
void mbs_axis_numbers(mbs_binder *binder, const mbs_node *driver, mbs_geometry *geometry);
/* Copies points and vectors of an element. */
void mbs_frames_geometry(const mbs_constants *constants, const mbs_frames *frames, mbs_geometry *geometry);
/* Allocates the numbers of a model with complete structure, in its arena or another one. Existing arrays are not
 * changed. Returns false if memory runs out. */
bool mbs_open_constants(const mbs_model *model, mbs_arena *arena, mbs_constants *constants);
/* Computes the start of a run: zeros of the joints' coordinates, initial coordinates and poses along the tree,
 * constants of rows, the size of the mechanism, and the numbers of the kernels. */
void mbs_start_numbers(mbs_binder *binder);

/* Checks functions of time at the start and where their pieces meet, and sets the smallest values of distances. */
void mbs_check_functions(mbs_binder *binder);

/* Checks data that are used for drawing only. */
void mbs_check_drawing(mbs_builder *builder);

#endif
