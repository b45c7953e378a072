/* The classes of the document itself, as tables: model, body, ground, sensor, analysis. schemas/model.schema.json is
 * generated from them. */
#include "mbs/document.h"
#include "base/methods.h"

#include <math.h>

enum { SENSITIVITIES_MAX = 1000 };

#define END \
  { .name = NULL }

/* ---- small objects ------------------------------------------------------------------------------------------- */

static const mbs_field parameter_fields[] = {{.name = "value",
                                              .kind = MBS_KIND_NUMBER,
                                              .required = true,
                                              .fallback = NAN,
                                              .doc = "a number or an expression over parameters"},
                                             END};
static const mbs_class parameter_class = {.name = "parameter", .doc = "A named constant.", .fields = parameter_fields};

static const mbs_field function_fields[] = {
    {.name = "x",
     .kind = MBS_KIND_NUMBER,
     .min_count = 2,
     .max_count = 1000000,
     .fallback = NAN,
     .doc = "a table: numbers of its first argument, ascending. In linear tables of one argument a number that comes "
            "twice is a jump"},
    {.name = "y",
     .kind = MBS_KIND_NUMBER,
     .min_count = 2,
     .max_count = 1000000,
     .fallback = NAN,
     .doc = "the values at x; with z the numbers of the second argument, ascending"},
    {.name = "z",
     .kind = MBS_KIND_ROW,
     .min_count = 2,
     .max_count = 1000000,
     .doc = "a table of two arguments: for each number of x a row with the values at y"},
    {.name = "interpolation",
     .kind = MBS_KIND_CHOICE,
     .choices = "linear|spline|akima|monotone",
     .fallback_text = "linear",
     .doc = "straight lines (with z: in x and in y); the cubic spline with not-a-knot ends (two points: a line, three: "
            "a parabola); Akima's curve; the monotone cubic PCHIP"},
    {.name = "outside",
     .kind = MBS_KIND_CHOICE,
     .choices = "error|hold|extend|periodic",
     .fallback_text = "error",
     .doc = "arguments outside of the table: the run fails with outside_table; the value at the end; the straight line "
            "with the slope at the end; the table repeats with the period from its first to its last number"},
    {.name = "arguments",
     .kind = MBS_KIND_TEXT,
     .min_count = 1,
     .max_count = 20,
     .doc = "a function that is an expression: names of its arguments"},
    {.name = "value",
     .kind = MBS_KIND_LAW,
     .fallback = NAN,
     .doc = "the expression of its arguments and of parameters"},
    END};
static const mbs_class function_class = {.name = "named-function",
                                         .doc = "A function that expressions can call: a table or an expression.",
                                         .fields = function_fields};

static const mbs_field place_fields[] = {{.name = "value",
                                          .kind = MBS_KIND_NUMBER,
                                          .min_count = MBS_DIM,
                                          .max_count = MBS_DIM,
                                          .required = true,
                                          .fallback = NAN,
                                          .unit = "m",
                                          .doc = "coordinates in the body's axes, from its mass centre"},
                                         END};
static const mbs_class point_class = {.name = "point", .doc = "A point fixed in a body.", .fields = place_fields};

static const mbs_field direction_fields[] = {{.name = "value",
                                              .kind = MBS_KIND_NUMBER,
                                              .min_count = MBS_DIM,
                                              .max_count = MBS_DIM,
                                              .required = true,
                                              .fallback = NAN,
                                              .doc = "components in the body's axes; normalized when read"},
                                             END};
static const mbs_class vector_class = {
    .name = "vector", .doc = "A direction fixed in a body.", .fields = direction_fields};

static const mbs_field orientation_fields[] = {
    {.name = "euler_parameters",
     .kind = MBS_KIND_NUMBER,
     .min_count = 4,
     .max_count = 4,
     .fallback = NAN,
     .doc = "e0, e1, e2, e3 (either sign); alternatively give axis and angle"},
    {.name = "axis",
     .kind = MBS_KIND_NUMBER,
     .min_count = 3,
     .max_count = 3,
     .fallback = NAN,
     .doc = "axis of the rotation from the global axes"},
    {.name = "angle",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .unit = "rad",
     .doc = "angle of the rotation; full revolutions count in the angle of a joint about that axis"},
    END};
