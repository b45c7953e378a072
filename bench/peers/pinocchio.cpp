/* pinocchio.cpp - Pinocchio beside ours: accelerations, which must agree to 1e-9, and runs as accurate as each other,
 * by our integrator. Run from the top folder of the source. */
#include "integrate.h"
#include "peer.hpp"

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/contact-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/spatial/classic-acceleration.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Quaterniond, Eigen::Vector3d, Eigen::VectorXd;
using pinocchio::SE3;

/* How loops are closed: by its constraints of points, which have three rows each, one of them redundant in a plane; or
 * by two rows each that this file computes, with its own solution for given rows. */
enum class Closing { its_constraints, two_rows };

/* The regularization of its constraints, and the residual [m/s^2] at which its iteration ends. */
const double regularization = 1e-12, residual = 1e-10;
const int iterations = 20;
/* Largest gap of a loop after a step [m]. */
const double gap = 1e-10;

Vector3d vec(const double *x) { return Vector3d(x[0], x[1], x[2]); }
Quaterniond rotation(const peers_motion &at) { return Quaterniond(at.p[0], at.p[1], at.p[2], at.p[3]); }

/* Axes of the body's frame there, in the body's axes here: z is the axis of the hinge that carries it. */
Matrix3d axes(const peers_joint &joint) {
  return joint.ball ? Matrix3d::Identity()
                    : Quaterniond::FromTwoVectors(Vector3d::UnitZ(), vec(joint.axis)).toRotationMatrix();
}

class Peer {
public:
  Peer(const peers_mechanism &mechanism, Closing closing);
  void evaluate(size_t state) { accelerate(q[state], v[state]); }
  double difference(size_t state);
  double simulate(double tolerance, double *centres);

private:
  SE3 frame(int body) const;
  void add_bodies_on(int carrier);
  void add_body(int number);
  void add_cut(const peers_joint &cut);
  void set_state(size_t number);
  SE3 placement(int body, const VectorXd &q) const;
  void push(int body, const Vector3d &point, const Vector3d &force, const VectorXd &q);
  void find_forces(const VectorXd &q);
  void set_rows();
  void set_drift();
  void set_gaps();
  void accelerate(const VectorXd &q, const VectorXd &v);
  void project(double *state);

  const peers_mechanism &mechanism;
  const Closing closing;
  std::vector<size_t> joints; /* of the bodies; 0: the ground */
  pinocchio::Model model;
  pinocchio::Data data;
  std::vector<pinocchio::RigidConstraintModel, Eigen::aligned_allocator<pinocchio::RigidConstraintModel>> cuts;
  std::vector<pinocchio::RigidConstraintData, Eigen::aligned_allocator<pinocchio::RigidConstraintData>> cut_data;
  pinocchio::ProximalSettings settings;
  VectorXd torques, tau;
  MatrixXd rows;        /* [2 cuts x nv] */
  VectorXd drift, gaps; /* [2 cuts] accelerations of the gaps for v' = 0, and the gaps */
  VectorXd at_q, at_v;  /* of the state that is evaluated in a run */
  VectorXd q[PEERS_STATES], v[PEERS_STATES], wanted[PEERS_STATES]; /* accelerations of ours */
};

/* The body's frame there, at the joint that carries it, in our frame of the body, at its mass centre. */
SE3 Peer::frame(int body) const {
  if (body == 0) return SE3::Identity();
  const peers_joint &joint = mechanism.bodies[body].joint;
  return SE3(axes(joint), vec(joint.at2));
}

/* Adds the bodies that a body carries, each followed by those that it carries: subtrees must be contiguous. */
void Peer::add_bodies_on(int carrier) {
  for (size_t b = 1; b <= mechanism.body_count; b++)
    if (mechanism.bodies[b].joint.body1 == carrier) add_body(int(b));
}

