import type { Lesson } from "./lesson";

export const door: Lesson = {
  title: "A door with one hinge too many",
  mechanism: { example: "Door" },
  steps: [
    {
      question: "A body in space has six freedoms, a hinge takes five. A door on two hinges has 6 − 2 · 5 = −4?",
      task: "Pull the door and swing it by 30° or more.",
      done: [{ is: "turned", body: "door", degrees: 30 }],
      seen: "It swung by {turned:door}: {freedoms}. {redundant} rows are redundant: {redundant rows}.",
      theory: "What counts is the rank, not the number of rows: all five rows of the second hinge repeat what the first one says. 6 − 5 = 1.",
      link: { text: "Redundant constraints", page: "modelling.html#redundant-constraints" },
      ring: { kind: "bodies", name: "door" },
    },
    {
      question: "Which hinge carries the weight, 195 N?",
      task: "Press Run.",
      done: [{ is: "ran" }],
      seen: "Upwards `low` gives {first:reactions:low.fz} N and `high` {first:reactions:high.fz} N. But the report says that the reactions of {not unique} are not unique.",
      theory:
        "The motion is unique, the shares are not: of all reactions that hold the door the smallest are told. In a real one they depend on how it was hung.",
      link: { text: "Redundant constraints", page: "modelling.html#redundant-constraints" },
      anew: true,
      control: "#run",
    },
    {
      question: "What if the lower hinge lets the door slide along its axis?",
      task: "The joint low is selected: in the form at the right make its type cylindrical.",
      done: [{ is: "redundant", most: 4 }],
      seen: "{redundant} rows are left over: {redundant rows}. That along the axis is gone, and `high` alone carries the weight.",
      theory: "One bearing fixed, one floating: so shafts are built. Who bears what along the axis is then no question of how they were mounted.",
      link: { text: "Cylindrical joint", page: "joint-cylindrical.html" },
      anew: true,
      ring: { kind: "joints", name: "low" },
      control: "#numbers-tab, #properties",
    },
    {
      question: "And if the hinges are not on one line?",
      task: "In the JSON make the ground's point high [0.05, 0, 1.7]: five centimetres beside the line.",
      done: [{ is: "failed" }],
      seen: "{failure}",
      theory: "Redundant rows repeat each other only while the lengths are exact; off the line they contradict. Real hinges bend, or jam.",
      link: { text: "Contradictions", page: "failures.html#contradiction" },
      anew: true,
      control: "#text-tab",
    },
  ],
  next:
    "Undo it (Ctrl+Z), and look for joints with no redundant row at all: \"spherical\" without vectors for low is a beginning.",
};
