// The texts that the page shows from code, one object for each part of the page. Fixed texts are in index.html, the
// texts of the lessons in lessons/, and the steps of the derivation in equations/steps.ts.
import { countOf, formatNumber } from "./format";

/** The whole page: loading, drafts, links and examples. */
export const pageTexts = {
  editor: "Model document",
  needsWebAssembly: "The drawing needs a browser with WebAssembly and a service that provides the solver.",
  loading: "Loading ...",
  otherDocument: "before the change",
  otherDocumentTitle: "These results are from the document before your last change. Press Run to update them.",
  editedBefore: "You edited another document before.",
  reopen: "Reopen it",
  editedLast: "This is the document that you edited last.",
  discard: "Discard it",
  linkCopied: "Copied a link that contains the model.",
  link: "Link that contains the model",
  linkTooLong: "The link is too long",
  linkBroken: "The model in the link cannot be read: part of the link may be missing",
  studies: "Studies",
  moreInManual: "Open the manual page",
  line: (number: number) => `line ${number}`,
};

/** The service: connection and token. */
export const serviceTexts = {
  offline: "Offline: the service does not respond. You can still move the mechanism; reconnecting ...",
  online: "The service responds again.",
  noResponse: "The service does not respond",
  token: "Token",
  tokenRefused: "This token is unknown or no longer valid.",
  tokenNeeded: "This service requires a token. Ask its operator for one.",
  signIn: "Sign in",
  cancel: "Cancel",
};

/** Models of other programs. */
export const importTexts = {
  converting: (name: string) => `Converting ${name} ...`,
  imported: (format: string, parts: string[], notes: string) =>
    `Converted from ${format}: ${parts.join(", ")}; ${notes}.`,
  times: (detail: string, count: number) => `${detail} (${count} times)`,
  partial: "Open without these parts",
  partialTitle: "Convert the model and leave out what cannot be converted",
  offline: "Only the service converts models of other programs, and it does not respond.",
  tooManyFiles: (most: number) => `The folder has more than ${most} files`,
  longPath: (path: string) => `The path is too long: ${path}. Drop a zip archive of the folder instead.`,
};

/** The mechanism that you drag, below the drawing. */
export const liveTexts = {
  play: "Play",
  pause: "Pause",
  freedoms: (count: number) => `${countOf(count, "degree")} of freedom`,
  ofVelocities: (count: number) => `${count} of velocities`,
  withoutDrivers: (count: number) => `${count} without drivers`,
  redundant: (count: number, names: string[]) => `${countOf(count, "redundant constraint")} (${names.join(", ")})`,
  locked: (joints: string[]) => `: ${joints.join(" and ")} removed the last one`,
  slow: "This motion is too slow to play here, because it needs very small steps: check the joints, or press Run.",
  atRest: "Nothing moves: the mechanism is in equilibrium. Drag a body aside; if it stays there, check which bodies the pins join.",
  loose: "; no joint holds the bodies on the ground",
  rigid: "Nothing can move: delete a joint, or draw bars that can turn against each other.",
  empty: "There is no body yet. Draw one with a tool of Build, such as Link.",
  notDrawn: "Correct the errors to see the drawing.",
  drawnBefore: "The drawing shows the last valid document.",
  drawnWithGaps: (detail: string) => `${detail}; the drawing shows the initial values, with gaps`,
  gap: (joint: string) => `gap in ${joint}`,
  ground: "the ground",
  expression: (point: string, owner: string) =>
    `Point '${point}' of ${owner} is defined by expressions: change them in the text.`,
  solverRestarted: "The solver did not respond and was restarted.",
  solverMissing: "The solver could not be loaded.",
};

/** Returns texts about the degrees of freedom of velocities and without drivers. An equal number is not repeated. */
export function otherFreedoms(freedoms: number, velocities: number, mobility: number): string[] {
  const parts: string[] = [];
  if (velocities !== freedoms) parts.push(liveTexts.ofVelocities(velocities));
  if (mobility !== velocities) parts.push(liveTexts.withoutDrivers(mobility));
  return parts;
}