static const mbs_class orientation_class = {
    .name = "orientation", .doc = "An orientation in space.", .fields = orientation_fields};

static const mbs_field pose_fields[] = {{.name = "position",
                                         .kind = MBS_KIND_NUMBER,
                                         .min_count = MBS_DIM,
                                         .max_count = MBS_DIM,
                                         .fallback = NAN,
                                         .unit = "m",
                                         .doc = "mass centre, global axes"},
                                        {.name = "angle",
                                         .kind = MBS_KIND_NUMBER,
                                         .spaces = MBS_PLANAR,
                                         .fallback = NAN,
                                         .unit = "rad",
                                         .doc = "angle of the body"},
                                        {.name = "orientation",
                                         .kind = MBS_KIND_OBJECT,
                                         .of = &orientation_class,
                                         .spaces = MBS_SPATIAL,
                                         .doc = "orientation of the body"},
                                        {.name = "velocity",
                                         .kind = MBS_KIND_NUMBER,
                                         .min_count = MBS_DIM,
                                         .max_count = MBS_DIM,
                                         .fallback = NAN,
                                         .unit = "m/s",
                                         .doc = "velocity of the mass centre in global axes"},
                                        {.name = "angular_velocity",
                                         .kind = MBS_KIND_NUMBER,
                                         .min_count = MBS_TURNS,
                                         .max_count = MBS_TURNS,
                                         .or_single = true,
                                         .fallback = NAN,
                                         .unit = "rad/s",
                                         .doc = "angular velocity of the body; in space a vector, global axes"},
                                        END};
static const mbs_class pose_class = {
    .name = "initial", .doc = "Initial pose and velocity of a body.", .fields = pose_fields};

/* ---- bodies -------------------------------------------------------------------------------------------------- */

#define SHAPES                                                                                                   \
  {                                                                                                              \
    .name = "shapes", .kind = MBS_KIND_ELEMENT, .family = MBS_FAMILY_SHAPE, .min_count = 0, .max_count = 100000, \
    .doc = "shapes in the body's axes; default: drawn from the points"                                           \
  }

#define NAMED_PLACES                                                                        \
  {.name = "points", .kind = MBS_KIND_MAP, .of = &point_class, .doc = "named points"}, {    \
    .name = "vectors", .kind = MBS_KIND_MAP, .of = &vector_class, .doc = "named directions" \
  }

static const mbs_field ground_fields[] = {NAMED_PLACES, SHAPES, END};
static const mbs_class ground_class = {.name = "ground", .doc = "The body that never moves.", .fields = ground_fields};

static const mbs_field body_fields[] = {
    {.name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "unique name"},
    {.name = "description", .kind = MBS_KIND_TEXT, .doc = "text for readers"},
    {.name = "mass",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .unit = "kg",
     .doc = "mass"},
    {.name = "inertia",
     .kind = MBS_KIND_NUMBER,
     .min_count = 1,
     .max_count = 6,
     .or_single = true,
     .required = true,
     .fallback = NAN,
     .unit = "kg m^2",
     .doc = "moment of inertia about the mass centre; in space [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or three principal "
            "values, body axes"},
    {.name = "inertia_check",
     .kind = MBS_KIND_BOOL,
     .fallback = 1,
     .doc = "false: accept an inertia that no rigid body has, as of a planar mechanism with one moment of inertia"},
    NAMED_PLACES,
    {.name = "initial", .kind = MBS_KIND_OBJECT, .of = &pose_class, .doc = "initial pose and velocity"},
    SHAPES,
    END};
static const mbs_class body_class = {.name = "body", .doc = "A rigid body.", .fields = body_fields};

/* ---- variables, sampled values, events ----------------------------------------------------------------------- */

static const mbs_field variable_fields[] = {{.name = "value",
                                             .kind = MBS_KIND_NUMBER,
                                             .required = true,
                                             .fallback = NAN,
                                             .doc = "value at the start: a number or an expression over parameters"},
                                            END};
static const mbs_class variable_class = {
    .name = "variable", .doc = "A named number that events set.", .fields = variable_fields};

