/** Converts an amount of money to whole millionths, in which sums are exact. */
export function toMillionths(amount: number): number {
  return Math.round(amount * 1_000_000);
}

export function fromMillionths(millionths: number): number {
  return millionths / 1_000_000;
}