/** The buttons above the drawing: text and title. */
export const displayTexts = {
  labels: ["Labels", "Show the names of bodies, joints and points"],
  "mass-centres": ["Mass centres", "Show the mass centre of each body and of all bodies"],
  trace: ["Trace", "Show the path of the point that you clicked last"],
  velocities: ["Velocities", "Show the velocities of points"],
  accelerations: ["Accelerations", "Show the accelerations of points during a motion"],
  forces: ["Forces", "Show the forces of joints, springs and contacts during a motion"],
  "instant-centres": ["Instant centres", "Show the instant centres of the bodies relative to the ground"],
  edit: ["Edit points", "Drag a point to change its coordinates in the document"],
} as const;

/** Notes of the drawing: why an overlay is missing, what the trace needs, the scale of arrows. */
export const overlayTexts = {
  traceNeeds: "Trace: click the point or body whose path you want to see",
  noCommonCentre: "press Drag to see the mass centre of all bodies: runs do not record it",
  noInstantCentres: "press Drag to see them: runs do not record them",
  notComputed: "this run has not computed them",
  noContacts: "contacts between shapes have no arrows: their places are not recorded",
  ofLargest: (size: number) => `${formatNumber(size)} × the largest velocity`,
};

/** The tools that draw bodies, joints, forces and drivers. */
export const buildTexts = {
  notInSpace: "The drawing tools work in the plane; this model is in space: add bodies, joints and forces with Add ... in the tree.",
  tools: "Drawing tools",
  select: ["Select", "Select an element to edit it, or drag a body"],
  others: "Add another joint, force or driver",
  othersFirst: "More ...",
  kinds: "Kind of the element",
  ways: "Bodies of the last element",
  snap: ["Snap", "Snap to points, crossings and middles of bars, bars, the grid and aligned lines; hold Alt to disable"],
  photo: ["Photo", "Show or hide a photograph behind the drawing"],
  undo: ["Undo", "Undo the last change (Ctrl+Z)"],
  redo: ["Redo", "Redo the last undone change (Ctrl+Shift+Z)"],
  noSchema: "Joints and forces cannot be added now, because the service does not respond.",
  back: "(The mechanism is back where it was drawn: Edit points moves what is drawn.)",
  chooseKind: (tool: string) => `${tool}: choose its kind here`,
  chooseKindHere: (tool: string) => `${tool} at the marked place: choose its kind here`,
  changed: "The document has changed since: draw the element again.",
  noJson: "The document is not valid JSON: correct it first.",
  noPlace: "The document has no list for this element.",
  noSize: "The body has no size: choose places that are apart.",
  newBody: (name: string, mass: number, density: string) =>
    `${name} has a mass of ${mass} kg (${density}); change it in its form`,
  perMetre: (mass: number) => `${mass} kg per metre of bar`,
  perArea: (mass: number) => `${mass} kg per square metre`,
} as const;

/** The tool that designs four-bar linkages. */
export const synthesisTexts = {
  tool: { name: "Four-bar", title: "Design a four-bar linkage through 3 positions or along a path" },
  positions: {
    name: "Through 3 positions",
    title: "Lead a bar through three positions",
    hint: "Drag the bar in its first, second and third position, each time from the same end.",
  },
  path: {
    name: "Along a path",
    title: "Four-bar along a path",
    hint: "Draw a closed path, or click its places in order and then the first one again.",
  },
  straight: "Three positions of one end are on a line: drag the third position again.",
  turns: (driver: string, joint: string) => `The linkage passes the three positions: press Play. ${driver} turns ${joint}.`,
  swings: (driver: string, joint: string) =>
    `The linkage passes the three positions: press Play. No bar turns all the way round, so ${driver} swings at ${joint}.`,
  noMotor: "The linkage passes the three positions: drag a bar. No motor leads it through all of them.",
  twoBranches: "A linkage would have to be taken apart between these positions: drag the third position somewhere else.",
  optimize: "This linkage follows the path roughly; press Optimize on the right to bring it closer.",
};

