/* Reads a study: the values of its parameters, and the outputs of each run. */
#include "base/message.h"
#include "builder/objective.h"
#include "model/report_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t default_runs = 1000000;
/* Largest number of names that are compared to find the nearest one. */
enum { KNOWN_MAX = 128 };
/* Default of the largest number of trials of optimize and fit. */
static const double local_trials = 500, global_trials = 5000;

static bool is_given(const mbs_node *node, const char *field) { return mbs_read_given(node, field); }

static bool is_drawn(mbs_design_kind design) { return design > MBS_DESIGN_LIST; }

/* Returns an integer within the bounds of its field; `fallback` if it is not given, or after a report. */
static double read_count(mbs_builder *builder, const mbs_node *node, const char *field, double fallback) {
  size_t before = builder->list->count;
  if (!is_given(node, field)) return fallback;
  double value = mbs_read_number(mbs_numbers_of(builder), node, field);
  if (builder->list->count != before) return fallback;
  if (value == floor(value) && value < 9.1e15) return value;
  mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, field)->pointer,
               "%s must be a whole number, not %g", field, value);
  return fallback;
}

/* ---- varied values -------------------------------------------------------------------------------------------- */

/* Reads a value of the varied parameter: a number in SI, or one with a unit of the parameter's dimension. */
static double read_own(mbs_builder *builder, const mbs_node *node, const mbs_vary *vary, const char *name, size_t i) {
  mbs_field field = *mbs_field_of(node, name);
  if (vary->parameter >= 0) field.unit = builder->model->parameters[vary->parameter].unit;
  return mbs_read_item(mbs_numbers_of(builder), &field, mbs_read_value(node, name), i);
}

/* Reads both ends of a range, bounds, or the numbers of a distribution, if given. */
static void read_pair(mbs_builder *builder, const mbs_node *node, const mbs_vary *vary, const char *name,
                      double out[2]) {
  const mbs_value *value = mbs_read_value(node, name);
  for (size_t i = 0; value->given && i < value->count && i < 2; i++) out[i] = read_own(builder, node, vary, name, i);
}

void mbs_read_values(mbs_builder *builder, const mbs_node *node, mbs_vary *vary) {
  const mbs_value *values = mbs_read_value(node, "values");
  vary->count = values->count;
  vary->values = mbs_builder_alloc(builder, values->count, sizeof *vary->values);
  for (size_t i = 0; vary->values && i < values->count; i++)
    vary->values[i] = read_own(builder, node, vary, "values", i);
}

void mbs_read_range(mbs_builder *builder, const mbs_node *node, mbs_vary *vary) {
  static const char *const ends[] = {"from", "to"};
  double *const out[] = {&vary->low, &vary->high};
  const size_t stand_ins = builder->binder.stand_ins, before = builder->list->count;
  const bool complete = is_given(node, "from") && is_given(node, "to") && is_given(node, "count");
  if (!complete && !mbs_read_refused(node, "from") && !mbs_read_refused(node, "to") && !mbs_read_refused(node, "count"))
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer,
                 "'from', 'to' and 'count' must be given together; '%s' is missing",
                 !is_given(node, "from") ? "from"
                 : !is_given(node, "to") ? "to"
                                         : "count");
  vary->logarithmic = mbs_read_choice(node, "scale") == 1;
  if (is_given(node, "count")) vary->count = (size_t)read_count(builder, node, "count", 1);
  for (int k = 0; k < 2; k++) {
    if (!is_given(node, ends[k])) continue;
    *out[k] = read_own(builder, node, vary, ends[k], 0);
    if (vary->logarithmic && builder->binder.stand_ins == stand_ins && !(*out[k] > 0))
      mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, ends[k])->pointer,
                   "'%s' must be greater than 0 for the scale \"log\", not %g", ends[k], *out[k]);
  }
  if (complete && builder->binder.stand_ins == stand_ins && builder->list->count == before && vary->count == 1 &&
      vary->low != vary->high)
    mbs_diagnose(
        builder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "count")->pointer,
        "one value cannot cover the range from %g to %g; use a 'count' of at least 2, or give \"values\": [%g]",
        vary->low, vary->high, vary->low);
}