static const mbs_field input_fields[] = {{.name = "value",
                                          .kind = MBS_KIND_NUMBER,
                                          .required = true,
                                          .fallback = NAN,
                                          .doc = "value at the start: a number or an expression over parameters"},
                                         END};
static const mbs_class input_class = {
    .name = "input", .doc = "A named number that comes from outside.", .fields = input_fields};

static const mbs_field sampled_fields[] = {
    {.name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "unique name, usable in every expression"},
    {.name = "period",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "s",
     .doc = "time from one sample to the next"},
    {.name = "offset",
     .kind = MBS_KIND_NUMBER,
     .fallback = 0,
     .low = 0,
     .high = INFINITY,
     .unit = "s",
     .doc = "time from t_start to the first sample"},
    {.name = "initial", .kind = MBS_KIND_NUMBER, .fallback = 0, .doc = "value before the first sample"},
    {.name = "value",
     .kind = MBS_KIND_LAW,
     .required = true,
     .fallback = NAN,
     .doc = "expression of time, state, accelerations and reactions: its value at a sample holds until the next"},
    END};
static const mbs_class sampled_class = {
    .name = "sampled",
    .doc = "A number that is measured at the times t_start + offset + k period, k = 0, 1, ..., and held in between, as "
           "by a digital controller.",
    .fields = sampled_fields};

static const mbs_field assignment_fields[] = {
    {.name = "value",
     .kind = MBS_KIND_LAW,
     .required = true,
     .fallback = NAN,
     .doc = "new value: expression of time, state, accelerations and reactions before the event"},
    END};
static const mbs_class assignment_class = {
    .name = "assignment", .doc = "A value that an event sets.", .fields = assignment_fields};

#define WHEN                                                                                                          \
  {.name = "when",                                                                                                    \
   .kind = MBS_KIND_LAW,                                                                                              \
   .required = true,                                                                                                  \
   .fallback = NAN,                                                                                                   \
   .doc = "expression of time, positions, velocities and variables, at whose zeros it happens; or a condition, such " \
          "as \"x > 1 && n < 3\": it happens when the condition becomes true"},                                       \
  {                                                                                                                   \
    .name = "direction", .kind = MBS_KIND_CHOICE, .choices = "either|rising|falling", .fallback_text = "either",      \
    .doc = "direction of a zero: the expression rises or falls through it"                                            \
  }

static const mbs_field event_fields[] = {
    {.name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "unique name, in the list of events"},
    WHEN,
    {.name = "set",
     .kind = MBS_KIND_MAP,
     .of = &assignment_class,
     .reference_keys = true,
     .doc = "new values by name: of variables, and of rates of joints, such as \"rail.qd\", which an impulse along the "
            "joint's coordinate sets"},
    END};
static const mbs_class event_class = {.name = "event",
                                      .doc = "An instant of a motion, located exactly, at which values change. New "
                                             "values are computed from those before; then conditions count again.",
                                      .fields = event_fields};

static const mbs_field stop_fields[] = {WHEN,
                                        {.name = "count",
                                         .kind = MBS_KIND_NUMBER,
                                         .fallback = 1,
                                         .low = 1,
                                         .high = 1e9,
                                         .doc = "number of the instant at which the run ends, counted from 1"},
                                        END};
static const mbs_class stop_class = {
    .name = "stop", .doc = "The instant at which a run ends before t_end.", .fields = stop_fields};

/* ---- sensors ------------------------------------------------------------------------------------------------- */

static const mbs_field sensor_fields[] = {
    {.name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "name of the result array of the sensor"},
    {.name = "value",
     .kind = MBS_KIND_LAW,
     .required = true,
     .fallback = NAN,
     .doc = "expression of time, state, accelerations and reactions"},
    {.name = "unit", .kind = MBS_KIND_TEXT, .doc = "unit of the value (text)"},
    {.name = "description", .kind = MBS_KIND_TEXT, .doc = "text for readers"},
    END};
static const mbs_class sensor_class = {.name = "sensor", .doc = "A quantity to record.", .fields = sensor_fields};

/* ---- states -------------------------------------------------------------------------------------------------- */