/** The tools that copy what is selected. */
export const copyTexts = {
  copy: {
    name: "Copy",
    title: "Copy the selected bodies with their joints; Shift and a click select several",
    hint: "Drag from a place to the place of its copy.",
  },
  mirror: {
    name: "Mirror",
    title: "Add a mirror image of the selected bodies with their joints; Shift and a click select several",
    hint: "Drag along the line of the mirror.",
  },
  none: "Select a body first; Shift and a click select several.",
  made: (names: string[]) => `New: ${names.join(", ")}`,
};

/** The numbers at the selected body or joint. */
export const dimensionTexts = {
  title: "Dimensions of the selection",
  joint: (joint: string) => `Angle of ${joint}`,
  length: (from: string, to: string) => `Length from ${from} to ${to}`,
  angle: (at: string) => `Angle at ${at}`,
  radius: "Radius",
  change: (label: string) => `Change: ${label}`,
};

/** Names, titles and hints of the tools. */
export const toolTexts = {
  link: {
    name: "Link",
    title: "Draw a bar",
    hint: "Drag from one end of the bar to the other, or click both ends.",
  },
  plate: {
    name: "Plate",
    title: "Draw a body with corners",
    hint: "Click each corner. To finish, press Enter or click the first corner again.",
  },
  wheel: { name: "Wheel", title: "Draw a round body", hint: "Drag from the centre to the rim, or click both." },
  slider: { name: "Slider", title: "Add a pin in a slot, a block on a rail or a straight guide" },
  slot: { name: "Pin in a slot", title: "Let a point slide along a line and turn" },
  rail: { name: "Block on a rail", title: "Let a block slide along a line without turning" },
  guide: { name: "Straight guide", title: "Let the body itself slide along a line without turning" },
  twoPlaces: (what: string | undefined) => `Click two places, or drag from one to the other${what ? `: ${what}` : ""}`,
  bodiesFirst: "Draw the two bodies first, such as wheels.",
  direction: "Click its place, or drag from there along its direction.",
  meeting: "Click where two bodies meet. A click on a single body joins it to the ground.",
  joint: "Click a joint.",
  motor: "Click a joint. A motor turns a pin, or moves a slider to and fro.",
  cam: "Draw a wheel and a bar first. Then drag from the centre of the wheel, which becomes the cam, to the end of the bar that follows it.",
  body: "Click a body.",
  belt: "Click the pulleys in the order of the belt. To finish, press Enter or click the last one again.",
  rope: "Click one end, the pulleys, then the other end. To finish, press Enter or click the last place again.",
};

