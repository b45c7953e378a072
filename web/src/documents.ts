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
