/** Bounds by their names, each with the unit in which it counts. */
export type Bounds = Readonly<Record<string, { readonly unit: string; readonly bound: number }>>;

/** Units whose bounds add up over the house: a row that is new takes its room from the others. */
const sums: ReadonlySet<string> = new Set(['lines', 'names']);

/** The bounds that rose by more than others of their unit fell, in sentences; none when each rise was paid for. */
export function unpaidRises(before: Bounds, after: Bounds): readonly string[] {
  // A unit that is counted for the first time has nothing to take room from.
  const units = new Set(Object.values(before).map(({ unit }) => unit));
  return [...units].flatMap((unit) => {
    const changes = Object.entries(after).flatMap(([name, { unit: own, bound }]) => {
      const old = before[name]?.bound ?? (sums.has(unit) ? 0 : bound);
      return own === unit && old !== bound ? [{ name, old, bound }] : [];
    });
    const sum = changes.reduce((all, { old, bound }) => all + bound - old, 0);
    if (sum <= 0) return [];
    const risen = changes.filter(({ old, bound }) => bound > old);
    return [
      `${unit}: ${risen.map(({ name, old, bound }) => `${name} ${old} -> ${bound}`).join(', ')}; ${sum} more than others fell by`,
    ];
  });
}
