import type { Lesson } from "./lesson";

export const sliderCrank: Lesson = {
  title: "Slider-crank and its cut",
  mechanism: { example: "SC" },
  steps: [
    {
      question: "Crank, rod and slider have nine numbers in the plane. How many of them can you choose?",
      task: "Pull the crank, the short bar on the left, and turn it by 60° or more.",
      done: [{ is: "turned", body: "crank", degrees: 60 }],
      seen: "Rod and slider come along: {freedoms}. The crank is at {angle:crank}, the slider at x = {x:slider} m.",
      theory: "Four joints of the plane have two rows of constraints each: 9 − 4 · 2 = 1.",
      link: { text: "All joints", page: "joints.html" },
      ring: { kind: "bodies", name: "crank" },
    },
    {
      question: "O carries the crank, A the rod, the rail the slider: a tree of three joints. Which joint is left over?",
      task: "Select it in the tree on the left; the drawing marks what is selected.",
      done: [{ is: "selected", kind: "joints", name: "B" }],
      seen: "B, where rod and slider meet. The tree has three coordinates and the cut of B {rows} rows: 3 − {rows} = 1.",
      theory: "A loop has one joint more than its tree needs. It is cut and comes back as constraints: both ends at one place.",
      link: { text: "The tree and the cuts", page: "modelling.html#the-tree-and-the-cuts" },
      control: "#tree-tab",
    },
    {
      question: "The document has the crank at 65°. Why is it not drawn there?",
      task: "Press Check: it tells what was understood of the document.",
      done: [{ is: "checked" }],
      seen: "{iterations} corrections took the crank from {before:O.q} to {after:O.q}. The gap in B is then {residual}.",
      theory:
        "The three guesses did not close the loop. Newton's steps, each the smallest that would close it, change all coordinates until it does.",
      link: { text: "Where it starts", page: "modelling.html#where-it-starts" },
      anew: true,
      control: "#check",
    },
    {
      question: "A cut pin is still a pin. What force is in it?",
      task: "Switch on Forces and press Play for half a second.",
      done: [{ is: "shown", reading: "reactions" }, { is: "played", seconds: 0.5 }],
      seen: "B now pushes the slider with {force vector:B} N.",
      theory:
        "The multipliers of the two rows of B are this force on its other, its first body, the rod: equal and opposite. Action is reaction.",
      link: { text: "Columns of a revolute joint", page: "joint-revolute.html#result-columns" },
      ring: { kind: "joints", name: "B" },
      control: '[data-toggle="forces"], #play-on',
    },
  ],
  next: "Write \"cut\": true into the joint A instead and press Check: another tree, other multipliers, the same motion.",
};
