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

/** The rows within a range of their ascending places. */
export function rowsWithin(places: Float64Array, range: Range): Rows {
  const { first, end } = rowsAround(places, range);
  return {
    first: first + Number((places[first] as number) < range[0]),
    end: end - Number((places[end - 1] as number) > range[1]),
  };
}

/** The row whose place is nearest to `value`, -1 without rows. */
export function nearestRow(places: Float64Array, value: number): number {
  const after = Math.min(lowerBound(places, value), places.length - 1);
  const nearer = after > 0 && value - (places[after - 1] as number) < (places[after] as number) - value;
  return nearer ? after - 1 : after;
}

/** Sizes of buckets from here on are whole blocks of so small a part of them that a few blocks fill each bucket. */
const COARSE = 64;
const PART = 8;

/** How many rows each of at most `buckets` buckets gets; of many rows, a multiple of a power of two. */
export function bucketSize({ first, end }: Rows, buckets: number): number {
  const size = Math.max(1, Math.ceil((end - first) / Math.max(buckets, 1)));
  if (size < COARSE) return size;
  const block = 2 ** Math.floor(Math.log2(size)) / PART;
  return Math.ceil(size / block) * block;
}

/** The first row behind the bucket that a row is in. Buckets begin at multiples of their size, so that they are the same
 * ones when other rows are looked at; the first and the last may be parts of one. */
export function nextBucket(row: number, end: number, size: number): number {
  return Math.min(row - (row % size) + size, end);
}

/** Of each bucket of `size` rows the places of the first and the last, where its extremes are drawn; of buckets of one
 * row that row's. */
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
