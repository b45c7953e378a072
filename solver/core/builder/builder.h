/* builder.h - from a document's nodes to a model. Reading comes first and collects every mistake, with bodies
 * numbered as in the document; then the tree is chosen, initial poses follow, and everything is renumbered along the
 * tree. */
#ifndef MBS_BUILDER_H
#define MBS_BUILDER_H

#include "kernels/kernels.h"
#include "model/constants.h"
#include "model/model.h"

/* Names of one kind, by hash. */
typedef struct mbs_names {
  const char **names;
  size_t count, capacity;
  struct hsearch_data *table;
} mbs_names;

/* Points or vectors of a body that has many, by name. */
typedef struct mbs_sorted_places {
  const mbs_place *from, **places;
  size_t count;
} mbs_sorted_places;

/* What the names of an expression may be. */
typedef enum mbs_scope_level {
  MBS_SCOPE_PARAMETERS, /* constants */
  MBS_SCOPE_TIME,       /* and t */
  MBS_SCOPE_POSITION,   /* and positions: constraints */
  MBS_SCOPE_STATE,      /* and positions, velocities, outputs of force elements */
  MBS_SCOPE_ALL         /* and accelerations, reactions, multipliers, energies: sensors */
} mbs_scope_level;

/* Names that only one element's laws know, such as l and ld of a spring. */
typedef struct mbs_local_name {
  const char *name;
  mbs_input input;
} mbs_local_name;

/* Who reads numbers of the document into constants: the builder of a model, for the first time, and mbs_bind(), for
 * other parameters. */
typedef struct mbs_binder {
  const mbs_model *model;
  mbs_constants *constants;
  mbs_diagnostics *list;
  struct mbs_builder *builder; /* NULL: the model is there */
  size_t stand_ins; /* numbers read so far that are reported as wrong: what is compared with them is no mistake */
  bool structural;  /* the structure of the model follows from what is read now */
  bool loads;       /* masses, forces, gravity are read now: no position follows from them */
} mbs_binder;

typedef struct mbs_builder {
  mbs_model *model;
  mbs_binder binder;
  mbs_arena *arena;
  mbs_diagnostics *list;
  const mbs_node *document, *analysis, *study; /* a study: NULL, there is none */
  bool uses_count;                             /* a parameter that is named is one that something depends on */
  mbs_limits host_limits; /* those of the document are for each run of a study, these for the study as a whole */
  const double *given;    /* values that parameters have instead of those of the document; NaN: those; NULL: all */
  int parameter_depth;    /* of those being read, each because the one before names it */
  size_t parameters_read; /* each after those that it depends on */
  mbs_names parameter_names, body_names, joint_names, force_names, driver_names;
  mbs_sorted_places *sorted[2]; /* [bodies] each, points and vectors; NULL before */
  bool *force_reads;            /* [forces x forces] which outputs the laws of a force element read; NULL before */
  int force_now;                /* force element whose laws are being read, or -1 */
  size_t input_capacity, coordinate_capacity, function_capacity, curve_capacity, function_number_capacity;
  size_t number_capacity, value_capacity, law_number_capacity, law_constants_count, law_constants_capacity;
  bool times_known; /* those of the analysis, without a mistake */
  bool has_units;   /* a parameter has a unit: dimensions of expressions are checked */
  bool failed;      /* out of memory: say so and stop */
} mbs_builder;

/* The one who reads numbers, and numbers from which structure follows. */
static inline mbs_binder *mbs_numbers_of(mbs_builder *builder) {
  builder->binder.structural = false;
  return &builder->binder;
}
static inline mbs_binder *mbs_structure_of(mbs_builder *builder) {
  builder->binder.structural = true;
  return &builder->binder;
}

/* A text (or NULL) as the model's own; on failure NULL, and the builder is marked as failed. */
const char *mbs_keep_text(mbs_builder *builder, const char *text);
/* Zeroed memory of the model; on failure NULL, and the build is marked as failed. */
void *mbs_builder_alloc(mbs_builder *builder, size_t count, size_t size);
/* Room for one more item in an array that grows in the arena; returns its place, NULL without memory. */
void *mbs_builder_grow(mbs_builder *builder, void **items, size_t *count, size_t *capacity, size_t size);
bool mbs_builder_ok(const mbs_builder *builder);

