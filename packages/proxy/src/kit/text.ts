/** The most similar names, nearest first, without those of which more than a part of the letters (half) differs. */
export function nearestNames(name: string, names: readonly string[], most = 3, part = 1 / 2): string[] {
  return names
    .map((other) => ({ other, distance: distance(name, other) }))
    .filter(({ other, distance: far }) => far <= Math.max(name.length, other.length) * part)
    .toSorted((one, two) => one.distance - two.distance || one.other.localeCompare(two.other))
    .slice(0, most)
    .map(({ other }) => other);
}

/** The Levenshtein distance: letters to insert, remove or change. */
function distance(one: string, two: string): number {
  let row = Array.from({ length: two.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let other = 1; other <= two.length; other++) {
      const changed = (row[other - 1] ?? 0) + (one[at - 1] === two[other - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[other] ?? 0) + 1, (next[other - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Returns labels unchanged until there are `most` different ones; further ones become `other`. */
export function boundedLabel(most: number): (label: string) => string {
  const known = new Set<string>();
  return (label) => {
    if (known.size < most) known.add(label);
    return known.has(label) ? label : 'other';
  };
}