/** Elements that the tools add: which bodies they connect, and why that is not possible. */
export const elementTexts = {
  noBody: "There is no body at this place.",
  onlyGround: "Only the ground is at this place.",
  joined: (bodies: string[]) => `${bodies.join(" and ")} are already joined here: delete that joint first.`,
  sameBody: (body: string) => `Both places are on ${body}: choose two bodies, or one body and the ground.`,
  noBodies: "There is no body at these places: draw the bodies first, such as links or wheels.",
  noJoint: "There is no joint at this place: put one here first, such as a Pin.",
  noPulley: "A belt runs over moving bodies: click the centre of a wheel.",
  noSlidingBody: "There is no body at this place that could slide.",
  turns: (speed: number) => `, ${formatNumber(speed)} rpm; change the speed in its form`,
  gap: (one: string, other: string) =>
    `; they do not touch: delete ${other} and draw it again, up to the rim of ${one}`,
  replacesDriver: "; it replaces the driver before",
  smaller: "; a larger one would lock the mechanism",
  notDriven: "No motor can move this joint: choose another one, or delete it if it joins the wrong bodies.",
  contradicts: (name: string) => `With ${name}, the drivers cannot move the mechanism: choose another place, or delete a driver first.`,
  noFreedom: "The mechanism cannot move, so that a driver has nothing to move: delete a joint first.",
  replaces: "; its curve replaces the drawn circle",
  swings: ", to and fro; change the amplitude in its form",
  swap: "Swap",
  otherBodies: "Use other bodies",
  instead: (result: string) => `Instead: ${result}`,
  otherJoint: "Use another joint",
  swing: { name: "Let it swing", title: "Change it to a motion to and fro, for a bar that cannot turn all the way round" },
  lessFar: { name: "Swing half as far", title: "Change it to a motion of half the amplitude" },
  noMotor: (joint: string) => `${joint} couples bodies that already turn: put a Pin here first, then the Driver.`,
  rotate: { name: "Let it turn", title: "Change it to a rotation at a constant speed" },
  change: (result: string) => `Change it to: ${result}`,
  newBlock: (body: string) => `new block at ${body}`,
  block: (body: string) => `block ${body}`,
  onRail: (block: string, carrier: string) => `${block} on rail of ${carrier}`,
};

/** Descriptions of the first and second body, for classes in which their order matters. */
export const roleTexts: Record<string, (first: string, second: string) => string> = {
  "revolute-translational": (first, second) => `pin of ${second} in slot of ${first}`,
  translational: (first, second) => `${second} slides on ${first}`,
  "point-follower": (first, second) => `pin of ${first} in curve of ${second}`,
  "cam-follower": (first, second) => `cam of ${first}, follower ${second}`,
  "cam-flat-follower": (first, second) => `cam of ${first}, flat face of ${second}`,
  disc: (first, second) => `${second} rolls on ${first}`,
  "knife-edge": (first, second) => `edge of ${second} on ${first}`,
  gear: (first, second) => `${first} turns ${second}`,
  "gear-pair": (first, second) => `${first} meshes with ${second}`,
  "rack-and-pinion": (first, second) => `pinion of ${first}, rack of ${second}`,
  contact: (first, second) => `point of ${first} on line of ${second}`,
  "relative-angle": (first, second) => `angle of ${second} relative to ${first}`,
};

/** The dialog that deletes an element and those that refer to it. */
export const removalTexts = {
  title: (element: string) => `Delete ${element}?`,
  text: "These elements refer to it and will be deleted too:",
  all: "Delete all",
  cancel: "Cancel",
  kinds: {
    bodies: "body",
    joints: "joint",
    drivers: "driver",
    forces: "force",
    functions: "function",
    variables: "variable",
    inputs: "input",
    states: "state",
    signals: "signal",
    sampled: "sampled value",
    events: "event",
    sensors: "sensor",
    settings: "setting",
  },
};

/** The photograph behind the drawing. */
export const photoTexts = {
  group: "Photograph behind the drawing",
  choose: "Choose an image",
  opacity: "Opacity ",
  length: "Length [m] ",
  scale: ["Scale", "Set the scale from two places that are this length apart"],
  move: ["Move", "Move the photograph from one place to another"],
  remove: ["Remove", "Remove the photograph"],
  noImage: "The browser cannot show this file as an image.",
  added: "The photograph stays in this page. Set its scale with two places and their distance.",
  badLength: "The length must be a number of metres greater than 0.",
  clickTwo: (length: number) => `Click two places in the photograph that are ${length} m apart.`,
  scaled: (width: number) => `The photograph is now ${width} m wide.`,
  drag: "Drag the photograph, or click a place in it and then its new position.",
} as const;