static void read_normal(mbs_builder *builder, const mbs_node *node, mbs_vary *vary) {
  double numbers[2] = {0, 1};
  char pointer[MBS_POINTER_SIZE];
  const size_t stand_ins = builder->binder.stand_ins;
  read_pair(builder, node, vary, "normal", numbers);
  vary->mean = numbers[0];
  vary->deviation = numbers[1];
  if (vary->deviation > 0 || builder->binder.stand_ins != stand_ins) return;
  mbs_item_pointer(mbs_read_value(node, "normal"), 1, pointer);
  mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, pointer, "a standard deviation must be greater than 0, not %g",
               vary->deviation);
}

static void read_uniform(mbs_builder *builder, const mbs_node *node, mbs_vary *vary) {
  double numbers[2] = {0, 1};
  const size_t stand_ins = builder->binder.stand_ins;
  read_pair(builder, node, vary, "uniform", numbers);
  vary->low = numbers[0];
  vary->high = numbers[1];
  if (!(vary->low < vary->high) && builder->binder.stand_ins == stand_ins)
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "uniform")->pointer,
                 "a uniform distribution must go from a smaller to a larger value, not from %g to %g", vary->low,
                 vary->high);
}

/* Kinds of values, by the field that selects each. */
static const struct {
  const char *field;
  mbs_vary_kind kind;
  bool drawn;
  void (*read)(mbs_builder *, const mbs_node *, mbs_vary *);
} kinds[] = {{"values", MBS_VARY_VALUES, false, mbs_read_values},
             {"from", MBS_VARY_RANGE, false, mbs_read_range},
             {"normal", MBS_VARY_NORMAL, true, read_normal},
             {"uniform", MBS_VARY_UNIFORM, true, read_uniform}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void read_kind(mbs_builder *builder, const mbs_node *node, mbs_design_kind design, mbs_vary *vary) {
  int found = -1, count = 0;
  bool range = is_given(node, "to") || is_given(node, "count") || is_given(node, "scale");
  for (int k = 0; k < KINDS; k++) {
    bool given = is_given(node, kinds[k].field) || (kinds[k].kind == MBS_VARY_RANGE && range);
    count += given;
    found = given && found < 0 ? k : found;
  }
  if (count > 1) {
    mbs_diagnose(builder->list, MBS_INVALID, node->pointer,
                 "give only one of 'values', or 'from', 'to' and 'count', or 'normal', or 'uniform'");
    for (int k = 0; k < KINDS; k++)
      if (is_given(node, kinds[k].field)) kinds[k].read(builder, node, vary);
  } else if (count == 1) {
    if (kinds[found].drawn != is_drawn(design))
      mbs_diagnose(builder->list, MBS_INVALID, node->pointer,
                   kinds[found].drawn
                       ? "'%s' needs the design random, latin-hypercube or sobol; set \"design\""
                       : "'%s' needs the design grid or list; the other designs draw from 'normal' or 'uniform'",
                   kinds[found].field);
    const size_t before = builder->list->count;
    kinds[found].read(builder, node, vary);
    /* after an error in a range the number of its values is not known */
    const bool known = kinds[found].kind != MBS_VARY_RANGE || builder->list->count == before;
    vary->kind = known ? kinds[found].kind : MBS_VARY_NOMINAL;
    if (!known) vary->count = 1;
  }
}

/* Reads the bounds and the start for optimize and fit. */
static void read_bounds(mbs_builder *builder, const mbs_node *node, mbs_vary *vary) {
  const mbs_value *given = mbs_read_value(node, "bounds");
  double ends[2] = {-INFINITY, INFINITY};
  const size_t stand_ins = builder->binder.stand_ins;
  if (given->given) read_pair(builder, node, vary, "bounds", ends);
  const bool right = builder->binder.stand_ins == stand_ins;
  if (right && !(ends[0] < ends[1]))
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, given->pointer,
                 "bounds must go from a smaller to a larger value, not from %g to %g", ends[0], ends[1]);
  vary->least = ends[0];
  vary->most = ends[1];
  vary->start = vary->low; /* value of the document */
  if (is_given(node, "start")) {
    vary->start = read_own(builder, node, vary, "start", 0);
    if (builder->binder.stand_ins == stand_ins && (vary->start < ends[0] || vary->start > ends[1]))
      mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "start")->pointer,
                   "the start %g is outside its bounds, %g to %g", vary->start, ends[0], ends[1]);
  } else if (!(vary->start >= ends[0] && vary->start <= ends[1])) {
    vary->start = isinf(ends[0]) ? ends[1] : isinf(ends[1]) ? ends[0] : 0.5 * ends[0] + 0.5 * ends[1];
  }
}

