/** An amount of money as whole millionths, in which sums are exact. */
export function toMillionths(amount: number): number {
  return Math.round(amount * 1_000_000);
}

export function fromMillionths(millionths: number): number {
  return millionths / 1_000_000;
}