/** The form of an element. */
export const formTexts = {
  show: "Show in JSON",
  delete: "Delete",
  csv: "Read CSV",
  csvTitle: "Fill x and y from a file with two columns",
  labels: { t_start: "Start", t_end: "End", dt: "Step" } as Record<string, string>,
  more: "More fields",
  add: "Add",
  addTo: (list: string) => `Add to ${list}`,
  nameIn: (list: string) => `Name of the next of ${list}`,
  remove: (name: string) => `Remove ${name}`,
  motion: {
    speed: "speed of the rotation [rpm]",
    amplitude: "largest distance from the middle [m or rad]",
    frequency: "oscillations in a second [Hz]",
  },
};

/** The buttons above the tree. */
export const settingTexts = {
  title: "Settings of the model",
  model: ["Model", "Name, gravity and parameters"],
  ground: ["Ground", "Points, vectors and shapes of the ground"],
  analysis: ["Analysis", "Type of the analysis, duration and step"],
} as const;

/** The list below the tree. */
export const additionTexts = {
  add: "Add ...",
  title: "Add an element that has no drawing tool",
  body: "body",
  constraint: "joint: expression of positions",
  velocity: "joint: expression of velocities",
  state: "state with a rate",
  signal: "signal: expression",
  pid: "signal: PID controller",
  transfer: "signal: transfer function",
  table: "function: table",
  function: "function: expression",
  variable: "variable that events set",
  input: "input from outside",
  sampled: "sampled value",
  event: "event",
  sensor: "sensor",
};

/** CSV files of tables. */
export const csvTexts = {
  noNumber: (line: number, cell: string) => `line ${line}: '${cell}' is not a number`,
  columns: (line: number, count: number) => `line ${line}: ${countOf(count, "column")} instead of two, x and y`,
  falls: (line: number, x: number, before: number) => `line ${line}: x = ${x} after ${before}; x must not fall`,
  short: (rows: number) => `${countOf(rows, "row")} of numbers; a table needs at least two`,
};

/** The sliders of the parameters. */
export const sliderTexts = {
  value: (name: string) => `${name}, value`,
  unit: (name: string) => `${name}, unit`,
  choose: "Choose the unit shown; the document keeps its own",
  fixed: "The document sets this unit",
};

/** A run: its headline, its state, and the run in the browser. */
export const runTexts = {
  result: "Result",
  evaluations: (count: number) =>
    `${count.toLocaleString("en", count < 1e5 ? {} : { notation: "compact", maximumSignificantDigits: 3 })} evaluations`,
  ended: (work: string, seconds: number) => `${work} in ${formatNumber(seconds, 3)} s`,
  error: "Error",
  help: "What to do",
  nameless: "Run",
  ofTime: (time: string) => ` of ${time}`,
  ownName: "Run in the browser",
  own: (seconds: number) => `Simulated in ${formatNumber(seconds, 2)} s; Run stores the results`,
  early: (reason: string) => `Simulated, ended early: ${reason}`,
  stale: "; plots and motion show the previous document",
  long: (seconds: number, least: boolean, stale: string) =>
    `A run takes ${least ? "more than" : "about"} ${formatNumber(seconds, 2)} s: press Run to start it${stale}`,
  hung: (stale: string) => `The solver in the browser did not respond and was restarted: press Run to run the model${stale}`,
  none: (stale: string) => `This document has no run${stale}`,
  showResult: "Show the result",
  drag: "Drag",
};

/** The list of runs. */
export const jobTexts = {
  none: "No runs.",
  nameless: "unnamed",
  rename: "Rename",
  renameOf: (title: string) => `Rename ${title} and edit its tags`,
  delete: "Delete",
  deleteOf: (title: string) => `Delete ${title}`,
  withTag: (tag: string) => `Show only runs with the tag ${tag}`,
  tagsHint: "separated by commas",
  name: "Name ",
  tags: "Tags ",
  save: "Save",
  cancel: "Cancel",
};

