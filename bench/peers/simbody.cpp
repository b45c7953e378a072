/* simbody.cpp - Simbody beside ours: accelerations, which must agree to 1e-9, and runs as accurate as each other.
 * Run from the top folder of the source. */
#include "peer.hpp"

#include <Simbody.h>

#include <cmath>
#include <memory>
#include <vector>

using namespace SimTK;

namespace {

Vec3 vec(const double *x) { return Vec3(x[0], x[1], x[2]); }
Rotation rotation(const peers_motion &at) { return Rotation(Quaternion(at.p[0], at.p[1], at.p[2], at.p[3])); }

/* Frames of a joint on its two bodies: z is its axis. */
Rotation axes(const peers_joint &joint) { return joint.ball ? Rotation() : Rotation(UnitVec3(vec(joint.axis)), ZAxis); }

class Peer {
public:
  explicit Peer(const peers_mechanism &mechanism);
  void evaluate(size_t state);
  double difference(size_t state);
  double simulate(double accuracy, double *centres);

private:
  void add_body(size_t number);
  void add_cut(const peers_joint &joint);
  void set_state(size_t state);

  const peers_mechanism &mechanism;
  MultibodySystem system;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  std::vector<MobilizedBody> bodies;
  State state;
  Vector q[PEERS_STATES], u[PEERS_STATES];
};

void Peer::add_body(size_t number) {
  const peers_body &from = mechanism.bodies[number];
  const peers_joint &joint = from.joint;
  const Body::Rigid body(
      MassProperties(from.mass, Vec3(0), Inertia(from.inertia[0], from.inertia[1], from.inertia[2])));
  const Transform on_parent(axes(joint), vec(joint.at1)), on_child(axes(joint), vec(joint.at2));
  MobilizedBody &parent = bodies[joint.body1];
  if (joint.ball)
    bodies.push_back(MobilizedBody::Ball(parent, on_parent, body, on_child));
  else
    bodies.push_back(MobilizedBody::Pin(parent, on_parent, body, on_child));
}

/* A joint of the plane: two rows, as ours has; Constraint::Ball would have a third, redundant one. */
void Peer::add_cut(const peers_joint &joint) {
  if (!mechanism.planar) throw std::runtime_error("a loop of space");
  MobilizedBody &one = bodies[joint.body1], &two = bodies[joint.body2];
  Constraint::PointInPlane(one, UnitVec3(1, 0, 0), joint.at1[0], two, vec(joint.at2));
  Constraint::PointInPlane(one, UnitVec3(0, 1, 0), joint.at1[1], two, vec(joint.at2));
}

/* Coordinates and speeds from our bodies' poses and velocities. */
void Peer::set_state(size_t number) {
  const peers_motion *at = mechanism.states[number];
  for (size_t b = 1; b <= mechanism.body_count; b++) {
    const peers_joint &joint = mechanism.bodies[b].joint;
    const peers_motion &one = at[joint.body1], &two = at[joint.body2];
    const Rotation of_one = rotation(one) * axes(joint), of_two = rotation(two) * axes(joint);
    bodies[b].setQToFitRotation(state, ~of_one * of_two);
    bodies[b].setUToFitAngularVelocity(state, ~of_one * (vec(two.omega) - vec(one.omega)));
  }
  q[number] = state.getQ();
  u[number] = state.getU();
}

Peer::Peer(const peers_mechanism &mechanism) : mechanism(mechanism), matter(system), forces(system) {
  Force::Gravity(forces, matter, vec(mechanism.gravity));
  bodies.push_back(matter.Ground());
  for (size_t b = 1; b <= mechanism.body_count; b++) add_body(b);
  for (size_t c = 0; c < mechanism.cut_count; c++) add_cut(mechanism.cuts[c]);
  for (size_t s = 0; s < mechanism.spring_count; s++) {
    const peers_spring &spring = mechanism.springs[s];
    Force::TwoPointLinearSpring(forces, bodies[spring.body1], vec(spring.at1), bodies[spring.body2], vec(spring.at2),
                                spring.stiffness, spring.free_length);
  }
  for (size_t t = 0; t < mechanism.torque_count; t++)
    Force::ConstantTorque(forces, bodies[mechanism.torques[t].body], vec(mechanism.torques[t].torque));
  state = system.realizeTopology();
  system.realizeModel(state);
  for (size_t s = 0; s < PEERS_STATES; s++) set_state(s);
}

void Peer::evaluate(size_t number) {
  state.updQ() = q[number];
  state.updU() = u[number];
  system.realize(state, Stage::Acceleration);
}

double Peer::difference(size_t number) {
  double apart = 0, largest = 1;
  evaluate(number);
  for (size_t b = 1; b <= mechanism.body_count; b++) {
    const peers_motion &ours = mechanism.states[number][b];
    const Vec3 a = vec(ours.a), alpha = vec(ours.alpha);
    largest = std::max({largest, max(abs(a)), max(abs(alpha))});
    apart = std::max({apart, max(abs(bodies[b].getBodyOriginAcceleration(state) - a)),
                      max(abs(bodies[b].getBodyAngularAcceleration(state) - alpha))});
  }
  return apart / largest;
}

double Peer::simulate(double accuracy, double *centres) {
  state.updTime() = 0;
  state.updQ() = q[0];
  state.updU() = u[0];
  const double start = thread_seconds();
  RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(accuracy);
  TimeStepper stepper(system, integrator);
  stepper.initialize(state);
  stepper.stepTo(mechanism.t_end);
  const double seconds = thread_seconds() - start;
  const State &end = integrator.getState();
  system.realize(end, Stage::Position);
  for (size_t b = 1; b <= mechanism.body_count; b++)
    for (int k = 0; k < 3; k++) centres[3 * b + k] = bodies[b].getBodyOriginLocation(end)[k];
  return seconds;
}

void compare_all() {
  peers_print_head("Simbody, ns");
  for (size_t i = 0; i < peers_evaluated_count; i++) {
    const peers_subject &subject = peers_evaluated[i];
    peers_mechanism *mechanism = peers_mechanism_new(subject.name, subject.document(), subject.t_end);
    Peer peer(*mechanism);
    const peers_peer calls = as_peer(peer);
    peers_compare(mechanism, "", &calls, 1e-9);
    peers_mechanism_free(mechanism);
  }
  std::vector<double> accuracies;
  for (int k = 2; k <= 12; k++) accuracies.push_back(std::pow(10., -k));
  race_all("Simbody, RungeKuttaMerson", accuracies,
           [](const peers_mechanism &mechanism) { return std::make_unique<Peer>(mechanism); });
}

} // namespace

int main() { return run_program(compare_all); }