static const mbs_field state_fields[] = {
    {.name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "name in expressions; no parameter may have it"},
    {.name = "initial", .kind = MBS_KIND_NUMBER, .fallback = 0, .doc = "value at the start"},
    {.name = "rate",
     .kind = MBS_KIND_LAW,
     .required = true,
     .fallback = NAN,
     .doc = "derivative with respect to time: an expression of time and state, with this state and others"},
    END};
static const mbs_class state_class = {
    .name = "state",
    .doc = "A scalar state with its differential equation. It is integrated with the motion, with the tolerance of the "
           "run; its absolute tolerance counts it with scale 1. Expressions of laws and sensors read it by its name.",
    .equation = "z' = rate",
    .fields = state_fields};

/* ---- analysis ------------------------------------------------------------------------------------------------ */

/* "|dopri5|dop853" and ", Dormand-Prince 5(4), ...": used without the first separator. */
static const char methods[] = ""
#define MBS_METHOD(name, steps, stiff, doc) "|" #name
#include "base/methods.def"
#undef MBS_METHOD
    ;
static const char method_docs[] = ""
#define MBS_METHOD(name, steps, stiff, doc) ", " doc
#include "base/methods.def"
#undef MBS_METHOD
    ;

static const mbs_field integrator_fields[] = {
    {.name = "method",
     .kind = MBS_KIND_CHOICE,
     .choices = methods + 1,
     .fallback_text = MBS_DEFAULT_METHOD,
     .doc = method_docs + 2},
    {.name = "rtol", .kind = MBS_KIND_NUMBER, .fallback = 1e-6, .low = 1e-15, .high = 1, .doc = "relative tolerance"},
    {.name = "atol",
     .kind = MBS_KIND_NUMBER,
     .fallback = 1e-9,
     .low = 1e-300,
     .high = 1e300,
     .doc = "absolute tolerance in rad and m, of velocities in rad/s and m/s. Mechanisms below 1 cm or above 1 km use "
            "mm, um or km instead of m; runs below 1 ms or above 10000 s use their duration as unit of time"},
    {.name = "max_step",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "s",
     .doc = "largest step of the integration"},
    {.name = "fixed_step",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "s",
     .doc = "step of"
#define MBS_METHOD(name, steps, stiff, doc) MBS_IF_FIXED(steps, " " #name ",")
#include "base/methods.def"
#undef MBS_METHOD
            " which needs one"},
    END};
static const mbs_class integrator_class = {
    .name = "integrator", .doc = "How the equations of motion are integrated.", .fields = integrator_fields};

static const mbs_field limits_fields[] = {{.name = "wall_seconds",
                                           .kind = MBS_KIND_NUMBER,
                                           .fallback = NAN,
                                           .low = 0,
                                           .high = INFINITY,
                                           .low_open = true,
                                           .unit = "s",
                                           .doc = "largest wall-clock time of the run"},
                                          {.name = "max_evaluations",
                                           .kind = MBS_KIND_NUMBER,
                                           .fallback = NAN,
                                           .low = 1,
                                           .high = 1e18,
                                           .doc = "largest number of evaluations of the equations"},
                                          END};
static const mbs_class limits_class = {.name = "limits", .doc = "Limits of a run.", .fields = limits_fields};

static const mbs_field baumgarte_fields[] = {
    {.name = "alpha",
     .kind = MBS_KIND_NUMBER,
     .fallback = 10,
     .low = 0,
     .high = INFINITY,
     .unit = "1/s",
     .doc = "gain of the velocity residual: Phi'' + 2 alpha Phi' + beta^2 Phi = 0"},
    {.name = "beta",
     .kind = MBS_KIND_NUMBER,
     .fallback = 10,
     .low = 0,
     .high = INFINITY,
     .unit = "1/s",
     .doc = "gain of the position residual"},
    END};
static const mbs_class baumgarte_class = {
    .name = "baumgarte", .doc = "Gains of Baumgarte's stabilization.", .fields = baumgarte_fields};