/** The report of a run, and the findings of Check. */
export const reportTexts = {
  runs: "Runs",
  trials: "Trials",
  counts: (done: string, all: string, failed: string) => `${done} of ${all}, ${failed} failed`,
  work: (evaluations: string, seconds: string) => `${evaluations} evaluations in ${seconds} s`,
  atRest: "Equilibrium position",
  linearized: "Linearization point",
  assembled: "Assembled state",
  held: "Held by dry friction",
  sticking: "Sticks at the start",
  stopped: "Ended by stop_when",
  noRows: "none: the run ended before the first row",
  lastState: (t: string) => `State at t = ${t} s, the last row`,
  modes: "Modes",
  efforts: "Largest efforts of the drivers",
  at: (value: string, t: string) => `${value} at ${t} s`,
  sensors: (rows: number) => `Sensors, extremes of ${countOf(rows, "row")}`,
  potential: "Potential energy",
  freedoms: "Degrees of freedom",
  residual: "Largest residual",
  position: (residual: string) => `${residual} in position`,
  energy: "Largest change of energy",
  exchanged: (change: string, scale: string) => `${change} J; energy exchanged: ${scale} J`,
  whole: "Whole report",
  notAssembled: "The document is valid, but the model cannot be assembled.",
  valid: "The document is valid.",
};

/** Files of a run. */
export const downloadTexts = {
  copy: "Copy",
  copied: "Copied",
  certificate: "Certificate",
  all: "All arrays:",
  document: "Document",
};

/** Plots, the table below them, and the comparison with a pinned run. */
export const plotTexts = {
  pin: "Pin this run",
  unpin: "Unpin",
  pinTitle: "Keep its curves and motion to compare with the next run",
  allColumns: (count: number) => `All ${count}`,
  coarse: (rows: number) => `The plot shows the minimum and maximum of each ${rows} rows; zoom in to see all rows.`,
  spectrum: "A spectrum needs all rows: plot over time and zoom in first.",
  own: "Run in the browser with the current text and slider values; not stored.",
  pinned: (name: string) => `Dashed curves, pale drawing: ${name}.`,
  least: "Min",
  greatest: "Max",
  pinnedColumn: "Pinned",
  remove: "Remove",
  removeOf: (title: string) => `Remove ${title}`,
  curve: "Curve",
  at: "At ",
  difference: "Field",
  thisRun: "This run",
  differences: "Differences between the runs",
  more: (count: number) => `and ${count} more`,
  noPicture: "The browser does not have enough memory for the picture.",
  pictureFailed: "The browser could not create the picture.",
};

/** Values and modes of a run with a single state. */
export const modeTexts = {
  sensor: "Sensor",
  value: "Value",
  mode: "Mode",
  eigenvalue: "Eigenvalue [1/s]",
  frequency: "Frequency [Hz]",
  damping: "Damping ratio",
  none: "no mode: the state itself",
  modes: "Modes",
  note: "The animation shows one period, enlarged, without decay or growth.",
};

/** The Bode plot of a frequency response. */
export const bodeTexts = {
  title: "Frequency response",
  frequency: "Frequency [Hz]",
  amplitude: "Amplitude",
  phase: "Phase [degrees]",
};

/** Videos. */
export const recordTexts = {
  start: "Record a video",
  stop: "Stop the recording",
};

/** The gallery. */
export const galleryTexts = {
  space: "Space",
  analysis: "Analysis",
  elements: "Elements",
  words: "Words",
  search: "Search models",
  models: "Models",
  studies: "Optimizations and fits",
  more: "Results and equations",
  moreOf: (title: string) => `Results and equations of ${title}`,
  lessons: "Lessons",
  done: (steps: number) => ` · ${countOf(steps, "step")} done`,
  tag: "Tag",
  allTags: "All tags",
};

/** The card of a lesson. */
export const lessonTexts = {
  back: "Back",
  next: "Next",
  end: "End the lesson",
  restart: "Start again",
  restartTitle: "Reset the mechanism to the start of the lesson",
  card: "Question and answer",
  progress: (step: number, steps: number) => `${step} of ${steps}`,
  ended: "done",
  done: "Done. ",
  tryNext: "Try next",
  following: (title: string) => `Next lesson: ${title}`,
  farAway: "a point far away",
};

