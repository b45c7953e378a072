// Curves with as many points as there are pixels, in which no peak of the rows is lost.

/** From and to, both included. */
export type Range = readonly [number, number];

/** Numbers of rows; `end` is the first behind them. */
export interface Rows {
  first: number;
  end: number;
}

/** The first of the ascending numbers that is not below `value`; their count if there is none. */
function lowerBound(ascending: Float64Array, value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rows within a range of their ascending places, and one more at each side, to which curves lead. */
export function rowsAround(places: Float64Array, [from, to]: Range): Rows {
  const first = Math.max(lowerBound(places, from) - 1, 0);
  let end = lowerBound(places, to);
  while (end < places.length && places[end] === to) end++;
  return { first, end: Math.min(end + 1, places.length) };
}

/** The row whose place is nearest to `value`, -1 without rows. */
export function nearestRow(places: Float64Array, value: number): number {
  const after = Math.min(lowerBound(places, value), places.length - 1);
  const nearer = after > 0 && value - (places[after - 1] as number) < (places[after] as number) - value;
  return nearer ? after - 1 : after;
}

/** How many rows each of at most `buckets` buckets gets. */
export function bucketSize({ first, end }: Rows, buckets: number): number {
  return Math.max(1, Math.ceil((end - first) / Math.max(buckets, 1)));
}

/** Of each bucket of `size` rows the places of the first and the last, where its `extremes` are drawn; of buckets of one
 * row that row's. */
export function bucketPlaces(places: Float64Array, { first, end }: Rows, size: number): number[] {
  if (size === 1) return Array.from(places.subarray(first, end));
  const found: number[] = [];
  for (let row = first; row < end; row += size)
    found.push(places[row] as number, places[Math.min(row + size, end) - 1] as number);
  return found;
}

/** Of each bucket of `size` rows its least and its greatest value, in the order in which they come; of buckets of one row
 * that row's value. Null where no value is finite. */
export function extremes(values: Float64Array, { first, end }: Rows, size: number): (number | null)[] {
  if (size === 1) return Array.from(values.subarray(first, end), (value) => (Number.isFinite(value) ? value : null));
  const found: (number | null)[] = [];
  for (let row = first; row < end; row += size) {
    const next = Math.min(row + size, end);
    let [least, greatest, leastRow, greatestRow] = [Infinity, -Infinity, -1, -1];
    for (let i = row; i < next; i++) {
      const value = values[i] as number;
      if (value - value !== 0) continue; // not finite
      if (value < least) {
        least = value;
        leastRow = i;
      }
      if (value > greatest) {
        greatest = value;
        greatestRow = i;
      }
    }
    if (leastRow < 0) found.push(null, null);
    else if (leastRow < greatestRow) found.push(least, greatest);
    else found.push(greatest, least);
  }
  return found;
}

/** The least and the greatest of finite values; undefined where there is none. */
export function limitsOf(values: ArrayLike<number | null | undefined>): Range | undefined {
  let [least, greatest] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value == null || !Number.isFinite(value)) continue;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return least <= greatest ? [least, greatest] : undefined;
}