static const mbs_field frequency_fields[] = {{.name = "values",
                                              .kind = MBS_KIND_NUMBER,
                                              .min_count = 1,
                                              .max_count = 1000000,
                                              .fallback = NAN,
                                              .low = 0,
                                              .high = INFINITY,
                                              .unit = "Hz",
                                              .doc = "the frequencies one by one"},
                                             {.name = "from",
                                              .kind = MBS_KIND_NUMBER,
                                              .fallback = NAN,
                                              .low = 0,
                                              .high = INFINITY,
                                              .unit = "Hz",
                                              .doc = "first frequency, together with 'to' and 'count'"},
                                             {.name = "to",
                                              .kind = MBS_KIND_NUMBER,
                                              .fallback = NAN,
                                              .low = 0,
                                              .high = INFINITY,
                                              .unit = "Hz",
                                              .doc = "last frequency"},
                                             {.name = "count",
                                              .kind = MBS_KIND_NUMBER,
                                              .fallback = NAN,
                                              .low = 1,
                                              .high = 1000000,
                                              .doc = "number of frequencies, ends included"},
                                             {.name = "scale",
                                              .kind = MBS_KIND_CHOICE,
                                              .choices = "linear|log",
                                              .fallback_text = "linear",
                                              .doc = "linear: equal steps; log: equal ratios"},
                                             END};
static const mbs_class frequencies_class = {
    .name = "frequencies", .doc = "Frequencies of a frequency response.", .fields = frequency_fields};

static const mbs_field input_table_fields[] = {{.name = "t",
                                                .kind = MBS_KIND_NUMBER,
                                                .min_count = 1,
                                                .max_count = 1000000,
                                                .required = true,
                                                .fallback = NAN,
                                                .unit = "s",
                                                .doc = "times, ascending"},
                                               {.name = "values",
                                                .kind = MBS_KIND_NUMBER,
                                                .min_count = 1,
                                                .max_count = 1000000,
                                                .required = true,
                                                .fallback = NAN,
                                                .doc = "values at these times"},
                                               END};
static const mbs_class input_table_class = {
    .name = "input-values",
    .doc = "Values of an input over time, joined by straight lines; constant before the first and after the last.",
    .fields = input_table_fields};

