import type { Lesson } from "./lesson";

export const door: Lesson = {
  title: "A door with one hinge too many",
  mechanism: { example: "Door" },
  steps: [
    {
      question: "A body in space has six degrees of freedom, and a hinge removes five. A door on two hinges has 6 − 2 · 5 = −4?",
      task: "Drag the door and swing it by 30° or more.",
      done: [{ is: "turned", body: "door", degrees: 30 }],
      seen: "It swung by {turned:door}: {freedoms}. {redundant} rows are redundant: {redundant rows}.",
      theory: "The rank counts, not the number of rows: all five rows of the second hinge repeat those of the first hinge. 6 − 5 = 1.",
      link: { text: "Redundant constraints", page: "modelling.html#redundant-constraints" },
      ring: { kind: "bodies", name: "door" },
    },
    {
      question: "Which hinge carries the weight, 195 N?",
      task: "Press Run.",
      done: [{ is: "ran" }],
      seen: "In the vertical direction `low` carries {first:reactions:low.fz} N and `high` carries {first:reactions:high.fz} N. But the report says that the reactions of {not unique} are not unique.",
      theory:
        "The motion is unique, the reactions are not: the program reports the smallest set that holds the door. In a real door they depend on how it was mounted.",
      link: { text: "Redundant constraints", page: "modelling.html#redundant-constraints" },
      reset: true,
      control: "#run",
    },
    {
      question: "What if the lower hinge lets the door slide along its axis?",
      task: "The joint low is selected: in the form at the right make its type cylindrical.",
      done: [{ is: "redundant", most: 4 }],
      seen: "{redundant} rows are still redundant: {redundant rows}. The row along the axis is no longer redundant, and `high` alone carries the weight.",
      theory: "Shafts are mounted the same way, with one fixed and one floating bearing. The axial load on each bearing is then independent of the mounting.",
      link: { text: "Cylindrical joint", page: "joint-cylindrical.html" },
      reset: true,
      ring: { kind: "joints", name: "low" },
      control: "#numbers-tab, #properties",
    },
    {
      question: "And if the hinges are not on one line?",
      task: "In the JSON make the ground's point high [0.05, 0, 1.7]: five centimetres away from the line.",
      done: [{ is: "failed" }],
      seen: "{failure}",
      theory: "Redundant rows are consistent only if the lengths are exact; away from the line they contradict each other. Real hinges bend or jam.",
      link: { text: "Contradictions", page: "failures.html#contradiction" },
      reset: true,
      control: "#text-tab",
    },
  ],
  next:
    "Undo it (Ctrl+Z), and find joints without any redundant row: start with \"spherical\" without vectors for low.",
};
