import type { Lesson } from "./lesson";

export const fourBar: Lesson = {
  title: "Four-bar and its Jacobian",
  mechanism: { example: "FourBar" },
  steps: [
    {
      question: "Here every bar keeps its three coordinates, nine in all. How many rows of constraints do the four pins make?",
      task: "Pull the crank, the short bar, half a turn or more around.",
      done: [{ is: "turned", body: "crank", degrees: 180 }],
      seen: "{rows} rows, {redundant} of them redundant: 9 − {rows} = 1. {freedoms}, and you have just led it by {turned:crank}.",
      theory:
        "The Jacobian C has a row for each constraint and a column for each coordinate. Velocities with C v = 0 are all that is left: one direction.",
      link: { text: "The array Jac", page: "arrays.html" },
      ring: { kind: "bodies", name: "crank" },
    },
    {
      question: "Crank and rocker turn about their pins on the ground. About which point does the coupler turn?",
      task: "Switch on Instant centres above the drawing.",
      done: [{ is: "shown", reading: "instantCentres" }],
      seen: "For this moment about {centre:coupler}. Pull on: it wanders, also far away.",
      theory:
        "C v = 0 tells the velocities up to their size. Each end of the coupler moves at right angles to its bar, so it turns about where crank and rocker, made longer, meet.",
      link: { text: "What the drawing shows", page: "page.html" },
      ring: { kind: "bodies", name: "coupler" },
      control: '[data-toggle="instant-centres"]',
    },
    {
      question: "The crank can go round. How far can the rocker go?",
      task: "Pull the pin between coupler and rocker to the right or to the left, as far as it goes.",
      done: [{ is: "aligned", bodies: ["crank", "coupler"], degrees: 4 }],
      seen: "It ends at {angle:rocker} where crank and coupler lie on one line. The crank is at {angle:crank}.",
      theory:
        "At this dead point the crank may turn while the rocker rests: in v its rate is 0. A motor at the rocker could not say where the crank goes: with its row C loses rank.",
      link: { text: "Singular positions", page: "failures.html#singular_position" },
      ring: { kind: "bodies", name: "rocker" },
    },
    {
      question: "When can a bar go round at all?",
      task: "Turn the parameter a, the length of the crank, to 0.7 m, and pull the crank by 20° or more.",
      done: [
        { is: "parameter", within: { name: "a", least: 0.62, most: 0.78 } },
        { is: "turned", body: "crank", degrees: 20 },
      ],
      seen: "With a = {parameter:a} m every bar goes to and fro. The shortest and the longest are now longer than the other two together.",
      theory:
        "Grashof: a full turn needs shortest + longest ≤ the other two. Where both are equal, here at a = 0.6 m, all bars can lie on one line, and C loses rank there.",
      link: { text: "Lock-up", page: "failures.html#lock_up" },
      control: "#parameters",
    },
  ],
  next: "Set a to 0.6 and pull the mechanism through the line: a change point. Or look at the array Jac of a run, column by column.",
};
