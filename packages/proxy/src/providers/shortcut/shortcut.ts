import { type DeltaPattern, eventWith, patternOf, textIn } from './delta-pattern.ts';

/** A part of a model's stream, as far as it matters here. */
export type Part = {
  readonly type: string;
  readonly id?: string;
  readonly delta?: string;
  readonly providerMetadata?: unknown;
};

/** Follows what a package makes of a provider's events, and says in its place what is certain. */
export type Shortcut = {
  /** Takes the next event: gives the part that it is, or null and adds to `feed` what the package is to be given. */
  readonly event: (event: string, feed: string[]) => Part | null;
  /** There are no more events; adds to `feed` what the package has not been given. */
  readonly end: (feed: string[]) => void;
  /** Takes the next part of the package: false when it has been said already. @throws Error when it was another one. */
  readonly part: (part: Part) => boolean;
};

/** How often the package must have made one and the same of events of a pattern before it is asked no more. */
const certain = 2;

/** How many characters the package may be behind. */
const maxOwed = 65_536;

/** How many texts are kept one by one: each takes several times the place of its letters, and a chain of them more. */
const maxLoose = 32;

/** What a package makes of an event begins with `raw`; of a comment it makes nothing. */
const hasData = (event: string): boolean => /^data:/m.test(event);

/**
 * Most events of an answer say the same but for a few letters. When two of them in a row, alike but for their text, have
 * come out of the package as exactly one delta each, with exactly that text, so will the next one: it is said at once.
 * What was said this way goes to the package as one event of the same pattern before any other event does, so that it has
 * read all of the answer, and what it makes of it is left out. The package has to tell with a part `raw` where it begins
 * an event (`includeRawChunks` of the call): otherwise what it makes late of one could be taken for what it makes of the
 * next. One that does not is asked for every event.
 */
export function createShortcut(): Shortcut {
  let pattern: DeltaPattern | null = null;
  let kind: Delta | null = null;
  let seen = 0;
  /** How many events the package has been given that it has not begun yet. */
  let behind = 0;
  /** The event that it was given last, and what has come out of it of the one that it has begun last. */
  let last: string | null = null;
  let made: Part[] = [];
  let owed: string[] = [];
  let owedLength = 0;
  const said: string[] = [];

  function learn(): void {
    if (last === null) return;
    const delta = behind === 0 && made.length === 1 ? plainDelta(made[0]) : null;
    const found = delta && patternOf(last, delta.delta);
    const isSame = found?.before === pattern?.before && found?.after === pattern?.after;
    const isSameKind = delta?.type === kind?.type && delta?.id === kind?.id;
    seen = found === null ? 0 : isSame && isSameKind ? seen + 1 : 1;
    [pattern, kind, last] = [found, delta, null];
  }

  function give(event: string, feed: string[]): void {
    feed.push(event);
    if (hasData(event)) behind++;
  }

  function owe(text: string): void {
    if (owed.length === maxLoose) owed = [owed.join('')];
    owed.push(text);
    owedLength += text.length;
  }

  function pay(feed: string[]): void {
    if (owed.length === 0 || pattern === null) return;
    const text = owed.join('');
    give(eventWith(pattern, text), feed);
    said.push(text);
    owed = [];
    owedLength = 0;
  }

  return {
    event(event, feed) {
      learn();
      const text = seen >= certain && pattern !== null ? textIn(pattern, event) : null;
      if (text && kind) {
        owe(text);
        if (owedLength > maxOwed) pay(feed);
        return deltaOf(kind, text);
      }
      pay(feed);
      give(event, feed);
      last = event;
      return null;
    },
    end: pay,
    part(part) {
      if (part.type === 'raw') {
        behind--;
        // More has come of the event before than what was learned of it.
        if (made.length !== 1) seen = 0;
        made = [];
        return false;
      }
      if (made.length < 2) made.push(part);
      const text = said.shift();
      if (text === undefined) return true;
      if (part.delta === text) return false;
      throw new Error('What was said of the answer is not what its provider’s package has read.');
    },
  };
}

type Delta = { readonly type: string; readonly id?: string; readonly delta: string };

const deltaOf = ({ type, id }: Delta, delta: string): Delta =>
  id === undefined ? { type, delta } : { type, id, delta };

/** A delta that says nothing but its text. */
function plainDelta(part: Part | undefined): Delta | null {
  if (part === undefined || (part.type !== 'text-delta' && part.type !== 'reasoning-delta')) return null;
  const { delta = '', providerMetadata } = part;
  return delta === '' || providerMetadata !== undefined ? null : deltaOf({ ...part, delta }, delta);
}
