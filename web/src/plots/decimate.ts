// Reduces curves to about as many points as there are pixels, without losing any peak.

/** Lower and upper limit, both included. */
export type Range = readonly [number, number];

/** An interval of rows; `end` is the first row after it. */
export interface Rows {
  first: number;
  end: number;
}

/** Returns the index of the first of ascending numbers that is not below `value`; their count if there is none. */
function lowerBound(ascending: Float64Array, value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the rows within a range of ascending places, and one more on each side, so that curves continue to the
 * edge. */
export function rowsAround(places: Float64Array, [from, to]: Range): Rows {
  const first = Math.max(lowerBound(places, from) - 1, 0);
  let end = lowerBound(places, to);
  while (end < places.length && places[end] === to) end++;
  return { first, end: Math.min(end + 1, places.length) };
}

/** Returns the rows within a range of ascending places. */
export function rowsWithin(places: Float64Array, range: Range): Rows {
  const { first, end } = rowsAround(places, range);
  return {
    first: first + Number((places[first] as number) < range[0]),
    end: end - Number((places[end - 1] as number) > range[1]),
  };
}

/** Returns the row with the place nearest to `value`; -1 without rows. */
export function nearestRow(places: Float64Array, value: number): number {
  const after = Math.min(lowerBound(places, value), places.length - 1);
  const nearer = after > 0 && value - (places[after - 1] as number) < (places[after] as number) - value;
  return nearer ? after - 1 : after;
}

/** From this size on, buckets consist of whole blocks of 1 / PART of the next smaller power of two, so that few
 * blocks fill each bucket. */
const COARSE = 64;
const PART = 8;

/** Returns the number of rows in each of at most `buckets` + 1 buckets, of which the first and the last may be
 * incomplete (nextBucket()); for many rows a multiple of a power of two. */
export function bucketSize({ first, end }: Rows, buckets: number): number {
  const size = Math.max(1, Math.ceil((end - first) / Math.max(buckets, 1)));
  if (size < COARSE) return size;
  const block = 2 ** Math.floor(Math.log2(size)) / PART;
  return Math.ceil(size / block) * block;
}

/** Returns the first row after the bucket of a row. Buckets begin at multiples of their size, so that they do not
 * depend on the visible rows; the first and last bucket may be incomplete. */
export function nextBucket(row: number, end: number, size: number): number {
  return Math.min(row - (row % size) + size, end);
}

/** Returns the places of the first and last row of each bucket, at which its extremes are drawn; for buckets of one
 * row the place of that row. */
export function bucketPlaces(places: Float64Array, { first, end }: Rows, size: number): number[] {
  if (size === 1) return Array.from(places.subarray(first, end));
  const found: number[] = [];
  for (let row = first; row < end;) {
    const next = nextBucket(row, end, size);
    found.push(places[row] as number, places[next - 1] as number);
    row = next;
  }
  return found;
}

/** Returns the minimum and maximum of the finite values; undefined if there are none. */
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