/* ---- names.c ---- */
/* Registers a name; a repeated one is reported at `pointer`. */
void mbs_names_add(mbs_builder *builder, mbs_names *names, const char *name, const char *kind, const char *pointer);
int mbs_names_find(const mbs_names *names, const char *name);
void mbs_names_free(mbs_names *names);
/* So many that the nearest known names are not looked for any more. */
bool mbs_too_many_errors(const mbs_builder *builder);
/* NULL where there is none of that name. */
mbs_parameter *mbs_find_parameter(const mbs_builder *builder, const char *name);
/* Whether anything that was read so far but other parameters depends on one, by itself or by these. */
bool mbs_parameter_counts(const mbs_builder *builder, int parameter);
/* Where a node's name stands; the node where it has none. */
const char *mbs_name_pointer(const mbs_node *node);
enum { MBS_POINTER_SIZE = 300 };
/* Most force elements of a model in which a law may read the output of another one: `force_reads` is square. */
enum { MBS_READABLE_FORCES_MAX = 2000 };
/* The JSON pointer of an item; of the value itself where it was written without an array. */
void mbs_item_pointer(const mbs_value *value, size_t i, char pointer[MBS_POINTER_SIZE]);
/* Reports an unknown name with the nearest of `names`. */
void mbs_unknown_name(mbs_builder *builder, const mbs_names *names, const char *kind, const char *name,
                      const char *pointer);

/* ---- values.c: fields of nodes. Those that are read must be fields of the node's class. ---- */
const mbs_field *mbs_field_of(const mbs_node *node, const char *field);
/* `node` NULL: nothing is given. */
const mbs_value *mbs_read_value(const mbs_node *node, const char *field);
/* Of a field that only some classes have: nothing is given where this one has not. */
const mbs_value *mbs_read_if_known(const mbs_node *node, const char *field);
bool mbs_read_given(const mbs_node *node, const char *field);
/* A number: evaluated, checked against the field's bounds; its default where it was not given. */
double mbs_read_number(mbs_binder *binder, const mbs_node *node, const char *field);
/* An array of at most `most` numbers into out[]; returns how many were given. */
size_t mbs_read_numbers(mbs_binder *binder, const mbs_node *node, const char *field, double *out, size_t most);
/* One of them; `field` may have another unit than the node's, which holds numbers of several. */
double mbs_read_item(mbs_binder *binder, const mbs_field *field, const mbs_value *value, size_t i);
/* A text that is a number with a unit (unit_words.h): *value in the unit of its field, NaN after a report. False: it
 * is an expression. */
bool mbs_read_unit(mbs_builder *builder, const char *unit, const char *text, const char *pointer, double *value);
/* Reports what is wrong with an expression, as its compiler said; where it has no finite value and there is a study,
 * with the values that the document gives to its parameters. */
void mbs_bad_expression(mbs_builder *builder, const char *text, const char *pointer, const char *message);
/* An item of a list that is no number, text or name, which was reported. */
bool mbs_scalar_is_wrong(const mbs_scalar *scalar);
/* One of the document's own scalars. */
double mbs_read_scalar(mbs_binder *binder, const mbs_field *field, const mbs_scalar *scalar, const char *pointer);
/* A word or text; its default, or NULL, where it was not given. */
const char *mbs_read_text(const mbs_node *node, const char *field);
/* Index of a choice's word among those of its field; 0 where it is none, which was reported. */
int mbs_read_choice(const mbs_node *node, const char *field);
bool mbs_read_bool(const mbs_node *node, const char *field);
/* A constant expression becomes one of model->numbers: which one. */
int mbs_keep_number(mbs_builder *builder, const mbs_expression *expression, const char *pointer, double value);
/* The document, and what stands beside it, as the model's own: copied, or as they are. */
void mbs_keep_document(mbs_builder *builder, bool copied);
/* Parameters of the document. */
void mbs_read_parameters(mbs_builder *builder);
/* A body: its number in the document, 0 the ground; -1 and a report where there is none. */
int mbs_read_body(mbs_builder *builder, const char *name, const char *pointer);
int mbs_read_joint(mbs_builder *builder, const char *name, const char *pointer);
/* A point or a vector "body.name": its body and its number; false and a report where there is none. */
bool mbs_read_place(mbs_builder *builder, const char *reference, bool vector, const char *pointer, int *body,
                    int *place);
/* Fields points (two) and vectors (two) of an element into its frames; fields it does not have are left alone. */
bool mbs_read_frames(mbs_builder *builder, const mbs_node *node, mbs_frames *frames);
/* The same; `second_vector`: the only vector is one of the second body. */
bool mbs_read_frames_with(mbs_builder *builder, const mbs_node *node, bool second_vector, mbs_frames *frames);
/* Bodies named in a field into [most]; returns how many, fewer after a report. */
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
/* The law of a field; where it was not given its default number. Returns whether it was given. */
bool mbs_read_field_law(mbs_builder *builder, const mbs_node *node, const char *field, mbs_scope_level level,
                        const mbs_local_name *locals, mbs_law *law);
/* A row between two frames as a block that has no place in a model. */
mbs_block mbs_bare_block(const mbs_model *model, const mbs_row *row, const mbs_frames *frames);
/* The same with a place. `joint`: the one whose geometry it has, or -1. */
mbs_block mbs_block_of(mbs_builder *builder, const mbs_row *row, const mbs_frames *frames, int joint);
/* Adds a primitive to model->coordinates; returns its number. `of_joint`: the joint whose coordinate it is, or -1. */
int mbs_builder_add_primitive(mbs_builder *builder, const mbs_row *row, const mbs_frames *frames, int of_joint);
/* The structure of the model follows from a law that was read. */
void mbs_law_is_structure(mbs_builder *builder, mbs_law *law);
/* A law that is not of the document: a constant. */
mbs_law mbs_constant_law(mbs_builder *builder, double value);

