/* Finds degrees of freedom that no driver moves: the independent coordinates of a partition. A body without joints is
 * named as a whole. */
#include "run/undriven.h"

#include "constraints/partition.h"
#include "run/names.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

enum { COORDINATES_NAMED = 4, UNDRIVEN_TEXT = 320 };

static bool is_connected(const mbs_model *model, int body) {
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    bool tied = !joint->cls->row && (joint->frames.body1 == body || joint->frames.body2 == body);
    for (int b = 0; b < joint->body_count; b++) tied |= joint->bodies[b] == body;
    if (tied) return true;
  }
  return false;
}

/* Lists the bodies that no joint connects and no driver holds, and clears `free` of their velocities. Returns the
 * number of these velocities. */
static size_t take_loose_bodies(const mbs_model *model, bool *free, mbs_name_list *list) {
  size_t count = 0;
  for (size_t i = 0; i < model->nB; i++) {
    int body = model->user_body[i];
    bool whole = !is_connected(model, body);
    for (int k = model->first_v[body]; k < model->first_v[body + 1]; k++) whole = whole && free[k];
    if (!whole) continue;
    mbs_name_list_add(list, model->bodies[body].name);
    for (int k = model->first_v[body]; k < model->first_v[body + 1]; k++, count++) free[k] = false;
  }
  return count;
}

/* Returns the name of the coordinate of velocity k of the document, or that of the velocity if there is none. */
static const char *coordinate_name(const mbs_report *report, size_t k) {
  return report->coordinates == report->velocities ? report->coordinate_labels[k] : report->velocity_labels[k];
}

/* Returns the name of a joint between the ground and a body whose only coordinate determines the only degree of freedom
 * that is left; NULL if there is none. Usually a motor drives such a joint. */
static const char *find_ground_joint(mbs_run_state *run, mbs_partition *partition) {
  const mbs_model *model = run->model;
  double u[1] = {1}, *v = mbs_arena_alloc(run->system->arena, model->nv, sizeof *v);
  if (!v || partition->independent != 1 || partition->held) return NULL;
  mbs_partition_factor(partition, run->system);
  mbs_partition_spread(partition, run->system, u, v);
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    const int body = joint->frames.body1 == 0 ? joint->frames.body2 : joint->frames.body1;
    const bool grounded = body > 0 && (joint->frames.body1 == 0 || joint->frames.body2 == 0);
    const bool moves_body = joint->in_tree || model->body_formulation;
    if (!grounded || !moves_body || joint->shape->coordinate_count != 1) continue;
    for (int k = model->first_v[body]; k < model->first_v[body + 1]; k++)
      if (v[k] * v[k] > DBL_EPSILON) return joint->name;
  }
  return NULL;
}

mbs_status mbs_run_find_undriven(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_report *report = &run->result->report;
  mbs_partition partition;
  char bodies[UNDRIVEN_TEXT / 2], others[UNDRIVEN_TEXT / 2], text[UNDRIVEN_TEXT + 64];
  if (run->quiet || report->velocity_freedoms <= 0) return MBS_OK;
  if (model->asked != MBS_KINEMATICS && model->asked != MBS_INVERSE_DYNAMICS) return MBS_OK;
  bool *free = mbs_arena_alloc(run->system->arena, model->nv, sizeof *free);
  if (!free || !mbs_partition_open(&partition, run->system)) return MBS_NO_MEMORY;
  mbs_status status = mbs_partition_choose(&partition, run->system, false);
  if (status != MBS_OK) return status;
  for (size_t k = 0; k < partition.independent; k++) free[partition.order[partition.dependent + k]] = true;
  mbs_name_list loose = mbs_name_list_open(bodies, sizeof bodies);
  mbs_name_list other_list = mbs_name_list_open(others, sizeof others);
  size_t count = take_loose_bodies(model, free, &loose);
  for (size_t i = 0; i < model->nv; i++) {
    if (!free[model->user_v[i]]) continue;
    if (other_list.count < COORDINATES_NAMED)
      mbs_name_list_add_plain(&other_list, coordinate_name(report, i));
    else
      other_list.count++;
  }
  mbs_name_list_close(&other_list);
  const char *joint = loose.count ? NULL : find_ground_joint(run, &partition);
  if (loose.count)
    snprintf(text, sizeof text, "%zu of body %s, which no joint connects%s%s", count, mbs_name_list_close(&loose),
             other_list.count ? ", and " : "", others);
  else if (joint)
    snprintf(text, sizeof text, "%s, which a driver of joint '%.60s' determines", others, joint);
  else
    snprintf(text, sizeof text, "%s", others);
  report->undriven = mbs_arena_text(run->result->arena, text);
  return report->undriven ? MBS_OK : MBS_NO_MEMORY;
}
