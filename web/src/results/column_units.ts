// The unit of a column: an array has one unit for each column, or one for all of them.
import type { ArrayInfo } from "../app/api";

/** Returns the unit of a column; "" if it is not known. */
export function unitOf(array: ArrayInfo, label: string): string {
  const unit = array.units?.[array.labels.indexOf(label)];
  return unit || (array.units ? "" : (array.unit ?? ""));
}