/* ---- bodies.c, joints.c, elements.c, analysis.c ---- */
void mbs_read_bodies(mbs_builder *builder);
void mbs_read_joints(mbs_builder *builder);
/* Laws of joints that may name what is read after them. */
void mbs_read_joint_laws(mbs_builder *builder);
void mbs_read_drivers(mbs_builder *builder);
void mbs_read_forces(mbs_builder *builder);
/* What the `length` of a force element's class is read from; its rate at level 1. The time where its points have a
 * mistake, so that the other mistakes of a law can be told. */
mbs_input mbs_force_length(const mbs_force *force, int level);
void mbs_read_sensors(mbs_builder *builder);
void mbs_read_analysis(mbs_builder *builder);
/* What the analysis asks of parameters, and the plan of a study, after all else was read. */
void mbs_read_sensitivities(mbs_builder *builder);
/* Which arrays are kept, after the sensors. */
void mbs_read_outputs(mbs_builder *builder);
void mbs_read_study(mbs_builder *builder);
/* Reports outputs of modes of which there are never so many, once it is known how many velocities there are. */
void mbs_check_modes(mbs_builder *builder);
/* The function of time in `field` of a node, for `element`, its values in `unit`: its number among model->functions, -1
 * on a mistake. */
int mbs_read_function(mbs_builder *builder, const mbs_node *node, const char *field, const char *element,
                      const char *unit);
/* `function->element` and `unit` are set before. */
void mbs_build_function(mbs_builder *builder, const mbs_node *node, mbs_function *function);

/* ---- tree.c, formulation.c, initial.c, structure.c, elimination.c, patterns.c ---- */
/* Which joint carries which body; bodies numbered as in the document. */
typedef struct mbs_tree_choice {
  int *carrier; /* [nB + 1] joint, or -1: the body floats */
  int *parent;  /* [nB + 1] body */
  int *order;   /* [nB] bodies, parents first */
} mbs_tree_choice;
bool mbs_choose_tree(mbs_builder *builder, mbs_tree_choice *tree);
/* Body coordinates where the document leaves the choice and they are predicted to be far cheaper. */
bool mbs_choose_formulation(mbs_builder *builder, const mbs_tree_choice *tree);
/* Numbers bodies, coordinates and rows along the tree. */
void mbs_build_structure(mbs_builder *builder, const mbs_tree_choice *tree);
/* The blocks of S in an order of least degree. */
void mbs_least_degree_order(mbs_builder *builder, int *order);
/* Patterns of S and of its factors for rows at these places, and the multiplications that these cost. */
mbs_fill *mbs_find_fill(mbs_builder *builder, const int *position, double *cost);
/* The sparse patterns of C, M and S. */
void mbs_build_sparsity(mbs_builder *builder);

/* ---- numbers ---- */
/* Points and vectors, then what stands on them: of bodies, joints, force elements, functions of time. */
void mbs_place_numbers(mbs_binder *binder, const mbs_place *place, bool vector, double s[3]);
void mbs_gravity_numbers(mbs_binder *binder);
void mbs_body_numbers(mbs_binder *binder, const mbs_body *body, mbs_body_constants *out);
/* Of them mass and inertia alone, which no position follows from. */
void mbs_body_masses(mbs_binder *binder, const mbs_body *body, mbs_body_constants *out);
void mbs_joint_numbers_of(mbs_binder *binder, const mbs_joint *joint, mbs_joint_constants *out);
void mbs_force_numbers_of(mbs_binder *binder, const mbs_force *force, mbs_force_constants *out);
void mbs_function_numbers_of(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out);
/* `axis` of a driver: unit vectors, and the turn that is zero where the axes of its bodies coincide. */
void mbs_axis_numbers(mbs_binder *binder, const mbs_node *driver, mbs_geometry *geometry);
/* Points and vectors of an element. */
void mbs_frames_geometry(const mbs_constants *constants, const mbs_frames *frames, mbs_geometry *geometry);
/* Room for the numbers of a model whose structure is complete, in its arena or another one; false: no memory. Those
 * that are there already stay. */
bool mbs_open_constants(const mbs_model *model, mbs_arena *arena, mbs_constants *constants);
/* Where a run starts: zeros of the joints' coordinates, then initial coordinates and poses along the tree, then
 * constants of rows; then the size of the mechanism, and the numbers of the kernels. */
void mbs_start_numbers(mbs_binder *binder);

/* Functions of time at the start and where their pieces meet; the least value of distances. */
void mbs_check_functions(mbs_binder *binder);

/* Looks for mistakes in what is there for drawing alone. */
void mbs_check_drawing(mbs_builder *builder);

#endif
