/* The equilibrium of the report: coordinates, poses of the bodies, states. */
#include "run/found_equilibrium.h"

#include "initial/relative_pose.h"
#include "results/columns.h"

#include <string.h>

mbs_status mbs_report_equilibrium(mbs_run_state *run) {
  const mbs_model *model = run->model;
  const mbs_system *system = run->system;
  mbs_arena *arena = run->result->arena;
  mbs_found_equilibrium *out = mbs_arena_alloc(arena, 1, sizeof *out);
  if (!out) return MBS_NO_MEMORY;
  *out = (mbs_found_equilibrium){.q = mbs_arena_alloc(arena, model->nq + 1, sizeof *out->q),
                                 .poses = mbs_arena_alloc(arena, model->nB + 1, sizeof *out->poses),
                                 .state_labels = mbs_state_labels(model, arena),
                                 .x = mbs_arena_alloc(arena, model->nz + 1, sizeof *out->x),
                                 .states = model->nz};
  if (!out->q || !out->poses || !out->state_labels || !out->x) return MBS_NO_MEMORY;
  for (size_t i = 0; i < model->nq; i++) out->q[i] = run->q[model->user_q[i]];
  for (size_t b = 0; b < model->nB; b++) {
    mbs_pose pose;
    mbs_read_pose(system, model->user_body[b], &pose);
    out->poses[b].body = mbs_arena_text(arena, model->bodies[model->user_body[b]].name);
    if (!out->poses[b].body) return MBS_NO_MEMORY;
    memcpy(out->poses[b].position, pose.r, sizeof pose.r);
    out->poses[b].angle = pose.angle;
    memcpy(out->poses[b].p, pose.p, sizeof pose.p);
  }
  memcpy(out->x, system->z, model->nz * sizeof *out->x);
  run->result->report.equilibrium = out;
  return MBS_OK;
}
