import type { Lesson } from "./lesson";

export const pendulum: Lesson = {
  title: "Pendulum",
  mechanism: {
    document: {
      name: "Pendulum",
      space: "planar",
      parameters: { m: 2, L: 1 },
      gravity: [0, -9.81],
      ground: { points: { O: [0, 0] } },
      bodies: [
        {
          name: "rod",
          mass: "m",
          inertia: "m*L^2/12",
          points: { top: [0, "L/2"], tip: [0, "-L/2"] },
          shapes: [{ type: "line", from: [0, "L/2"], to: [0, "-L/2"] }],
        },
      ],
      joints: [{ name: "pin", type: "revolute", points: ["ground.O", "rod.top"], initial: { position: "pi/6" } }],
      sensors: [{ name: "angle", value: "pin.q", unit: "rad" }],
      analysis: { type: "dynamics", t_end: 6, dt: 0.01 },
      view: { x: [-1, 1], y: [-1.1, 1.1] },
    },
  },
  steps: [
    {
      question: "Three numbers give the position of a body in the plane. How many remain free for a rod on a pin?",
      task: "Drag the rod with the mouse or a finger and turn it by 60° or more.",
      done: [{ is: "turned", body: "rod", degrees: 60 }],
      seen: "Wherever you drag it, the rod only turns: {freedoms}. Its angle is now {angle:rod}.",
      theory: "The pin holds one point, which removes two of three degrees of freedom: 3 − 2 = 1. The angle is the joint's coordinate.",
      link: { text: "Revolute joint", page: "joint-revolute.html" },
      ring: { kind: "joints", name: "pin" },
    },
    {
      question: "The rod is back at 30°. How high does it swing on the other side?",
      task: "Press Play below the drawing and watch for two seconds.",
      done: [{ is: "played", seconds: 2 }],
      seen: "In {time} s it swung between {least angle:rod} and {greatest angle:rod}: as high as its starting position.",
      theory: "Without friction the sum of kinetic and potential energy is constant. The report of a run shows this balance.",
      link: { text: "How exact it is", page: "modelling.html#how-exact-it-is" },
      reset: true,
      control: "#play-on",
    },
    {
      question: "At which angle is the force in the pin largest?",
      task: "Switch on Forces above the drawing and press Play until the rod passes the lowest position.",
      done: [{ is: "passed", body: "rod", angle: 0, degrees: 10 }],
      seen: "At {angle:rod} the pin holds the rod with {force:pin} N. At rest it would be only the weight, {parameter:m} kg times 9.81 m/s².",
      theory: "In the lowest position the centre of the rod accelerates towards the pin with ω² L/2: the pin supplies m ω² L/2 in addition to the weight.",
      link: { text: "The array of reactions", page: "arrays.html" },
      control: '[data-toggle="forces"], #play-on',
    },
    {
      question: "Does a heavier pendulum swing faster?",
      task: "Set the parameter m to 4 kg or more, then press Run.",
      done: [{ is: "ran", parameter: { name: "m", least: 4 } }],
      seen: "With m = {parameter:m} kg a full swing takes {period:angle} s. With 2 kg it is 1.67 s.",
      theory: "Weight and inertia are both proportional to m, which cancels: small swings take T = 2π √(2L/3g) = 1.64 s; swings of 30° take 2 % more.",
      link: { text: "Do the same in Python", page: "first-model.html#in-python" },
      reset: true,
      control: "#parameters, #run",
    },
    {
      question: "And a shorter one?",
      task: "Set L to 0.5 m or less, and press Run again.",
      done: [{ is: "ran", parameter: { name: "L", most: 0.5 } }],
      seen: "With L = {parameter:L} m it takes {period:angle} s, with 1 m it was 1.67 s.",
      theory: "The period is proportional to √L: half the length gives 0.71 of the period. So the length sets the rate of a pendulum clock.",
      link: { text: "Expressions and parameters", page: "modelling.html#bodies-points-joints" },
      control: "#parameters, #run",
    },
  ],
  next:
    "Release it at 170°: select the joint pin, or write \"170 deg\" as its initial position in the JSON, and run. How long is the period now?",
};
