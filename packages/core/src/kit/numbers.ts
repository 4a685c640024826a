/** Converts an amount of money to whole millionths, in which sums are exact. */
export function toMillionths(amount: number): number {
  return Math.round(amount * 1_000_000);
}

export function fromMillionths(millionths: number): number {
  return millionths / 1_000_000;
}

/** A whole number of tokens; 0 for an invalid count. */
export function count(value: unknown): number {
  return isCount(value) ? Math.min(Math.round(value), Number.MAX_SAFE_INTEGER) : 0;
}

/** True for a valid count. Minus zero is none, because JSON cannot hold it. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && (value > 0 || Object.is(value, 0));
}