/* Checks that values, distributions and bounds fit the purpose of the study. */
static void read_sought(mbs_builder *builder, const mbs_node *node, const struct mbs_plan *plan, mbs_vary *vary) {
  bool bounded = is_given(node, "bounds") || is_given(node, "start");
  if (plan->purpose == MBS_PURPOSE_RUNS) {
    if (bounded)
      mbs_diagnose(builder->list, MBS_INVALID, node->pointer,
                   "'bounds' and 'start' apply to optimize and fit only; give 'values', or 'from', 'to' and 'count'");
    read_kind(builder, node, plan->design, vary);
    return;
  }
  static const char *const others[] = {"values", "from", "to", "count", "scale", "normal", "uniform"};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (is_given(node, others[k])) {
      mbs_diagnose(builder->list, MBS_INVALID, node->pointer,
                   "'%s' applies to studies with given values only; for optimize and fit, give 'bounds' and 'start'",
                   others[k]);
      break;
    }
  read_bounds(builder, node, vary);
  if (plan->objective.method == MBS_SEARCH_GLOBAL && !(isfinite(vary->least) && isfinite(vary->most)))
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "the global method needs the 'bounds' of each parameter");
}

static void read_parameter(mbs_builder *builder, const mbs_node *node, struct mbs_plan *plan, size_t i) {
  const char *name = mbs_read_text(node, "parameter");
  const mbs_value *value = mbs_read_value(node, "parameter");
  mbs_vary *vary = &plan->vary[i];
  if (!name) return; /* reported by the reader */
  vary->parameter = mbs_names_find(&builder->parameter_names, name);
  if (vary->parameter < 0) {
    mbs_unknown_name(builder, &builder->parameter_names, "parameter", name, value->pointer);
    return;
  }
  const mbs_parameter *parameter = &builder->model->parameters[vary->parameter];
  vary->low = parameter->value;
  for (size_t k = 0; k < i; k++)
    if (plan->vary[k].parameter == vary->parameter)
      mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, value->pointer, "parameter '%s' is already varied", name);
  if (!mbs_parameter_has_use(builder, vary->parameter, MBS_USED))
    mbs_diagnose(builder->list, MBS_NO_EFFECT, value->pointer,
                 "the parameter '%s' has no effect: neither the model nor the analysis nor an output depends on it",
                 name);
}

/* ---- number of runs ------------------------------------------------------------------------------------------- */

/* Returns the pointer of a field, or where the document has not got it, that of its object. */
static const char *pointer_of(const mbs_node *node, const char *field) {
  const char *own = mbs_read_value(node, field)->pointer;
  return own ? own : node->pointer;
}

static void check_count(mbs_builder *builder, const char *pointer, double runs) {
  size_t limit = builder->model->limits.runs, most = limit ? limit : default_runs;
  if (runs <= (double)most) return;
  mbs_diagnose(builder->list, MBS_TOO_LARGE, pointer, "this study has %.0f runs; at most %zu are allowed%s%s", runs,
               most, builder->model->limits.runs_name ? ": " : "",
               builder->model->limits.runs_name ? builder->model->limits.runs_name : "");
}

/* Checks the size of the arrays, which have one row per run: parameters, outputs, their gradient and a status. */
static void check_bytes(mbs_builder *builder, const char *pointer, size_t outputs, const struct mbs_plan *plan) {
  const mbs_limits *limits = &builder->model->limits;
  double gradient = plan->gradient ? (double)outputs * (double)plan->vary_count : 0;
  double bytes = (double)plan->runs * ((double)(plan->vary_count + outputs + 1) + gradient) * sizeof(double);
  if (limits->result_bytes == 0 || bytes <= (double)limits->result_bytes) return;
  mbs_diagnose(builder->list, MBS_TOO_LARGE, pointer,
               "the results of %zu runs need %.0f bytes; at most %zu are allowed%s%s; use fewer runs or outputs",
               plan->runs, bytes, limits->result_bytes, limits->result_name ? ": " : "",
               limits->result_name ? limits->result_name : "");
}

