import type { Lesson } from "./lesson";

export const fourBar: Lesson = {
  title: "Four-bar and its Jacobian",
  mechanism: { example: "FourBar" },
  steps: [
    {
      question: "Here every bar has three coordinates, nine in total. How many constraint rows do the four pins add?",
      task: "Drag the crank, the short bar, by half a turn or more.",
      done: [{ is: "turned", body: "crank", degrees: 180 }],
      seen: "{rows} rows, {redundant} of them redundant: 9 − {rows} = 1. {freedoms}, and you turned the crank by {turned:crank}.",
      theory:
        "The Jacobian C has a row for each constraint and a column for each coordinate. Only velocities with C v = 0 are possible: here, multiples of one vector.",
      link: { text: "The array Jac", page: "arrays.html" },
      ring: { kind: "bodies", name: "crank" },
    },
    {
      question: "Crank and rocker turn about their pins on the ground. About which point does the coupler turn?",
      task: "Switch on Instant centres above the drawing.",
      done: [{ is: "shown", reading: "instantCentres" }],
      seen: "At this instant about {centre:coupler}. Drag the crank further: the centre moves, sometimes far away.",
      theory:
        "C v = 0 determines the ratios of the velocities. Each end of the coupler moves at right angles to its bar, so the coupler turns about the intersection of the lines of crank and rocker.",
      link: { text: "What the drawing shows", page: "page.html" },
      ring: { kind: "bodies", name: "coupler" },
      control: '[data-toggle="instant-centres"]',
    },
    {
      question: "The crank can make full turns. How far can the rocker swing?",
      task: "Drag the pin between coupler and rocker to the right or to the left, as far as possible.",
      done: [{ is: "aligned", bodies: ["crank", "coupler"], degrees: 4 }],
      seen: "It stops at {angle:rocker} where crank and coupler lie on one line. The crank is at {angle:crank}.",
      theory:
        "At this dead point the crank can turn while the rate of the rocker in v is 0. A driver on the rocker does not determine the direction of the crank: with its row C loses rank.",
      link: { text: "Singular positions", page: "failures.html#singular_position" },
      ring: { kind: "bodies", name: "rocker" },
    },
    {
      question: "Under which condition can a bar make full turns?",
      task: "Set the parameter a, the length of the crank, to 0.7 m, and drag the crank by 20° or more.",
      done: [
        { is: "parameter", within: { name: "a", least: 0.62, most: 0.78 } },
        { is: "turned", body: "crank", degrees: 20 },
      ],
      seen: "With a = {parameter:a} m every bar only swings. The shortest and the longest bar together are now longer than the other two together.",
      theory:
        "Grashof: a full turn needs shortest + longest ≤ the other two. If both sums are equal, here at a = 0.6 m, all bars can lie on one line, and C loses rank there.",
      link: { text: "Lock-up", page: "failures.html#lock_up" },
      control: "#parameters",
    },
  ],
  next: "Set a to 0.6 and drag the mechanism through the position on one line, a change point. Or look at the array Jac of a run, column by column.",
};
