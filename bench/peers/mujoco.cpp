/* mujoco.cpp - MuJoCo beside ours: accelerations, which must agree to 1e-9 where there are no loops, and runs as
 * accurate as each other. Its constraints are soft: with loops it solves another problem, whose distance from ours is
 * told. Run from the top folder of the source. */
#include "peer.hpp"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/* How much of a constraint is enforced: 1 would be all, mjMAXIMP is the most that it takes. */
enum class Softness { least, its_own };

/* Bodies inside each other that its reader of XML takes, at the least (its limit is 100 elements). */
const size_t deepest = 96;

/* How far accelerations may be apart where there are no loops. What MuJoCo factors is the mass matrix of relative
 * angles, whose condition grows with the fourth power of a chain's length. */
double allowed(const peers_mechanism &m) { return m.cut_count ? HUGE_VAL : m.body_count > 32 ? 1e-8 : 1e-9; }

std::string text(double x) {
  char out[32];
  std::snprintf(out, sizeof out, "%.17g", x);
  return out;
}

std::string text(const double *x) { return text(x[0]) + " " + text(x[1]) + " " + text(x[2]); }

std::string body_name(int body) { return body ? "b" + std::to_string(body) : "world"; }

/* ---- the document -------------------------------------------------------------------------------------------- */

/* How a body stands on its parent in state 0. */
void start_on_parent(const peers_mechanism &m, size_t body, mjtNum out[4]) {
  mjtNum back[4];
  mju_negQuat(back, m.states[0][m.bodies[body].joint.body1].p);
  mju_mulQuat(out, back, m.states[0][body].p);
}

/* Bodies hang in each other. All coordinates are zero in state 0: the inertias that softness is counted in are those of
 * that position. */
void write_body(std::ostream &out, const peers_mechanism &m, int number) {
  if (number > 0) {
    const peers_body &body = m.bodies[number];
    const peers_joint &joint = body.joint;
    mjtNum p[4], at[3];
    start_on_parent(m, number, p);
    mju_rotVecQuat(at, joint.at2, p);
    mju_sub3(at, joint.at1, at);
    out << "<body name='" << body_name(number) << "' pos='" << text(at) << "' quat='" << text(p[0]) << " "
        << text(p + 1) << "'><inertial pos='0 0 0' mass='" << text(body.mass) << "' diaginertia='" << text(body.inertia)
        << "'/><joint name='j" << number << "' type='" << (joint.ball ? "ball" : "hinge") << "' pos='"
        << text(joint.at2) << "' axis='" << text(joint.axis) << "'/>";
  }
  for (size_t s = 0; s < m.spring_count; s++) {
    const peers_spring &spring = m.springs[s];
    if (spring.body1 == number) out << "<site name='s" << s << "' pos='" << text(spring.at1) << "'/>";
    if (spring.body2 == number) out << "<site name='t" << s << "' pos='" << text(spring.at2) << "'/>";
  }
  for (size_t b = 1; b <= m.body_count; b++)
    if (m.bodies[b].joint.body1 == number) write_body(out, m, int(b));
  if (number > 0) out << "</body>";
}

std::string write(const peers_mechanism &m, Softness softness) {
  std::ostringstream out;
  out << "<mujoco><compiler angle='radian'/><option gravity='" << text(m.gravity)
      << "' integrator='RK4' solver='Newton'><flag contact='disable' limit='disable' frictionloss='disable'"
      << " actuation='disable'/></option><worldbody>";
  write_body(out, m, 0);
  out << "</worldbody><equality>";
  const std::string most = text(mjMAXIMP);
  for (size_t c = 0; c < m.cut_count; c++) {
    const peers_joint &cut = m.cuts[c];
    const bool grounded = cut.body1 == 0; /* the ground must be the second body */
    out << "<connect body1='" << body_name(grounded ? cut.body2 : cut.body1) << "' body2='"
        << body_name(grounded ? 0 : cut.body2) << "' anchor='" << text(grounded ? cut.at2 : cut.at1) << "'";
    if (softness == Softness::least) out << " solimp='" << most << " " << most << " 0.001'";
    out << "/>";
  }
  out << "</equality><tendon>";
  for (size_t s = 0; s < m.spring_count; s++)
    out << "<spatial stiffness='" << text(m.springs[s].stiffness) << "' springlength='"
        << text(m.springs[s].free_length) << "'><site site='s" << s << "'/><site site='t" << s << "'/></spatial>";
  out << "</tendon></mujoco>";
  return out.str();
}

mjModel *compile(const std::string &document) {
  const std::unique_ptr<mjVFS> files(new mjVFS);
  char error[1000] = "";
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "model.xml", int(document.size()));
  std::memcpy(files->filedata[0], document.data(), document.size());
  mjModel *model = mj_loadXML("model.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(error);
  return model;
}

/* ---- the peer ------------------------------------------------------------------------------------------------ */

class Peer {
public:
  Peer(const peers_mechanism &mechanism, Softness softness);
  ~Peer();
  Peer(const Peer &) = delete;
  Peer &operator=(const Peer &) = delete;
  void evaluate(size_t state);
  double difference(size_t state);
  double simulate(double step, double *centres);

private:
  void set_state(size_t state);
  void set(size_t state);
  int joint(size_t body) const { return mj_name2id(model, mjOBJ_JOINT, ("j" + std::to_string(body)).c_str()); }

  const peers_mechanism &mechanism;
  mjModel *model;
  mjData *data;
  std::vector<double> q[PEERS_STATES], v[PEERS_STATES], wanted[PEERS_STATES]; /* accelerations of ours */
};