void Peer::add_body(int number) {
  const peers_body &body = mechanism.bodies[number];
  const SE3 on_parent = frame(body.joint.body1).actInv(SE3(axes(body.joint), vec(body.joint.at1)));
  const size_t parent = joints[size_t(body.joint.body1)];
  const std::string name = std::to_string(number);
  const size_t joint = body.joint.ball ? model.addJoint(parent, pinocchio::JointModelSpherical(), on_parent, name)
                                       : model.addJoint(parent, pinocchio::JointModelRZ(), on_parent, name);
  joints[size_t(number)] = joint;
  const pinocchio::Inertia inertia(body.mass, Vector3d::Zero(), vec(body.inertia).asDiagonal().toDenseMatrix());
  model.appendBodyToJoint(joint, inertia, frame(number).inverse());
  add_bodies_on(number);
}

void Peer::add_cut(const peers_joint &cut) {
  if (!mechanism.planar) throw std::runtime_error("a loop of space");
  const SE3 one(Matrix3d::Identity(), vec(cut.at1)), two(Matrix3d::Identity(), vec(cut.at2));
  cuts.emplace_back(pinocchio::CONTACT_3D, model, joints[size_t(cut.body1)], frame(cut.body1).actInv(one),
                    joints[size_t(cut.body2)], frame(cut.body2).actInv(two), pinocchio::LOCAL);
  cut_data.emplace_back(cuts.back());
}

/* Coordinates of our bodies' poses, and what they have of our accelerations: of a hinge about its axis u,
 *
 *   v = u.(w2 - w1)             v' = u.(w2' - w1')
 *
 * of a ball, whose velocities are in the axes of its second body,
 *
 *   v = A2' (w2 - w1)           v' = A2' (w2' - w1' - w2 x (w2 - w1)) */
void Peer::set_state(size_t number) {
  q[number].resize(model.nq);
  v[number].resize(model.nv);
  wanted[number].resize(model.nv);
  for (size_t b = 1; b <= mechanism.body_count; b++) {
    const peers_joint &joint = mechanism.bodies[b].joint;
    const peers_motion &one = mechanism.states[number][joint.body1], &two = mechanism.states[number][b];
    const Quaterniond p = rotation(one).conjugate() * rotation(two);
    const Vector3d omega = vec(two.omega) - vec(one.omega), alpha = vec(two.alpha) - vec(one.alpha);
    const int at_q = model.joints[joints[b]].idx_q(), at_v = model.joints[joints[b]].idx_v();
    if (joint.ball) {
      const Matrix3d back = rotation(two).toRotationMatrix().transpose();
      q[number].segment<4>(at_q) = p.coeffs();
      v[number].segment<3>(at_v) = back * omega;
      wanted[number].segment<3>(at_v) = back * (alpha - vec(two.omega).cross(omega));
    } else {
      const Vector3d axis = rotation(two) * vec(joint.axis);
      q[number][at_q] = 2 * std::atan2(p.vec().dot(vec(joint.axis)), p.w());
      v[number][at_v] = axis.dot(omega);
      wanted[number][at_v] = axis.dot(alpha);
    }
  }
}

Peer::Peer(const peers_mechanism &mechanism, Closing closing)
    : mechanism(mechanism), closing(closing), settings(residual, regularization, iterations) {
  model.gravity.linear() = vec(mechanism.gravity);
  joints.resize(mechanism.body_count + 1);
  add_bodies_on(0);
  for (size_t c = 0; c < mechanism.cut_count; c++) add_cut(mechanism.cuts[c]);
  data = pinocchio::Data(model);
  pinocchio::initConstraintDynamics(model, data, cuts);
  rows = MatrixXd::Zero(long(2 * cuts.size()), model.nv);
  drift = gaps = VectorXd::Zero(long(2 * cuts.size()));
  torques = tau = VectorXd::Zero(model.nv);
  /* In a plane a torque acts on the coordinates of all hinges between its body and the ground. */
  for (size_t t = 0; t < mechanism.torque_count; t++)
    for (int b = mechanism.torques[t].body; b != 0; b = mechanism.bodies[b].joint.body1)
      torques[model.joints[joints[size_t(b)]].idx_v()] += mechanism.torques[t].torque[2];
  for (size_t s = 0; s < PEERS_STATES; s++) set_state(s);
}

