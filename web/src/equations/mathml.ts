// Creates MathML elements from formulas of the solver, labels and numbers.
import { formatNumber } from "../app/format";
import type { Value } from "./types";

const MATHML = "http://www.w3.org/1998/Math/MathML";
/** The elements that the solver writes; all others are removed. */
const ELEMENTS = new Set("math mrow mi mo mn mtext mspace msub msup msubsup mover mfrac mtable mtr mtd".split(" "));
const ATTRIBUTES = new Set(["data-symbol", "accent", "width", "mathvariant", "form"]);
const LETTERS: Record<string, string> = { theta: "θ", phi: "φ", omega: "𝛚", r: "𝐫", p: "𝐩", s: "𝐬", d: "𝐝", u: "𝐮" };

export function m(tag: string, ...children: (Node | string)[]): Element {
  const element = document.createElementNS(MATHML, tag);
  element.append(...children);
  return element;
}

function copied(from: Element): Element {
  const element = m(from.localName);
  for (const { name, value } of from.attributes) if (ATTRIBUTES.has(name)) element.setAttribute(name, value);
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) element.append(child.textContent ?? "");
    else if (child instanceof Element && ELEMENTS.has(child.localName)) element.append(copied(child));
  }
  return element;
}

/** Creates a formula of the solver. */
export function formula(mathml: string): Element {
  const whole = mathml.startsWith("<math") ? mathml : `<math>${mathml}</math>`;
  const read = new DOMParser().parseFromString(whole, "text/html").querySelector("math");
  return read ? copied(read) : m("math");
}

/** Creates a formula of the solver that breaks before the signs of its sums if it is too wide for one line. */
export function lines(mathml: string): Element[] {
  const whole = formula(mathml);
  const [row] = whole.children;
  const terms: Element[] = [];
  const isSign = (each: Element): boolean => each.localName === "mo" && /^[+\u2212]$/.test(each.textContent ?? "");
  if (whole.children.length !== 1 || row?.localName !== "mrow" || ![...row.children].some(isSign)) return [whole];
  for (const each of [...row.children]) {
    if (terms.length === 0 || isSign(each)) terms.push(m("math"));
    if (isSign(each) && terms.length > 1) each.setAttribute("form", "infix");
    terms[terms.length - 1]?.append(each);
  }
  return terms;
}

/** Creates a label: "theta_{3,1}", "r_2" or "s_1^{A}" as a letter with indices, other labels as names. */
export function label(text: string): Node {
  const [, letter = "", bare, braced, over] = /^([A-Za-z]+)_(?:(\w+)|\{([^{}]*)\})(?:\^\{([^{}]*)\})?$/.exec(text) ?? [];
  if (!(letter in LETTERS)) return document.createTextNode(text);
  const parts = [m("mi", LETTERS[letter] ?? letter), m("mtext", bare ?? braced ?? "")];
  return m("math", over === undefined ? m("msub", ...parts) : m("msubsup", ...parts, m("mtext", over)));
}

/** The characters of what the solver spells. A prime of a matrix is a transpose, that of theta a derivative. */
const CHARACTERS: [RegExp, string][] = [
  [/\btheta''/g, "θ″"],
  [/\btheta'/g, "θ′"],
  [/\btheta\b/g, "θ"],
  [/\b([BC])'/g, "$1ᵀ"],
  [/\bBdot\b/g, "Ḃ"],
  [/\blambda\b/g, "λ"],
  [/\bgamma\b/g, "γ"],
  [/\bPhi\b/g, "Φ"],
  [/ - /g, " − "],
];

/** A sentence of the solver, in which labels and names such as "theta_{3,1}" and "s_1^{A}" are formulas. */
export function sentence(text: string): Node[] {
  const written = CHARACTERS.reduce((done, [spelled, character]) => done.replace(spelled, character), text);
  const parts = written.split(/\b((?:theta|phi|omega|[a-z])_(?:[A-Za-z0-9]+|\{[^{}]*\})(?:\^\{[^{}]*\})?)(?!\w)/);
  return parts.map((part, index) => (index % 2 ? label(part) : document.createTextNode(part)));
}

const DIGITS = 4;

function number(value: Value): Element {
  const text = typeof value === "number" ? formatNumber(Math.abs(value) < 1e-12 ? 0 : value, DIGITS) : "–";
  return m("mn", text.replace("-", "−"));
}

/** Creates rows of numbers, in brackets if there is more than one number. */
export function numbers(rows: Value[][]): Element {
  if (rows.length === 1 && rows[0]?.length === 1) return m("math", number(rows[0][0] ?? null));
  const table = m("mtable", ...rows.map((row) => m("mtr", ...row.map((each) => m("mtd", number(each))))));
  return m("math", m("mrow", m("mo", "["), table, m("mo", "]")));
}

/** Converts the value of a symbol, a number, column or matrix, to rows. */
export function valueRows(value: Value): Value[][] {
  if (!Array.isArray(value)) return [[value]];
  return value.map((row) => (Array.isArray(row) ? row : [row]));
}