/** The equations beside the drawing. */
export const equationTexts = {
  both: "Both",
  symbols: "Symbols",
  numbers: "Numbers",
  back: "Back",
  next: "Next",
  steps: "Steps of the derivation",
  mode: "Show blocks as",
  copyAll: "Copy all as LaTeX",
  print: "Print",
  printTitle: "Print all steps as a worksheet",
  allRows: "Show all rows",
  copy: "Copy LaTeX",
  copyOf: (matrix: string) => ` of ${matrix}`,
  copied: "Copied as LaTeX.",
  latex: "LaTeX",
  noAnswer: "The solver in the browser did not respond.",
  noMechanism: "The equations appear when the drawing shows a mechanism.",
  tooLarge: "The matrices of this step are too large to show here. The command mbs equations prints them.",
  tooLargeToPrint: "The equations are too large for a handout. The command mbs equations prints single matrices.",
  noRows: "There are no constraint rows: no joint is cut and no joint is driven.",
  likewise: "likewise ",
  more: (count: number) => ` and ${count} more`,
  leftOut: (rows: number, columns: number) =>
    `Omitted: ${rows} rows that differ from a shown row only in their indices${columns > 0 ? `, and ${columns} columns that are zero in all shown rows` : ""}.`,
  mechanism: "Mechanism",
  sheet: (name: string, coordinates: string) => `${name}: equations in ${coordinates} coordinates`,
  instant: (t: number) => `Numbers at t = ${t} s`,
};

/** The form that creates a study. */
export const studyFormTexts = {
  purpose: "Purpose",
  most: "maximum number of trials",
  design: "Design",
  varied: "Varied parameters",
  kept: "Outputs of each run",
  addOutput: "Add output",
  chooseVaried: "choose the varied parameters",
  submit: { runs: "Run study", optimize: "Optimize", fit: "Fit" },
  json: "As JSON",
  copy: "Copy",
  copied: "Copied",
  fromDocument: "from the document",
  varies: (name: string) => `Vary ${name}`,
  output: "Output",
  remove: "Remove",
  removeOf: (what: string) => `Remove this ${what}`,
  noName: (sensor: string, expression: string) =>
    `An expression cannot use the name ${sensor}; use its expression instead: ${expression}`,
  goal: "Objective and constraints",
  expression: "expression of outputs and parameters",
  addConstraint: "Add constraint",
  constraint: "Constraint",
  data: "Measured data",
  measured: "Measured quantity",
  addMeasured: "Add quantity",
  rows: "t [s] and value, one row each",
};