/* Where a body of a planar mechanism is. Only bodies with springs need it before their accelerations. */
SE3 Peer::placement(int body, const VectorXd &q) const {
  if (body == 0) return SE3::Identity();
  const pinocchio::JointModel &joint = model.joints[joints[size_t(body)]];
  const double angle = q[joint.idx_q()], c = std::cos(angle), s = std::sin(angle);
  SE3 turned = SE3::Identity();
  turned.rotation() << c, -s, 0, s, c, 0, 0, 0, 1;
  return placement(mechanism.bodies[body].joint.body1, q) * model.jointPlacements[joints[size_t(body)]] * turned;
}

/* Adds a force to tau. */
void Peer::push(int body, const Vector3d &point, const Vector3d &force, const VectorXd &q) {
  for (int b = body; b != 0; b = mechanism.bodies[b].joint.body1) {
    const Vector3d arm = point - placement(b, q).translation();
    tau[model.joints[joints[size_t(b)]].idx_v()] += arm[0] * force[1] - arm[1] * force[0];
  }
}

void Peer::find_forces(const VectorXd &q) {
  tau = torques;
  for (size_t s = 0; s < mechanism.spring_count; s++) {
    const peers_spring &spring = mechanism.springs[s];
    const Vector3d one = placement(spring.body1, q).act(frame(spring.body1).actInv(vec(spring.at1)));
    const Vector3d two = placement(spring.body2, q).act(frame(spring.body2).actInv(vec(spring.at2)));
    const double length = (two - one).norm();
    const Vector3d force = spring.stiffness * (length - spring.free_length) / length * (two - one);
    push(spring.body1, one, force, q);
    push(spring.body2, two, -force, q);
  }
}

/* ---- loops by two rows each: the x and y of the gap between the points of a cut -------------------------------- */

/* Needs the columns of all joints, data.J. */
void Peer::set_rows() {
  for (size_t c = 0; c < cuts.size(); c++) {
    auto of_cut = rows.middleRows<2>(long(2 * c));
    of_cut.setZero();
    const auto add = [&](size_t joint, const SE3 &at, double sign) {
      const Vector3d point = data.oMi[joint].act(at.translation());
      for (size_t i = 1; i < model.supports[joint].size(); i++) {
        const int k = model.joints[model.supports[joint][i]].idx_v();
        const double turn = data.J(5, k);
        of_cut(0, k) += sign * (data.J(0, k) - turn * point[1]);
        of_cut(1, k) += sign * (data.J(1, k) + turn * point[0]);
      }
    };
    add(cuts[c].joint1_id, cuts[c].joint1_placement, 1);
    add(cuts[c].joint2_id, cuts[c].joint2_placement, -1);
  }
}

/* Needs velocities, and accelerations for v' = 0. Gravity is in all of them alike. */
void Peer::set_drift() {
  const auto of = [&](size_t joint, const SE3 &at) -> Eigen::Vector2d {
    const SE3 place = data.oMi[joint] * at;
    return (place.rotation() * pinocchio::classicAcceleration(data.v[joint], data.a_gf[joint], at)).head<2>();
  };
  for (size_t c = 0; c < cuts.size(); c++)
    drift.segment<2>(long(2 * c)) =
        of(cuts[c].joint1_id, cuts[c].joint1_placement) - of(cuts[c].joint2_id, cuts[c].joint2_placement);
}

void Peer::set_gaps() {
  for (size_t c = 0; c < cuts.size(); c++)
    gaps.segment<2>(long(2 * c)) = (data.oMi[cuts[c].joint1_id].act(cuts[c].joint1_placement.translation()) -
                                    data.oMi[cuts[c].joint2_id].act(cuts[c].joint2_placement.translation()))
                                       .head<2>();
}

