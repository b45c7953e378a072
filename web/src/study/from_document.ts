// Reads the study of a document into the fields of the study form.
import { asFields, asList, type Fields } from "../document/fields";
import { measuredOf } from "../document/pointer";
import { isCounted, type StudyRequest, type ObjectiveInput, type Measurement, type Output, type Varied } from "./request";

function textOf(value: unknown, otherwise = ""): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : otherwise;
}

/** Returns a value without blanks, which separate the values of a list. */
function itemOf(value: unknown): string {
  const measured = typeof value === "string" ? measuredOf(value) : undefined;
  const text = measured ? `${measured.value}${measured.unit.replace(/\s+/g, "*")}` : textOf(value);
  return text.replace(/\s+/g, "");
}

function variedOf(vary: Fields): Varied {
  const { parameter, from, to, count, scale, values, uniform, normal, bounds, start } = vary;
  const drawn = asList(uniform ?? normal ?? bounds);
  const spread = values ? "values" : normal ? "normal" : uniform ? "uniform" : textOf(scale, "linear");
  return {
    name: textOf(parameter),
    from: textOf(from ?? drawn[0]),
    to: textOf(to ?? drawn[1]),
    count: textOf(count),
    spread,
    values: asList(values).map(itemOf).join(", "),
    factor: 1,
    start: textOf(start),
  };
}

function objectiveInputOf(optimize: Fields): ObjectiveInput {
  const { minimize, maximize, subject_to: constraints, method } = optimize;
  return {
    direction: maximize === undefined ? "minimize" : "maximize",
    objective: textOf(maximize ?? minimize),
    constraints: asList(constraints).map((each) => textOf(each)),
    method: textOf(method, "auto"),
  };
}

function measurementOf({ of, t, values, sigma }: Fields): Measurement {
  const times = asList(t);
  const cells = (each: unknown, i: number): unknown[] => (t === undefined ? [each] : [times[i], each]);
  const rows = asList(values).map((each, i) => cells(each, i).map((cell) => textOf(cell)));
  const sigmas = Array.isArray(sigma) ? sigma : [sigma];
  return {
    of: textOf(of),
    rows: rows.map((row) => row.join("\t")).join("\n"),
    sigma: sigmas.map((each) => textOf(each)).join(", "),
  };
}

function outputOf({ name, of, take, at, when, direction, count }: Fields): Output {
  return {
    name: textOf(name),
    of: textOf(of),
    take: textOf(take, "final"),
    at: textOf(at, "0"),
    when: when === undefined ? undefined : textOf(when),
    direction: textOf(direction, "either"),
    count: textOf(count, "1"),
  };
}

/** Returns undefined if the document has no study. Omits parameters that have only the document's value. */
export function studyFromDocument(document: Fields): StudyRequest | undefined {
  if (document.study === undefined) return undefined;
  const { vary, design, runs, seed, outputs, optimize, fit } = asFields(document.study);
  const purpose = fit !== undefined ? "fit" : optimize !== undefined ? "optimize" : "runs";
  const kind = textOf(design, "grid");
  const varied = asList(vary).map((each) => variedOf(asFields(each)));
  const ranges = varied.filter(({ from, to, values }) => values !== "" || (from !== "" && to !== ""));
  return {
    purpose,
    objective: objectiveInputOf(asFields(optimize)),
    data: asList(asFields(fit).data).map((each) => measurementOf(asFields(each))),
    fitMethod: textOf(asFields(fit).method, "auto"),
    most: purpose === "runs" ? "" : textOf(runs),
    vary: purpose === "runs" ? ranges : varied,
    design: kind,
    runs: textOf(runs, isCounted(kind) ? "" : "100"),
    seed: textOf(seed, "1"),
    outputs: asList(outputs).map((each) => outputOf(asFields(each))),
  };
}