static double count_list(mbs_builder *builder, const mbs_value *nodes, const struct mbs_plan *plan) {
  const mbs_vary *first = NULL;
  for (size_t i = 0; i < plan->vary_count; i++) {
    const mbs_vary *vary = &plan->vary[i];
    if (vary->kind == MBS_VARY_NOMINAL) continue;
    if (first && vary->count != first->count)
      mbs_diagnose(builder->list, MBS_INVALID,
                   vary->kind == MBS_VARY_VALUES ? mbs_read_value(&nodes->nodes[i], "values")->pointer
                                                 : mbs_read_value(&nodes->nodes[i], "count")->pointer,
                   "the parameters of a list need the same number of values: %zu here, %zu of '%s'", vary->count,
                   first->count, builder->model->parameters[first->parameter].name);
    first = first ? first : vary;
  }
  return first ? (double)first->count : 1;
}

/* Reads the largest number of trials of optimize and fit; each trial is at least one run. */
static void read_trial_limit(mbs_builder *builder, const mbs_node *node, struct mbs_plan *plan) {
  double fallback = plan->objective.method == MBS_SEARCH_GLOBAL ? global_trials : local_trials;
  double runs = read_count(builder, node, "runs", fallback);
  check_count(builder, pointer_of(node, "runs"), runs);
  plan->runs = runs < 1e9 ? (size_t)runs : 0;
}

static void count_runs(mbs_builder *builder, const mbs_node *node, struct mbs_plan *plan) {
  const mbs_value *vary = mbs_read_value(node, "vary"), *given = mbs_read_value(node, "runs");
  double runs = 1;
  if (is_drawn(plan->design)) {
    if (!given->given && !given->pointer) {
      char pointer[MBS_POINTER_SIZE];
      snprintf(pointer, sizeof pointer, "%s/runs", node->pointer);
      mbs_diagnose(builder->list, MBS_MISSING, pointer, "give 'runs', the number of runs to draw");
      return;
    }
    size_t drawn = 0;
    for (size_t i = 0; i < plan->vary_count; i++) drawn += plan->vary[i].kind != MBS_VARY_NOMINAL;
    if (plan->design == MBS_DESIGN_SOBOL && drawn > MBS_SOBOL_DIMENSIONS)
      mbs_diagnose(builder->list, MBS_TOO_LARGE, mbs_read_value(node, "design")->pointer,
                   "sobol draws at most %d parameters, not %zu; latin-hypercube draws any number of them",
                   MBS_SOBOL_DIMENSIONS, drawn);
    runs = read_count(builder, node, "runs", 1);
    check_count(builder, given->pointer, runs);
  } else {
    if (plan->design == MBS_DESIGN_LIST) runs = count_list(builder, vary, plan);
    for (size_t i = 0; plan->design == MBS_DESIGN_GRID && i < plan->vary_count; i++)
      runs *= (double)plan->vary[i].count;
    check_count(builder, vary->pointer, runs);
    /* if values are drawn here, the design is wrong, which was reported */
    bool any_drawn = false;
    for (size_t i = 0; i < plan->vary_count; i++) any_drawn = any_drawn || plan->vary[i].kind > MBS_VARY_RANGE;
    double asked = read_count(builder, node, "runs", runs);
    if (asked != runs && !any_drawn)
      mbs_diagnose(builder->list, MBS_INVALID, given->pointer,
                   "the values of the parameters give %.0f runs, not %.0f; remove 'runs'", runs, asked);
  }
  plan->runs = runs < 1e15 ? (size_t)runs : 0;
  check_bytes(builder, given->pointer ? given->pointer : pointer_of(node, "vary"),
              mbs_read_value(node, "outputs")->count, plan);
}

/* ---- outputs --------------------------------------------------------------------------------------------------- */

