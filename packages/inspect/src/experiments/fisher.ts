/** Logarithms of factorials, each made from the one before. */
const logFactorials = [0];

function logChoose(n: number, k: number): number {
  for (let at = logFactorials.length; at <= n; at++)
    logFactorials.push((logFactorials[at - 1] as number) + Math.log(at));
  const [whole, part, rest] = [logFactorials[n], logFactorials[k], logFactorials[n - k]] as [
    number,
    number,
    number,
  ];
  return whole - part - rest;
}

/** Fisher's exact test, two-sided: the probability of counts as far apart as these when both have the same chance. */
export function fisher(met: number, count: number, wasMet: number, wasCount: number): number {
  const total = met + wasMet;
  const logWhole = logChoose(count + wasCount, total);
  const chance = (first: number): number =>
    Math.exp(logChoose(count, first) + logChoose(wasCount, total - first) - logWhole);
  const seen = chance(met);
  let sum = 0;
  for (let first = Math.max(0, total - wasCount); first <= Math.min(count, total); first++) {
    const one = chance(first);
    // Equal ones may differ in their last digits.
    if (one <= seen * (1 + 1e-9)) sum += one;
  }
  return Math.min(1, sum);
}
