import type { Lesson } from "./lesson";

export const sliderCrank: Lesson = {
  title: "Slider-crank and its cut",
  mechanism: { example: "SC" },
  steps: [
    {
      question: "Crank, rod and slider have nine numbers in the plane. How many of them can you choose?",
      task: "Drag the crank, the short bar on the left, and turn it by 60° or more.",
      done: [{ is: "turned", body: "crank", degrees: 60 }],
      seen: "Rod and slider move with it: {freedoms}. The crank is at {angle:crank}, the slider at x = {x:slider} m.",
      theory: "Four planar joints have two constraint rows each: 9 − 4 · 2 = 1.",
      link: { text: "All joints", page: "joints.html" },
      ring: { kind: "bodies", name: "crank" },
    },
    {
      question: "O carries the crank, A the rod, the rail the slider: a tree of three joints. Which joint is not in the tree?",
      task: "Select it in the tree on the left; the drawing marks the selected element.",
      done: [{ is: "selected", kind: "joints", name: "B" }],
      seen: "B, where rod and slider meet. The tree has three coordinates and the cut of B {rows} rows: 3 − {rows} = 1.",
      theory: "A loop has one joint more than its tree needs. The program cuts this joint and replaces it by constraints: both ends are at the same place.",
      link: { text: "The tree and the cuts", page: "modelling.html#the-tree-and-the-cuts" },
      control: "#tree-tab",
    },
    {
      question: "The document has the crank at 65°. Why is it not drawn there?",
      task: "Press Check to see how the program reads the document.",
      done: [{ is: "checked" }],
      seen: "{iterations} corrections moved the crank from {before:O.q} to {after:O.q}. The gap in B is then {residual}.",
      theory:
        "The three initial values did not close the loop. Newton steps, each the smallest that closes the linearized loop, change all coordinates until the loop is closed.",
      link: { text: "Where it starts", page: "modelling.html#where-it-starts" },
      reset: true,
      control: "#check",
    },
    {
      question: "A cut pin is still a pin. What force is in it?",
      task: "Switch on Forces, press Play and wait half a second.",
      done: [{ is: "shown", reading: "reactions" }, { is: "played", seconds: 0.5 }],
      seen: "B now pushes the slider with {force vector:B} N.",
      theory:
        "The multipliers of the two rows of B are the force on the first body of B, the rod: equal and opposite to this force.",
      link: { text: "Columns of a revolute joint", page: "joint-revolute.html#result-columns" },
      ring: { kind: "joints", name: "B" },
      control: '[data-toggle="forces"], #play-on',
    },
  ],
  next: "Write \"cut\": true in joint A instead and press Check: the tree and the multipliers change, the motion does not.",
};