/** The diagrams of a study, and the chosen run. */
export const studyTexts = {
  title: "Runs of the study",
  tabs: "Diagrams",
  clear: "Clear ranges",
  clearTitle: "Select all runs",
  failedRuns: "failed runs",
  sample: (stride: number) => `, one of ${stride} is shown`,
  run: "Run",
  previous: "Go to the previous run within the ranges",
  following: "Go to the next run within the ranges",
  choose: "Click a line, a point or a cell to choose a run and see its motion.",
  notMade: (run: number) => `Run ${run} has not been computed.`,
  open: "Open its document",
  openTitle: "Open the model with the values of this run",
  ofRun: (run: number) => `run ${run}`,
  failed: "This run failed.",
  failure: "Failed: ",
  firstFailed: (run: number) => ` (message of run ${run}, the first with this failure)`,
  otherModel: "The editor contains another model: open the document of the run to see its motion.",
  axis: "Axis",
  from: "From",
  to: "To",
  log: "Log",
  ranges: "Edit ranges",
  brush: "Drag to select a range; click to clear it",
  parallel: "Parallel coordinates of the runs. The left and right arrow keys choose a run.",
  points: "Runs as points. The left and right arrow keys choose a run.",
  cells: "Response surface. The left and right arrow keys choose a run.",
  lines: (every: number) => `only 1 in ${every} lines is drawn`,
  dots: (every: number) => `only 1 in ${every} points is drawn`,
  cellMean: (exact: boolean) => `Each ${exact ? "cell" : "bin"} shows the mean of its selected runs.`,
  cellFailed: "×: all runs failed there.",
  colour: "Colour",
  oneColour: "single colour",
  bins: "Bins",
  noValue: (runs: number) => `${countOf(runs, "run")} failed and ${runs === 1 ? "has" : "have"} no value.`,
  histogramOf: (name: string, runs: number, most: { all: number; from: number; to: number }, rest: string) =>
    `Histogram of ${name}: ${runs} runs; the largest bin has ${most.all}, from ${most.from} to ${most.to}. ${rest}`,
  bestLine: "The line shows the best trial so far.",
  rings: "Rings mark trials that violate a constraint.",
  noBest: "none",
  bestOf: (value: number, trial: number) => `${formatNumber(value)} in trial ${trial}`,
  progressOf: (best: string) => `Objective of each trial; best: ${best}. The left and right arrow keys choose a trial.`,
  dataLater: "The data appear when the fit has finished.",
  noData: "Data and model: not available yet",
  fitNote: (worst: number) =>
    `Points: data; line: model with the best values; bars: (model - value) / sigma, at most ${worst.toPrecision(3)}.`,
  fitOf: (name: string, count: number, worst: number) =>
    `${name}: ${count} data and the model. Largest residual: ${worst}`,
  statistics: ["Output", "Mean ± sd", "Minimum", "Maximum"],
  failures: ["Failure", "Runs", "First run"],
};

/** The result of an optimization or a fit. */
export const searchTexts = {
  use: "Use the best values",
  best: (trial: number, objective: number) => `Best so far: trial ${trial}, objective ${formatNumber(objective)}.`,
  drawn: "The drawing shows the best values; the document is unchanged.",
  otherDrawn: "The editor contains another model, so the drawing does not change.",
  used: "The document now has the best values; undo with Ctrl+Z.",
  otherUsed: "The editor contains another model: open the document of the best trial instead.",
  converged: "Converged: there are no better values nearby.",
  global: " Another start or the method global may find better values farther away.",
  local: "There are no better values nearby, but the search did not cover all bounds. More trials or another start may find better values.",
  limit: (trials: number) =>
    `The limit of ${countOf(trials, "trial")} was reached before convergence: allow more trials, or restart from the best values.`,
  nearest: (violation: number) => ` The best trial violates a constraint by ${formatNumber(violation, 3)}.`,
  infeasible: (nearest: string) => `No trial satisfied the constraints.${nearest} Relax the constraints or widen the bounds.`,
  unbounded: (why: string) => `There is no best value: ${why}.`,
  giveBounds: "give bounds",
  stopped: (trials: number) =>
    `Stopped after ${countOf(trials, "trial")}, before convergence: these are the best values so far.`,
  noOutputs: "No trial produced outputs: see why they failed, and start from values for which the model runs.",
  noInfluence: "has no influence",
  atBound: "at its bound; a better value may lie beyond",
  trial: (index: number) => `trial ${index}`,
  ofTrials: (count: number, algorithm: string) => ` of ${count}, by ${algorithm}`,
  deviation: (value: number) => `; standard deviation of the residuals: ${formatNumber(value, 3)}`,
  objective: (value: string, where: string, spread: string) => `Objective ${value} (${where})${spread}.`,
  without: (names: string[]) => `No influence: ${names.join(", ")}.`,
  notIdentifiable: (combination: string) =>
    `The data cannot distinguish these parameters: a change along ${combination} has no effect on the data. Measure another quantity, or fix one of the parameters.`,
};
