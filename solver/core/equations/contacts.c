/* Contact parameters of curves, carried from state to state. */
#include "equations/contacts.h"

#include <assert.h>

#include "equations/jacobian.h"
#include "kernels/curve.h"
#include "kernels/kernels.h"

void mbs_accept_contacts(mbs_system *system) {
  const mbs_model *model = system->model;
  if (!model->curve_count) return;
  model->kernels->rows(system, MBS_WANT_RHS); /* rates */
  for (size_t c = 0; c < model->curve_count; c++) {
    system->contacts[c].accepted = system->contacts[c].alpha;
    system->contacts[c].accepted_rate = system->contacts[c].rate;
  }
  system->contacts_accepted = true;
  system->contacts_time = system->t;
}

static void second_contact(mbs_system *system, const mbs_joint *joint) {
  static const double at_end = 1e-6;
  bool closed = true, ended = false;
  for (int c = joint->first_curve; c < joint->first_curve + joint->curve_count; c++) {
    const mbs_curve *curve = &system->model->curves[c];
    closed = closed && (curve->period > 0 || curve->ends);
    ended = ended || mbs_curve_end_distance(curve, system->contacts[c].alpha) < at_end;
  }
  mbs_position_fault(system, MBS_CONTACT_NOT_UNIQUE, joint->name,
                     ended    ? "the contact moves past an end of the curve's range"
                     : closed ? "the curve touches the other side at a second point"
                              : "the curve touches the other side at a second point; limit its 'range' of alpha if "
                                "that part must not touch");
}

size_t mbs_count_margins(const mbs_model *model) {
  size_t count = 0;
  for (size_t j = 0; j < model->joint_count; j++) count += model->joints[j].cls->margin != NULL;
  return count;
}

void mbs_read_margins(const mbs_system *system, double *margins) {
  const mbs_model *model = system->model;
  for (size_t j = 0; j < model->joint_count; j++)
    if (model->joints[j].cls->margin) *margins++ = model->joints[j].cls->margin(system, &model->joints[j]);
}

mbs_status mbs_fail_margin(mbs_system *system, size_t index) {
  const mbs_joint *joint = system->model->joints;
  assert(index < mbs_count_margins(system->model));
  while (!joint->cls->margin || index-- > 0) joint++;
  second_contact(system, joint);
  return system->fault.status;
}

mbs_status mbs_check_contacts(mbs_system *system) {
  const mbs_model *model = system->model;
  for (size_t j = 0; j < model->joint_count && model->curve_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (joint->cls->margin && joint->cls->margin(system, joint) < 0) second_contact(system, joint);
  }
  return system->fault.status;
}