/* Returns the number in a text "name[3]part", from 1; 0 if the text has another form. */
static size_t numbered(const char *text, const char *name, const char *part) {
  size_t length = strlen(name);
  char *end;
  if (strncmp(text, name, length) != 0 || text[length] != '[') return 0;
  if (text[length + 1] < '0' || text[length + 1] > '9') return 0;
  unsigned long number = strtoul(text + length + 1, &end, 10);
  return *end == ']' && strcmp(end + 1, part) == 0 ? number : 0;
}

/* Quantities of modes, with their notation. */
static const struct {
  const char *name, *part, *unit;
  mbs_mode_quantity quantity;
} mode_quantities[] = {{"frequencies", "", "Hz", MBS_MODE_FREQUENCY},
                       {"damping_ratios", "", "", MBS_MODE_DAMPING_RATIO},
                       {"eigenvalues", ".re", "1/s", MBS_MODE_REAL},
                       {"eigenvalues", ".im", "1/s", MBS_MODE_IMAGINARY}};
enum { MODE_QUANTITIES = sizeof mode_quantities / sizeof *mode_quantities };

/* Returns true if a text contains the name of a mode quantity in a wrong form. */
static bool is_nearly_mode(const mbs_builder *builder, const char *text) {
  for (size_t k = 0; text && k < MODE_QUANTITIES; k++) {
    const char *name = mode_quantities[k].name, *at = strstr(text, name);
    const size_t length = strlen(name);
    if (at && (at[length] == '[' || (at == text && !at[length])) && !mbs_find_parameter(builder, name)) return true;
  }
  return false;
}

static bool read_mode_output(mbs_builder *builder, const char *text, const char *pointer, mbs_planned_output *output) {
  for (size_t k = 0; text && k < MODE_QUANTITIES; k++) {
    size_t number = numbered(text, mode_quantities[k].name, mode_quantities[k].part);
    if (number == 0) continue;
    output->mode = mode_quantities[k].quantity;
    output->number = number - 1;
    output->unit = mode_quantities[k].unit;
    if (builder->model->type != MBS_LINEARIZATION)
      mbs_diagnose(builder->list, MBS_INVALID, pointer, "'%s' is available in a linearization only", text);
    return true;
  }
  if (!is_nearly_mode(builder, text)) return false;
  mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, pointer,
               "'%.200s' is not a quantity of a mode; write one quantity without operators, with modes numbered from "
               "1: frequencies[1], damping_ratios[1], eigenvalues[1].re or eigenvalues[1].im",
               text);
  return true;
}

void mbs_check_modes(mbs_builder *builder) {
  const mbs_model *model = builder->model;
  const struct mbs_plan *plan = model->plan;
  for (size_t i = 0; plan && i < plan->output_count; i++) {
    const mbs_planned_output *output = &plan->outputs[i];
    char pointer[MBS_POINTER_SIZE];
    snprintf(pointer, sizeof pointer, "%s/of", output->pointer);
    if (output->mode && output->number >= 2 * model->nv)
      mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, pointer,
                   "there is no mode %zu: with %zu coordinate%s there are at most %zu modes", output->number + 1,
                   model->nv, model->nv == 1 ? "" : "s", 2 * model->nv);
  }
}

static const mbs_sensor *find_sensor(const mbs_model *model, const char *name) {
  for (size_t s = 0; name && s < model->sensor_count; s++)
    if (strcmp(model->sensors[s].name, name) == 0) return &model->sensors[s];
  return NULL;
}

/* Appends the nearest sensor or mode quantity to the report of an output. */
static void suggest_name(const mbs_builder *builder, const char *text, mbs_error *report) {
  static const char *const modes[] = {"frequencies[1]", "damping_ratios[1]", "eigenvalues[1].re", "eigenvalues[1].im"};
  const mbs_model *model = builder->model;
  const char *known[KNOWN_MAX];
  size_t count = 0, length = strlen(report->message);
  for (size_t i = 0; i < model->sensor_count; i++) {
    if (!strchr(model->sensors[i].name, ' ') || !strstr(text, model->sensors[i].name)) continue;
    mbs_message(report->message, sizeof report->message,
                "in '%.200s' the sensor '%.100s' has a blank in its name, so no expression can contain it; rename it",
                text, model->sensors[i].name);
    return;
  }
  for (size_t k = 0; k < 4 && model->type == MBS_LINEARIZATION; k++) known[count++] = modes[k];
  for (size_t s = 0; s < model->sensor_count && count < KNOWN_MAX; s++) known[count++] = model->sensors[s].name;
  const char *nearest = mbs_too_many_errors(builder) ? NULL : mbs_nearest(text, known, count);
  if (nearest && !strstr(report->message, "did you mean"))
    snprintf(report->message + length, sizeof report->message - length, "; did you mean '%.60s'?", nearest);
}

