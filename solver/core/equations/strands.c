#include "equations/strands.h"

#include "base/rotation.h"
#include "equations/forces.h"
#include "equations/slip.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* theory (22.2) */
bool mbs_tangent(const double d[3], double c1, double c2, double u[3], double *L) {
  const double e = c2 - c1, square = mbs_dot(d, d);
  *L = sqrt(square - e * e);
  /* u = (L d - e perp(d)) / d.d */
  u[0] = (*L * d[0] + e * d[1]) / square;
  u[1] = (*L * d[1] - e * d[0]) / square;
  u[2] = *L * d[2] / square;
  return square > e * e;
}

static const mbs_strand_constants *numbers_of(const mbs_system *system, int strand) {
  return &system->constants->strands[strand];
}

/* Motion of the centre of an element. */
typedef struct centre {
  double r[3], v[3], a[3]; /* a for V' = beta */
  double w, alpha;         /* angular velocity and acceleration of the body, about the plane's normal */
} centre;

static centre centre_of(const mbs_system *system, const mbs_strand *strand, int end, double arm[3]) {
  centre out;
  mbs_rigid_motion motion;
  double spin[3];
  system->model->kernels->motion(system, strand->body[end], &motion);
  system->model->kernels->to_global(system, strand->body[end], system->constants->points[strand->point[end]], arm);
  if (system->model->dim == 2) arm[2] = 0;
  mbs_cross(motion.w, arm, spin);
  for (int k = 0; k < 3; k++) {
    out.r[k] = motion.r[k] + arm[k];
    out.v[k] = motion.v[k] + spin[k];
    out.a[k] = motion.a[k];
  }
  mbs_add_cross(motion.alpha, arm, out.a);
  mbs_add_cross(motion.w, spin, out.a);
  out.w = motion.w[2];
  out.alpha = motion.alpha[2];
  return out;
}

void mbs_strand_at(const mbs_system *system, int strand, mbs_strand_state *out) {
  const mbs_strand *self = &system->model->strands[strand];
  const mbs_strand_constants *numbers = numbers_of(system, strand);
  const bool planar = system->model->dim == 2;
  double d[3], along = 0, square = 0;
  const centre first = centre_of(system, self, 0, out->arm[0]), second = centre_of(system, self, 1, out->arm[1]);
  for (int k = 0; k < 3; k++) d[k] = second.r[k] - first.r[k];
  if (!mbs_tangent(d, numbers->c[0], numbers->c[1], out->u, &out->L)) out->L = out->u[0] = out->u[1] = NAN;
  out->b = atan2(out->u[1], out->u[0]);
  if (self->turn >= 0) out->b = mbs_unwrap_angle(out->b, system->strand_angles[self->turn]);
  /* u.d', d'.d' */
  for (int k = 0; k < 3; k++) {
    const double rate = second.v[k] - first.v[k];
    along += out->u[k] * rate;
    square += rate * rate;
  }
  /* b' = perp(u).d' / L */
  out->turn = (out->u[0] * (second.v[1] - first.v[1]) - out->u[1] * (second.v[0] - first.v[0])) / out->L;
  /* Phi'' = u.d'' + (d'.d' - (u.d')^2) / L + c2 psi2'' - c1 psi1'' */
  out->value = out->L - numbers->start;
  out->rate = along;
  out->bias = (square - along * along) / out->L;
  for (int k = 0; k < 3; k++) out->bias += out->u[k] * (second.a[k] - first.a[k]);
  const centre *ends[] = {&first, &second};
  for (int end = 0; end < 2 && planar; end++) {
    const double c = end ? numbers->c[1] : -numbers->c[0];
    out->value -= c * out->b;
    if (!self->grips[end]) continue;
    out->value += c * mbs_planar_angle(system, self->body[end]);
    out->rate += c * ends[end]->w;
    out->bias += c * ends[end]->alpha;
  }
}

void mbs_add_strand_row(const mbs_system *system, const mbs_joint *joint, int strand, double weight,
                        mbs_custom_row *out) {
  const mbs_strand *self = &system->model->strands[strand];
  const mbs_strand_constants *numbers = numbers_of(system, strand);
  mbs_strand_state at;
  mbs_strand_at(system, strand, &at);
  out->value += weight * at.value;
  out->bias += weight * at.bias;
  for (int end = 0; end < 2 && out->D; end++) {
    const double sign = end ? weight : -weight;
    double moment[3];
    mbs_cross(at.arm[end], at.u, moment);
    if (self->grips[end]) moment[2] += numbers->c[end];
    mbs_row_add_wrench(system, joint, self->body[end], sign, at.u, moment, out);
  }
}

