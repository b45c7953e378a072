// Documents as texts.

/** The JSON of a text without its layout; the text itself where it is no JSON. */
function content(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Whether two documents say the same, however they are laid out. */
export function isSameDocument(one: string, other: string): boolean {
  return one === other || content(one) === content(other);
}

interface Wrapped {
  model?: Record<string, unknown>;
  analysis?: unknown;
  study?: { vary?: { parameter?: string }[] };
}

/** The model and analysis of a document, whatever values some parameters have in it. */
function modelApartFrom(text: string, parameters: Set<string | undefined>): string {
  const document = JSON.parse(text) as Wrapped;
  const model = document.model ?? (document as Record<string, unknown>);
  const { analysis, parameters: values, ...rest } = model;
  const others = Object.entries((values ?? {}) as object).filter(([name]) => !parameters.has(name));
  return JSON.stringify([rest, document.analysis ?? analysis, Object.fromEntries(others)]);
}

/** Whether a document has a study. */
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

/** Whether a text is the model of a study, whatever values it has of the parameters that vary there. */
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
