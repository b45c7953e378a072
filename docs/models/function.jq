# A slider that follows the function $example for two seconds: what the page of that function plots.
{
  name: "Example of a function",
  space: "planar",
  ground: {points: {O: [0, 0]}, vectors: {u: [1, 0]}},
  bodies: [{name: "slider", mass: 1, inertia: 1, points: {P: [0, 0]}, vectors: {u: [1, 0]}}],
  joints: [{name: "rail", type: "translational", points: ["ground.O", "slider.P"], vectors: ["ground.u", "slider.u"]}],
  drivers: [{name: "driver", type: "joint", joint: "rail", function: $example}],
  sensors: [
    {name: "C(t)", value: "rail.q", unit: "m"},
    {name: "C'(t)", value: "rail.qd", unit: "m/s"},
    {name: "C''(t)", value: "rail.qdd", unit: "m/s^2"}
  ],
  analysis: {type: "kinematics", t_end: 2, dt: 0.01, outputs: ["sensors"]}
}