void mbs_read_output_quantity(mbs_builder *builder, const mbs_node *node, mbs_planned_output *output) {
  const mbs_value *of = mbs_read_value(node, "of");
  const char *text = of->count ? of->scalars[0].text : NULL;
  const mbs_sensor *sensor = find_sensor(builder->model, text);
  output->unit = sensor ? sensor->unit : "";
  output->of = sensor ? &sensor->law : &output->own;
  if (sensor || !of->given) return;
  const size_t before = builder->list->count;
  if (read_mode_output(builder, text, of->pointer, output)) {
    output->of = NULL;
    return;
  }
  mbs_read_field_law(builder, node, "of", MBS_SCOPE_ALL, NULL, &output->own);
  if (text && builder->list->count > before) suggest_name(builder, text, &builder->list->items[before]);
}

void mbs_check_instant(mbs_builder *builder, double t, const char *pointer) {
  const mbs_model *model = builder->model;
  const double rounding = mbs_time_resolution(model);
  if (builder->times_known && !(t >= model->t_start - rounding && t <= model->t_end + rounding))
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, pointer, "the run covers t = %g to %g, which does not include t = %g",
                 model->t_start, model->t_end, t);
}

/* Reports a field that is given without the field that it needs. */
static void check_goes_with(mbs_builder *builder, const mbs_node *node, const char *field, bool there,
                            const char *with) {
  if (is_given(node, field) && !there)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, field)->pointer, "'%s' needs %s", field, with);
}

/* Reads the time of "take": "at". */
static void read_instant(mbs_builder *builder, const mbs_node *node, mbs_planned_output *output) {
  const bool at = is_given(node, "at"), when = is_given(node, "when"), takes_at = output->take == MBS_REDUCE_AT;
  const bool maybe_at = takes_at || mbs_read_refused(node, "take"), maybe_when = when || mbs_read_refused(node, "when");
  check_goes_with(builder, node, "at", maybe_at, "\"take\": \"at\"");
  check_goes_with(builder, node, "when", maybe_at, "\"take\": \"at\"");
  check_goes_with(builder, node, "direction", maybe_when, "'when'");
  check_goes_with(builder, node, "count", maybe_when, "'when'");
  if (takes_at && at && when)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "when")->pointer, "give 'at' or 'when', not both");
  if (takes_at && !at && !when)
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "\"take\": \"at\" needs the time 'at', or 'when'");
  output->direction = (int[]){0, 1, -1}[mbs_read_choice(node, "direction")];
  output->count = (size_t)read_count(builder, node, "count", 1);
  output->has_when = when;
  if (when) mbs_read_field_law(builder, node, "when", MBS_SCOPE_ALL, NULL, &output->when);
  if (!at) return;
  size_t before = builder->list->count;
  mbs_read_field_law(builder, node, "at", MBS_SCOPE_PARAMETERS, NULL, &output->at);
  if (builder->list->count == before) mbs_check_instant(builder, output->at.value, mbs_read_value(node, "at")->pointer);
}

static void read_output(mbs_builder *builder, const mbs_node *node, mbs_names *names, mbs_planned_output *output) {
  const mbs_model *model = builder->model;
  const char *name = mbs_read_text(node, "name");
  bool moves = model->type <= MBS_INVERSE_DYNAMICS;
  *output = (mbs_planned_output){.name = name ? name : "", .pointer = node->pointer};
  output->take = (mbs_reduction)mbs_read_choice(node, "take");
  if (name) mbs_names_add(builder, names, name, "column", mbs_name_pointer(node));
  if (name && mbs_find_parameter(builder, name))
    mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, mbs_name_pointer(node),
                 "'%s' is a parameter; give the output another name", name);
  if (output->take != MBS_REDUCE_FINAL && !moves)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "take")->pointer,
                 "this analysis computes a single state; use \"take\": \"final\"");
  mbs_read_output_quantity(builder, node, output);
  read_instant(builder, node, output);
}

