// The unit of one column: the array says it for each, or for all of them at once.
import type { ArrayInfo } from "../app/api";

/** "" where it is not known. */
export function unitOf(array: ArrayInfo, label: string): string {
  const unit = array.units?.[array.labels.indexOf(label)];
  return unit || (array.units ? "" : (array.unit ?? ""));
}
