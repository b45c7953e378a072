import type { Lesson } from "./lesson";

export const cam: Lesson = {
  title: "Cam and follower",
  mechanism: { example: "Cam" },
  steps: [
    {
      question: "A motor turns the cam by 2π t. Which freedom is left?",
      task: "Drag the cam and turn it by 60° or more.",
      done: [{ is: "turned", body: "cam", degrees: 60 }],
      seen: "None: {freedoms}, {mobility} without drivers. While you drag, the driver follows: you turned the cam by {turned:cam}.",
      theory: "A driver is a constraint with a function of time, q − f(t) = 0. It removes the degree of freedom that the joints leave.",
      link: { text: "Drivers", page: "modelling.html#drivers" },
      ring: { kind: "bodies", name: "cam" },
    },
    {
      question: "The lobe adds half a metre to the radius. How high does it lift the follower?",
      task: "Press Play and wait one second for a full turn.",
      done: [{ is: "played", seconds: 1.1 }],
      seen: "In {time} s the roller's centre has been between {least y:follower} and {greatest y:follower} m.",
      theory:
        "The roller, of radius 0.25 m, rolls on ρ(α) from 1 to 1.5 m. At each instant the program solves for the contact point, where both curves have the same tangent.",
      link: { text: "Curves", page: "curve.html" },
      reset: true,
      ring: { kind: "joints", name: "contact" },
      control: "#play-on",
    },
    {
      question: "Does the roller press on the cam all the time?",
      task: "Press Run and look at its sensor “pressing force”.",
      done: [{ is: "ran" }],
      seen: "No: the pressing force ranges from {least:pressing force} to {greatest:pressing force} N.",
      theory:
        "Below 0 the joint pulls, because a constraint acts in both directions. A real follower would lift off the cam there and hit it again later.",
      link: { text: "Cam-follower", page: "joint-cam-follower.html" },
      reset: true,
      control: "#run",
    },
    {
      question: "At which speed does its weight alone keep it on the cam?",
      task: "The driver is selected: make its function 0.6*pi*t in the form at the right, and run.",
      done: [{ is: "ran", least: { sensor: "pressing force", above: 0 } }],
      seen: "Now from {least:pressing force} to {greatest:pressing force} N: the follower always presses on the cam.",
      theory:
        "Inertia forces grow with ω². At the nose the follower is accelerated downwards by 1.85 m · ω², and its weight provides 9.81 m/s²: contact is kept up to ω = 2.3 rad/s.",
      link: { text: "Functions of time", page: "functions.html" },
      ring: { kind: "drivers", name: "motor" },
      control: "#numbers-tab, #properties, #run",
    },
  ],
  next: "Open Cam_flat: a spring presses its follower down. How much faster may that cam turn?",
};
