// Compares documents that are given as text.

/** Returns the JSON of a text without layout; the text itself if it is not JSON. */
function content(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Returns true if two documents are equal except for their layout. */
export function isSameDocument(one: string, other: string): boolean {
  return one === other || content(one) === content(other);
}

interface Wrapped {
  model?: Record<string, unknown>;
  analysis?: unknown;
  study?: { vary?: { parameter?: string }[] };
}

/** Returns the model and analysis of a document as JSON, without the values of some parameters. */
function modelApartFrom(text: string, parameters: Set<string | undefined>): string {
  const document = JSON.parse(text) as Wrapped;
  const model = document.model ?? (document as Record<string, unknown>);
  const { analysis, parameters: values, ...rest } = model;
  const others = Object.entries((values ?? {}) as object).filter(([name]) => !parameters.has(name));
  return JSON.stringify([rest, document.analysis ?? analysis, Object.fromEntries(others)]);
}

/** Returns true if a document contains a study. */
export function hasStudy(text: string): boolean {
  return studyOf(text) !== undefined;
}

function studyOf(text: string): Wrapped["study"] {
  try {
    return (JSON.parse(text) as Wrapped).study;
  } catch {
    return undefined;
  }
}

/** Returns true if a text is the model of a study, except for the values of the varied parameters. */
export function isModelOf(study: string, text: string): boolean {
  const varied = studyOf(study);
  if (!varied) return false;
  const names = new Set(varied.vary?.map(({ parameter }) => parameter));
  try {
    return modelApartFrom(study, names) === modelApartFrom(text, names);
  } catch {
    return false;
  }
}