/* Moves positions, then velocities, by the smallest changes that close the loops. */
void Peer::project(double *state) {
  Eigen::Map<VectorXd> q(state, model.nv), v(state + model.nv, model.nv);
  Eigen::LLT<MatrixXd> factor;
  for (int i = 0; i < iterations; i++) {
    pinocchio::computeJointJacobians(model, data, q);
    set_gaps();
    set_rows();
    factor.compute(rows * rows.transpose());
    if (gaps.lpNorm<Eigen::Infinity>() <= gap) break;
    q -= rows.transpose() * factor.solve(gaps);
  }
  v -= rows.transpose() * factor.solve(rows * v);
}

/* ---- evaluations and runs ------------------------------------------------------------------------------------- */

void Peer::accelerate(const VectorXd &q, const VectorXd &v) {
  find_forces(q);
  if (cuts.empty()) {
    pinocchio::aba(model, data, q, v, tau, pinocchio::Convention::LOCAL);
  } else if (closing == Closing::its_constraints) {
    pinocchio::constraintDynamics(model, data, q, v, tau, cuts, cut_data, settings);
  } else {
    pinocchio::nonLinearEffects(model, data, q, v);
    pinocchio::crba(model, data, q, pinocchio::Convention::WORLD);
    set_rows();
    set_drift();
    pinocchio::forwardDynamics(model, data, tau, rows, drift);
  }
}

double Peer::difference(size_t number) {
  evaluate(number);
  const double largest = std::max(1., wanted[number].lpNorm<Eigen::Infinity>());
  return (data.ddq - wanted[number]).lpNorm<Eigen::Infinity>() / largest;
}

double Peer::simulate(double tolerance, double *centres) {
  if (model.nq != model.nv) throw std::runtime_error("a run with ball joints");
  VectorXd state(2 * model.nv);
  state << q[0], v[0];
  peers_equations equations = {this, size_t(model.nv), nullptr, nullptr};
  equations.accelerations = [](void *self, const double *state, double *vdot) {
    Peer &peer = *static_cast<Peer *>(self);
    const int n = peer.model.nv;
    peer.at_q = Eigen::Map<const VectorXd>(state, n);
    peer.at_v = Eigen::Map<const VectorXd>(state + n, n);
    peer.accelerate(peer.at_q, peer.at_v);
    Eigen::Map<VectorXd>(vdot, n) = peer.data.ddq;
  };
  if (!cuts.empty()) equations.project = [](void *self, double *state) { static_cast<Peer *>(self)->project(state); };
  const double seconds = peers_integrate(&equations, mechanism.t_end, tolerance, state.data());
  pinocchio::forwardKinematics(model, data, state.head(model.nv));
  for (size_t b = 1; b <= mechanism.body_count; b++)
    Eigen::Map<Vector3d>(centres + 3 * b) = data.oMi[joints[b]].act(frame(int(b)).inverse().translation());
  return seconds;
}

void compare(const peers_mechanism &mechanism, Closing closing, const char *remark) {
  Peer peer(mechanism, closing);
  const peers_peer calls = as_peer(peer);
  peers_compare(&mechanism, remark, &calls, 1e-9);
}

void compare_all() {
  peers_print_head("Pinocchio");
  for (size_t i = 0; i < peers_evaluated_count; i++) {
    const peers_subject &subject = peers_evaluated[i];
    peers_mechanism *mechanism = peers_mechanism_new(subject.name, subject.document(), subject.t_end);
    compare(*mechanism, Closing::its_constraints, "");
    if (mechanism->cut_count) compare(*mechanism, Closing::two_rows, ", two rows");
    peers_mechanism_free(mechanism);
  }
  std::vector<double> tolerances;
  for (int k = 3; k <= 11; k++) tolerances.push_back(std::pow(10., -k));
  race_all("Pinocchio, our dop853", tolerances,
           [](const peers_mechanism &mechanism) { return std::make_unique<Peer>(mechanism, Closing::two_rows); });
}

} // namespace

int main() { return run_program(compare_all); }