static const mbs_field analysis_fields[] = {
    {.name = "type",
     .kind = MBS_KIND_CHOICE,
     .choices = "dynamics|kinematics|inverse-dynamics|assembly|equilibrium|linearization|frequency-response|"
                "relative-equilibrium",
     .fallback_text = "dynamics",
     .doc = "analysis type"},
    {.name = "formulation",
     .kind = MBS_KIND_CHOICE,
     .choices = "joint|body",
     .fallback_text = "joint",
     .doc = "generalized coordinates; default: joint, but body for planar dynamics with many coupled loops"},
    {.name = "t_start", .kind = MBS_KIND_NUMBER, .fallback = 0, .unit = "s", .doc = "first reporting time"},
    {.name = "t_end", .kind = MBS_KIND_NUMBER, .fallback = NAN, .unit = "s", .doc = "last reporting time"},
    {.name = "dt",
     .kind = MBS_KIND_NUMBER,
     .fallback = NAN,
     .low = 0,
     .high = INFINITY,
     .low_open = true,
     .unit = "s",
     .doc = "reporting step (never the integration step)"},
    {.name = "correct", .kind = MBS_KIND_BOOL, .fallback = 1, .doc = "correct the initial conditions"},
    {.name = "hold",
     .kind = MBS_KIND_JOINT,
     .min_count = 0,
     .max_count = 100000,
     .doc = "joints whose initial values the correction must keep. With partitioning and in a linearization their "
            "coordinates are the independent ones"},
    {.name = "constraints",
     .kind = MBS_KIND_CHOICE,
     .choices = "projection|partitioning|baumgarte|none",
     .fallback_text = "projection",
     .doc = "how dynamics satisfies the constraints: projection after each step, coordinate partitioning, Baumgarte "
            "stabilization, or none"},
    {.name = "baumgarte", .kind = MBS_KIND_OBJECT, .of = &baumgarte_class, .doc = "gains of Baumgarte's stabilization"},
    {.name = "about",
     .kind = MBS_KIND_CHOICE,
     .choices = "equilibrium|state|relative-equilibrium",
     .fallback_text = "equilibrium",
     .doc = "linearization and frequency response: about the static equilibrium, about the initial state, or about the "
            "relative equilibrium with the joints in 'steady'. Eigenvalues of a moving state "
            "depend on the choice of coordinates; body coordinates are refused if they rotate along the motion"},
    {.name = "steady",
     .kind = MBS_KIND_JOINT,
     .min_count = 1,
     .max_count = 100000,
     .doc = "relative equilibrium: joints that keep the rate of their driver or of 'initial'; all other coordinates "
            "stand"},
    {.name = "start",
     .kind = MBS_KIND_CHOICE,
     .choices = "given|equilibrium",
     .fallback_text = "given",
     .doc =
         "dynamics: start of the motion. given: the corrected start; equilibrium: the static equilibrium near it, with "
         "drivers held at t_start. Only the drivers then have velocities"},
    {.name = "input",
     .kind = MBS_KIND_TEXT,
     .min_count = 1,
     .max_count = 1000,
     .or_single = true,
     .doc = "frequency response: names of the inputs, which are drivers, or parameters of forces"},
    {.name = "output",
     .kind = MBS_KIND_TEXT,
     .min_count = 1,
     .max_count = 1000,
     .or_single = true,
     .doc = "frequency response: names of the outputs, which are sensors"},
    {.name = "frequencies",
     .kind = MBS_KIND_OBJECT,
     .of = &frequencies_class,
     .or_first = true,
     .doc = "frequency response: its frequencies"},
    {.name = "inputs",
     .kind = MBS_KIND_MAP,
     .of = &input_table_class,
     .doc = "values of inputs over time; an input without them keeps its value of the document"},
    {.name = "stop_when",
     .kind = MBS_KIND_OBJECT,
     .of = &stop_class,
     .or_first = true,
     .doc =
         "dynamics: the run ends here, before t_end, with a last row: an expression, at its first zero; a condition, "
         "when it is true; or an object"},
    {.name = "integrator",
     .kind = MBS_KIND_OBJECT,
     .of = &integrator_class,
     .doc = "integration method and tolerances"},
    {.name = "error_estimate",
     .kind = MBS_KIND_BOOL,
     .doc = "estimates the error of each coordinate by a second run at a tenth of the tolerances"
#define MBS_METHOD(name, steps, stiff, doc) MBS_IF_FIXED(steps, " (" #name ": at half the step)")
#include "base/methods.def"
#undef MBS_METHOD
            ", which costs as much as the first, or more"},
    {.name = "certify",
     .kind = MBS_KIND_BOOL,
     .doc = "check the result for its certificate: with a run in the other formulation, with a run at a tenth of the "
            "tolerances, and with the Jacobian along the motion. Takes at least three times as long"},
    {.name = "sensitivities",
     .kind = MBS_KIND_TEXT,
     .min_count = 1,
     .max_count = SENSITIVITIES_MAX,
     .doc = "names of parameters: the array sensitivities contains the derivatives of uT by these parameters; each "
            "costs up to eight runs"},
    {.name = "outputs",
     .kind = MBS_KIND_TEXT,
     .min_count = 1,
     .max_count = 100000,
     .doc =
         "names of the result arrays and sensors to keep besides T; \"sensors\" stands for all sensors. Default: all"},
    {.name = "limits", .kind = MBS_KIND_OBJECT, .of = &limits_class, .doc = "limits of this run"},
    END};
static const mbs_class analysis_class = {
    .name = "analysis", .doc = "What to compute for a model.", .fields = analysis_fields};

const mbs_class *mbs_class_analysis(void) { return &analysis_class; }

/* ---- drawing ------------------------------------------------------------------------------------------------- */

#define RANGE(NAME, SPACES)                                                                                   \
  {                                                                                                           \
    .name = NAME, .kind = MBS_KIND_NUMBER, .min_count = 2, .max_count = 2, .spaces = SPACES, .fallback = NAN, \
    .unit = "m", .doc = "from, to"                                                                            \
  }

static const mbs_field view_fields[] = {RANGE("x", MBS_ANY_SPACE), RANGE("y", MBS_ANY_SPACE), RANGE("z", MBS_SPATIAL),
                                        END};