void mbs_strand_pull(mbs_system *system, int strand, const mbs_strand_state *at, double T) {
  const mbs_strand *self = &system->model->strands[strand];
  const mbs_strand_constants *numbers = numbers_of(system, strand);
  for (int end = 0; end < 2; end++) {
    const double sign = end ? -T : T;
    double f[3], n[3] = {0, 0, self->grips[end] ? sign * numbers->c[end] : 0};
    for (int k = 0; k < 3; k++) f[k] = sign * at->u[k];
    system->model->kernels->push(system, self->body[end], system->constants->points[self->point[end]], f);
    if (n[2] != 0) system->model->kernels->twist(system, self->body[end], n);
  }
}

void mbs_strand_path_locate(mbs_system *system, const mbs_strand_path *path) {
  double arm[3], d[3], u[3], L;
  for (int k = path->strand0; k < path->strand0 + path->strands; k++) {
    const mbs_strand *strand = &system->model->strands[k];
    const mbs_strand_constants *numbers = numbers_of(system, k);
    const centre first = centre_of(system, strand, 0, arm), second = centre_of(system, strand, 1, arm);
    for (int i = 0; i < 3; i++) d[i] = second.r[i] - first.r[i];
    if (mbs_tangent(d, numbers->c[0], numbers->c[1], u, &L)) continue;
    mbs_position_fault(system, MBS_CONTACT_NOT_UNIQUE, path->name,
                       "two elements of its path are so close that no straight strand touches both");
    return;
  }
}

double mbs_strand_path_length(const mbs_system *system, const mbs_strand_path *path) {
  const mbs_strand_path_constants *numbers = &system->constants->paths[path - system->model->paths];
  double sum = numbers->closing, first = 0, last = 0;
  for (int k = 0; k < path->strands; k++) {
    const mbs_strand_constants *strand = numbers_of(system, path->strand0 + k);
    mbs_strand_state at;
    mbs_strand_at(system, path->strand0 + k, &at);
    /* L + c (b - b of the strand before) */
    sum += at.L;
    if (k == 0) first = at.b;
    if (k > 0) sum += strand->c[0] * (at.b - last);
    last = at.b;
  }
  return path->closed ? sum + numbers_of(system, path->strand0)->c[0] * (first - last) : sum;
}

/* ---- angles ---------------------------------------------------------------------------------------------------- */

void mbs_strands_start(mbs_system *system) {
  for (size_t s = 0; s < system->model->strand_count; s++)
    if (system->model->strands[s].turn >= 0)
      system->strand_angles[system->model->strands[s].turn] = system->constants->strands[s].angle;
  system->strands_time = system->model->t_start;
}

void mbs_strands_read(const mbs_system *system, int level, double *out) {
  for (size_t s = 0; s < system->model->strand_count; s++) {
    mbs_strand_state at;
    if (system->model->strands[s].turn < 0) continue;
    mbs_strand_at(system, (int)s, &at);
    out[system->model->strands[s].turn] = level ? at.turn : at.b;
  }
}

void mbs_strands_expect(mbs_system *system, const double *angles) {
  memcpy(system->strand_angles, angles, system->model->strand_turns * sizeof *angles);
}

void mbs_strands_remember(mbs_system *system) {
  for (size_t s = 0; s < system->model->strand_count; s++) {
    const int turn = system->model->strands[s].turn;
    mbs_strand_state at;
    if (turn < 0) continue;
    mbs_strand_at(system, (int)s, &at);
    system->strand_angles[turn] = at.b;
    system->strand_rates[turn] = at.turn;
  }
  system->strands_time = system->t;
}

bool mbs_strands_certain(const mbs_system *system) {
  const double h = system->t - system->strands_time;
  for (size_t s = 0; s < system->model->strand_count; s++) {
    const int turn = system->model->strands[s].turn;
    mbs_strand_state at;
    if (turn < 0) continue;
    mbs_strand_at(system, (int)s, &at);
    if (!mbs_turn_certain(at.b - system->strand_angles[turn], h * system->strand_rates[turn], h * at.turn))
      return false;
  }
  return true;
}
