import type { Lesson } from "./lesson";

export const cam: Lesson = {
  title: "Cam and follower",
  mechanism: { example: "Cam" },
  steps: [
    {
      question: "A motor turns the cam by 2π t. Which freedom is left?",
      task: "Pull at the cam and turn it by 60° or more.",
      done: [{ is: "turned", body: "cam", degrees: 60 }],
      seen: "None: {freedoms}, {mobility} without drivers. Your hand led the motor along, by {turned:cam}.",
      theory: "A driver is a constraint with a function of time, q − f(t) = 0, and takes the freedom that the joints had left.",
      link: { text: "Drivers", page: "modelling.html#drivers" },
      ring: { kind: "bodies", name: "cam" },
    },
    {
      question: "The lobe stands out by half a metre. How high does it lift the follower?",
      task: "Press Play and wait for a turn, which is one second.",
      done: [{ is: "played", seconds: 1.1 }],
      seen: "In {time} s the roller's centre has been between {least y:follower} and {greatest y:follower} m.",
      theory:
        "The roller, of radius 0.25 m, rides on ρ(α) from 1 to 1.5 m. At each instant the place is solved for where both curves have one tangent.",
      link: { text: "Curves", page: "curve.html" },
      anew: true,
      ring: { kind: "joints", name: "contact" },
      control: "#play-on",
    },
    {
      question: "Does the roller press on the cam all the time?",
      task: "Press Run; its sensor “pressing force” tells.",
      done: [{ is: "ran" }],
      seen: "No: the pressing force goes from {least:pressing force} to {greatest:pressing force} N.",
      theory:
        "Below 0 the joint pulls: as a constraint it holds both ways. A real follower would leave the cam there, fly, and come back with a blow.",
      link: { text: "Cam-follower", page: "joint-cam-follower.html" },
      anew: true,
      control: "#run",
    },
    {
      question: "At which speed does it stay on the cam by its weight alone?",
      task: "The driver is selected: make its function 0.6*pi*t in the form at the right, and run.",
      done: [{ is: "ran", least: { sensor: "pressing force", above: 0 } }],
      seen: "Now from {least:pressing force} to {greatest:pressing force} N: it presses all the time.",
      theory:
        "Forces of inertia go with ω². At the nose the follower is accelerated downwards by 1.85 m · ω², and its weight gives 9.81 m/s²: ω up to 2.3 rad/s.",
      link: { text: "Functions of time", page: "functions.html" },
      ring: { kind: "drivers", name: "motor" },
      control: "#numbers-tab, #properties, #run",
    },
  ],
  next: "Open Cam_flat: a spring presses its follower down. How much faster may that cam turn?",
};