/* Reads the purpose of the study; only one is permitted. */
static void read_purpose(mbs_builder *builder, const mbs_node *node, struct mbs_plan *plan) {
  bool optimize = is_given(node, "optimize") || mbs_read_refused(node, "optimize");
  bool fit = is_given(node, "fit") || mbs_read_refused(node, "fit");
  plan->purpose = optimize ? MBS_PURPOSE_OPTIMIZE : fit ? MBS_PURPOSE_FIT : MBS_PURPOSE_RUNS;
  if (optimize && fit)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "fit")->pointer,
                 "give 'optimize' or 'fit', not both");
  if (plan->purpose == MBS_PURPOSE_RUNS) return;
  if (plan->gradient)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "gradient")->pointer,
                 "optimize and fit compute the derivatives that they need; remove 'gradient'");
  if (is_given(node, "design"))
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "design")->pointer,
                 "optimize and fit choose the parameter values to try; remove 'design'");
}

/* Reads the outputs of the document, and the objective or data. */
static void read_outputs(mbs_builder *builder, const mbs_node *node, struct mbs_plan *plan) {
  const mbs_value *outputs = mbs_read_value(node, "outputs"), *fit = mbs_read_value(node, "fit"),
                  *optimize = mbs_read_value(node, "optimize");
  bool fits = is_given(node, "fit") || mbs_read_refused(node, "fit");
  size_t data = fits && fit->count > 0 ? mbs_count_data(fit->nodes) : 0;
  if (!outputs->given && !outputs->pointer && !fits) /* an empty list was reported */
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer,
                 "missing field 'outputs' of study, the values to keep of each run");
  plan->outputs = mbs_builder_alloc(builder, outputs->count + data + 1, sizeof *plan->outputs);
  plan->data = mbs_builder_alloc(builder, data + 1, sizeof *plan->data);
  if (builder->failed) return;
  mbs_names names = {0};
  plan->output_count = plan->shown_count = outputs->count;
  for (size_t i = 0; i < outputs->count && !builder->failed; i++)
    read_output(builder, &outputs->nodes[i], &names, &plan->outputs[i]);
  mbs_names_free(&names);
  if (plan->purpose == MBS_PURPOSE_OPTIMIZE && optimize->count > 0) mbs_read_objective(builder, optimize->nodes, plan);
  if (fits && fit->count > 0) mbs_read_data(builder, fit->nodes, mbs_read_value(node, "vary")->count, plan);
}

void mbs_read_study(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_node *node = builder->study;
  if (!node) return;
  struct mbs_plan *plan = mbs_builder_alloc(builder, 1, sizeof *plan);
  const mbs_value *vary = mbs_read_value(node, "vary");
  if (!plan) return;
  plan->vary = mbs_builder_alloc(builder, vary->count, sizeof *plan->vary);
  if (builder->failed) return;
  plan->gradient = mbs_read_bool(node, "gradient");
  read_purpose(builder, node, plan);
  read_outputs(builder, node, plan);
  model->plan = plan;
  plan->wall_seconds = builder->host_limits.wall_seconds;
  plan->wall_name = builder->host_limits.wall_name;
  builder->uses_count = false; /* parameters named in the varied values do not count as used */
  plan->design = (mbs_design_kind)mbs_read_choice(node, "design");
  plan->seed = (uint64_t)read_count(builder, node, "seed", 1);
  plan->vary_count = vary->count;
  for (size_t i = 0; i < vary->count && !builder->failed; i++) {
    plan->vary[i] = (mbs_vary){.parameter = -1, .count = 1, .least = -INFINITY, .most = INFINITY};
    read_parameter(builder, &vary->nodes[i], plan, i);
    read_sought(builder, &vary->nodes[i], plan, &plan->vary[i]);
  }
  if (plan->purpose == MBS_PURPOSE_RUNS)
    count_runs(builder, node, plan);
  else
    read_trial_limit(builder, node, plan);
  builder->uses_count = true;
}
