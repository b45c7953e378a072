/* Labels and units of the columns of a study. */
#include "study/study_info.h"

#include "model/plan.h"
#include "model/quantities.h"
#include "study/run_batch.h"

/* Returns the unit of an output: the unit that the document gives for its sensor, otherwise that of the expression if
 * it is certain; for integrals multiplied by s. */
static const char *unit_of(const mbs_model *model, const mbs_planned_output *output, mbs_arena *arena) {
  static const mbs_dimension time = MBS_DIMENSION_TIME;
  if (output->take == MBS_REDUCE_TIME_OF_MIN || output->take == MBS_REDUCE_TIME_OF_MAX) return "s";
  if (output->take != MBS_REDUCE_INTEGRAL && output->unit[0]) return output->unit;
  if (!output->of || output->unit[0]) return "";
  mbs_dimension dimension = mbs_law_dimension(model, output->of, arena);
  if (output->take == MBS_REDUCE_INTEGRAL) dimension = mbs_dimension_product(dimension, time, 1);
  return mbs_dimension_text(dimension, arena);
}

bool mbs_study_outline_of(const mbs_model *model, mbs_arena *arena, mbs_study_outline *outline) {
  const struct mbs_plan *plan = model->plan;
  const char **parameters = mbs_arena_alloc(arena, plan->vary_count + 1, sizeof *parameters),
             **outputs = mbs_arena_alloc(arena, plan->shown_count + 1, sizeof *outputs),
             **units = mbs_arena_alloc(arena, plan->shown_count + 1, sizeof *units),
             **parameter_units = mbs_arena_alloc(arena, plan->vary_count + 1, sizeof *parameter_units);
  if (!parameters || !outputs || !units || !parameter_units) return false;
  for (size_t i = 0; i < plan->vary_count; i++) {
    const mbs_parameter *parameter = &model->parameters[plan->vary[i].parameter];
    parameters[i] = parameter->name;
    parameter_units[i] = parameter->unit ? mbs_dimension_text(parameter->of.dimension, arena) : "";
    if (!parameter_units[i]) return false;
  }
  for (size_t i = 0; i < plan->shown_count; i++) {
    outputs[i] = plan->outputs[i].name;
    units[i] = unit_of(model, &plan->outputs[i], arena);
    if (!units[i]) return false;
  }
  const bool plain = plan->purpose == MBS_PURPOSE_RUNS && !plan->gradient;
  *outline = (mbs_study_outline){.runs = plan->runs,
                                 .parameters = plan->vary_count,
                                 .outputs = plan->shown_count,
                                 .gradient = plan->gradient,
                                 .parameter_labels = parameters,
                                 .parameter_units = parameter_units,
                                 .output_labels = outputs,
                                 .output_units = units,
                                 .alone = plain ? mbs_runs_unsupported_reason(model) : NULL,
                                 .wall_seconds = plan->wall_seconds,
                                 .wall_name = plan->wall_name};
  return true;
}
