/** Verbs, and nouns for what a function returns, that end as a participle does. */
const others = new Set(
  (
    'awaken between bleed breed children deepen embed exceed fasten feed flatten happen hasten heed lengthen listen need open proceed ' +
    'reopen screen seed sharpen shed shorten shred speed strengthen succeed threaten tighten token then wed weed widen ' +
    'nothing pending reasoning remaining setting spending steering'
  ).split(' '),
);

/** Participles that end in no `-ed` and no `-en`. */
const irregular = new Set(
  (
    'begun bent born bound bought brought built caught dealt done drawn dug fed felt flown fought found gone got ground ' +
    'grown heard held hung kept known laid led lent lost made meant met paid said sent shone shown sold sought spent ' +
    'spun stood struck stuck sung sunk swept sworn taught thought thrown told torn undone understood wept withdrawn ' +
    'won worn wound'
  ).split(' '),
);

/** Participles that may name a function, with the reason of each. */
const kept: Readonly<Record<string, string>> = {
  unlimited: '`ExecutionBudget.unlimited()` is the budget itself, as `Usage.none()` is.',
};

/** The fault of a function's name, which must be more than a participle; null for a good name. */
export function functionNameFault(name: string): string | null {
  if (!/^[a-z]+$/.test(name) || others.has(name) || Object.hasOwn(kept, name)) return null;
  if (!/(ed|en|ing)$/.test(name) && !irregular.has(name)) return null;
  return `${name}: a function is a verb with its object (readStored, openChannel). A bare participle names a value or a boolean.`;
}

/** The fault of a variable's or a parameter's name; null for a good name. */
export function valueNameFault(name: string): string | null {
  return name === 'of'
    ? 'of: a preposition names no value. Say which thing it is (thread, owner, state).'
    : null;
}