/* Coordinates of our bodies' poses, and what they have of our accelerations: of a hinge about its axis u,
 *
 *   v = u.(w2 - w1)             v' = u.(w2' - w1')
 *
 * of a ball, whose velocities are in the axes of its second body,
 *
 *   v = A2' (w2 - w1)           v' = A2' (w2' - w1' - w2 x (w2 - w1)) */
void Peer::set_state(size_t number) {
  q[number].resize(model->nq);
  v[number].resize(model->nv);
  wanted[number].resize(model->nv);
  for (size_t b = 1; b <= mechanism.body_count; b++) {
    const peers_joint &from = mechanism.bodies[b].joint;
    const peers_motion &one = mechanism.states[number][from.body1], &two = mechanism.states[number][from.body2];
    mjtNum back[4], back2[4], on_one[4], start[4], p[4], omega[3], alpha[3], turned[3];
    const int first_q = model->jnt_qposadr[joint(b)], first_v = model->jnt_dofadr[joint(b)];
    mju_negQuat(back, one.p);
    mju_negQuat(back2, two.p);
    mju_mulQuat(on_one, back, two.p);
    start_on_parent(mechanism, b, start);
    mju_negQuat(start, start);
    mju_mulQuat(p, start, on_one);
    mju_sub3(omega, two.omega, one.omega);
    mju_sub3(alpha, two.alpha, one.alpha);
    if (from.ball) {
      mju_cross(turned, two.omega, omega);
      mju_subFrom3(alpha, turned);
      mju_copy4(&q[number][first_q], p);
      mju_rotVecQuat(&v[number][first_v], omega, back2);
      mju_rotVecQuat(&wanted[number][first_v], alpha, back2);
    } else {
      mju_rotVecQuat(turned, from.axis, two.p);
      q[number][first_q] = 2 * std::atan2(mju_dot3(p + 1, from.axis), p[0]);
      v[number][first_v] = mju_dot3(turned, omega);
      wanted[number][first_v] = mju_dot3(turned, alpha);
    }
  }
}

Peer::Peer(const peers_mechanism &mechanism, Softness softness)
    : mechanism(mechanism), model(compile(write(mechanism, softness))), data(mj_makeData(model)) {
  for (size_t t = 0; t < mechanism.torque_count; t++) {
    const peers_torque &torque = mechanism.torques[t];
    mju_copy3(data->xfrc_applied + 6 * mj_name2id(model, mjOBJ_BODY, body_name(torque.body).c_str()) + 3,
              torque.torque);
  }
  for (size_t s = 0; s < PEERS_STATES; s++) set_state(s);
}

Peer::~Peer() {
  mj_deleteData(data);
  mj_deleteModel(model);
}

void Peer::set(size_t number) {
  mju_copy(data->qpos, q[number].data(), model->nq);
  mju_copy(data->qvel, v[number].data(), model->nv);
}

void Peer::evaluate(size_t number) {
  set(number);
  mj_forward(model, data);
}

double Peer::difference(size_t number) {
  double apart = 0, largest = 1;
  evaluate(number);
  for (int k = 0; k < model->nv; k++) {
    largest = std::max(largest, std::fabs(wanted[number][k]));
    apart = std::max(apart, std::fabs(data->qacc[k] - wanted[number][k]));
  }
  return apart / largest;
}

/* Constraints are as stiff as it lets them be with this step. */
double Peer::simulate(double step, double *centres) {
  const int steps = int(std::lround(mechanism.t_end / step));
  model->opt.timestep = mechanism.t_end / steps;
  for (size_t c = 0; c < mechanism.cut_count; c++) model->eq_solref[mjNREF * c] = 2 * model->opt.timestep;
  mju_zero(data->qacc_warmstart, model->nv);
  set(0);
  data->time = 0;
  const double start = thread_seconds();
  for (int i = 0; i < steps; i++) mj_step(model, data);
  const double seconds = thread_seconds() - start;
  mj_kinematics(model, data);
  for (size_t b = 1; b <= mechanism.body_count; b++)
    mju_copy3(centres + 3 * b, data->xipos + 3 * mj_name2id(model, mjOBJ_BODY, body_name(int(b)).c_str()));
  return seconds;
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

void compare(const peers_mechanism &mechanism, Softness softness, const char *remark) {
  Peer peer(mechanism, softness);
  const peers_peer calls = as_peer(peer);
  peers_compare(&mechanism, remark, &calls, allowed(mechanism));
}

void compare_all() {
  peers_print_head("MuJoCo, ns");
  for (size_t i = 0; i < peers_evaluated_count; i++) {
    const peers_subject &subject = peers_evaluated[i];
    peers_mechanism *mechanism = peers_mechanism_new(subject.name, subject.document(), subject.t_end);
    if (mechanism->body_count > deepest) {
      std::printf("%-34s not compared: its XML reader refuses so deep a tree\n", mechanism->name);
      peers_mechanism_free(mechanism);
      continue;
    }
    compare(*mechanism, Softness::least, mechanism->cut_count ? ", least soft" : "");
    if (mechanism->cut_count) compare(*mechanism, Softness::its_own, ", its own softness");
    peers_mechanism_free(mechanism);
  }
  std::vector<double> steps;
  for (int k = 0; k <= 11; k++) steps.push_back(0.01 / (1 << k));
  race_all("MuJoCo, RK4", steps,
           [](const peers_mechanism &mechanism) { return std::make_unique<Peer>(mechanism, Softness::least); });
}

} // namespace

int main() { return run_program(compare_all); }