static const mbs_class view_class = {
    .name = "view", .doc = "The part of the plane or space that a drawing shows initially.", .fields = view_fields};

/* ---- the model ----------------------------------------------------------------------------------------------- */

static const mbs_field model_fields[] = {
    {.name = "name", .kind = MBS_KIND_TEXT, .doc = "name of the model"},
    {.name = "description", .kind = MBS_KIND_TEXT, .doc = "text for readers"},
    {.name = "space",
     .kind = MBS_KIND_CHOICE,
     .choices = "planar|spatial",
     .required = true,
     .doc = "planar or spatial"},
    {.name = "parameters",
     .kind = MBS_KIND_MAP,
     .of = &parameter_class,
     .doc = "named constants, usable in every number of the document"},
    {.name = "functions",
     .kind = MBS_KIND_MAP,
     .of = &function_class,
     .doc = "named functions, usable in every expression of the document"},
    {.name = "gravity",
     .kind = MBS_KIND_NUMBER,
     .min_count = MBS_DIM,
     .max_count = MBS_DIM,
     .fallback = 0,
     .unit = "m/s^2",
     .doc = "acceleration of gravity; default: none"},
    {.name = "ground", .kind = MBS_KIND_OBJECT, .of = &ground_class, .doc = "points and vectors of the ground"},
    {.name = "bodies",
     .kind = MBS_KIND_OBJECT,
     .of = &body_class,
     .min_count = 1,
     .max_count = 100000,
     .required = true,
     .doc = "the moving bodies"},
    {.name = "joints",
     .kind = MBS_KIND_ELEMENT,
     .family = MBS_FAMILY_JOINT,
     .min_count = 0,
     .max_count = 100000,
     .doc = "joints and constraints"},
    {.name = "forces",
     .kind = MBS_KIND_ELEMENT,
     .family = MBS_FAMILY_FORCE,
     .min_count = 0,
     .max_count = 100000,
     .doc = "force elements, without gravity"},
    {.name = "drivers",
     .kind = MBS_KIND_ELEMENT,
     .family = MBS_FAMILY_DRIVER,
     .min_count = 0,
     .max_count = 100000,
     .doc = "prescribed motions (drivers)"},
    {.name = "states",
     .kind = MBS_KIND_OBJECT,
     .of = &state_class,
     .min_count = 0,
     .max_count = 100000,
     .doc = "states with differential equations of their own, for example of a controller"},
    {.name = "signals",
     .kind = MBS_KIND_ELEMENT,
     .family = MBS_FAMILY_SIGNAL,
     .min_count = 0,
     .max_count = 100000,
     .doc = "named expressions, which other expressions read by their name"},
    {.name = "variables",
     .kind = MBS_KIND_MAP,
     .of = &variable_class,
     .doc = "named numbers that events set, usable in every expression of the motion"},
    {.name = "inputs",
     .kind = MBS_KIND_MAP,
     .of = &input_class,
     .doc =
         "named numbers that come from outside, usable in expressions of the motion: values over time in 'inputs' of "
         "the analysis, or values that a host sets between two steps"},
    {.name = "events",
     .kind = MBS_KIND_OBJECT,
     .of = &event_class,
     .min_count = 0,
     .max_count = 100000,
     .doc = "instants at which values change"},
    {.name = "sampled",
     .kind = MBS_KIND_OBJECT,
     .of = &sampled_class,
     .min_count = 0,
     .max_count = 100000,
     .doc = "values that are measured at equal intervals and held"},
    {.name = "sensors",
     .kind = MBS_KIND_OBJECT,
     .of = &sensor_class,
     .min_count = 0,
     .max_count = 100000,
     .doc = "quantities to record (sensors)"},
    {.name = "analysis",
     .kind = MBS_KIND_OBJECT,
     .of = &analysis_class,
     .doc = "analysis; a request may give another one"},
    {.name = "view", .kind = MBS_KIND_OBJECT, .of = &view_class, .doc = "initial view of a drawing"},
    END};
static const mbs_class model_class = {.name = "model", .doc = "A multibody system.", .fields = model_fields};

const mbs_class *mbs_class_model(void) { return &model_class; }
