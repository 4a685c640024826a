import { type DeltaPattern, eventWith, patternOf, textIn } from './delta-pattern.ts';

/** The part of a model's stream that matters here. */
export type Part = {
  readonly type: string;
  readonly id?: string;
  readonly delta?: string;
  readonly providerMetadata?: unknown;
};

/** Compares a provider's events with the parts that a package makes of them, and predicts the certain ones. */
export type Shortcut = {
  /**
   * Takes the next event. Returns its part, or returns null and adds to `feed` the events that the package must read.
   */
  readonly event: (event: string, feed: string[]) => Part | null;
  /** Ends the events and adds to `feed` the text that the package has not read yet. */
  readonly end: (feed: string[]) => void;
  /**
   * Takes the next part of the package; false when it was already predicted. @throws Error when it differs from the
   * prediction.
   */
  readonly part: (part: Part) => boolean;
};

/** Equal results of a package that make the events of a pattern certain. */
const certain = 2;

/** The most characters that the package may lag behind. */
const maxOwed = 65_536;

/** The most texts that are kept one by one, because each takes several times the space of its characters. */
const maxLoose = 32;

/** A package begins the result of an event with `raw`; a comment gives no result. */
const hasData = (event: string): boolean => /^data:/m.test(event);

/**
 * Predicts the parts of similar events. Most events of an answer differ in their text only. When two similar events in
 * a row have left the package as exactly one delta each, with exactly that text, the next one will as well, and its
 * delta is emitted at once. The predicted text goes to the package as one event of the same pattern before any other
 * event, so that it has read the whole answer; the delta that it makes of that is dropped. The package must mark the
 * beginning of each event with a part `raw` (`includeRawChunks` of the call), because its late results could otherwise
 * be mistaken for the results of the next event. A package without it reads every event.
 */
export function createShortcut(): Shortcut {
  let pattern: DeltaPattern | null = null;
  let kind: Delta | null = null;
  let seen = 0;
  /** The number of events that the package was given and has not begun. */
  let behind = 0;
  /** The last event that the package was given, and the parts of the event that it began last. */
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
        // The previous event gave more parts than the pattern has.
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

/** A delta with nothing but its text. */
function plainDelta(part: Part | undefined): Delta | null {
  if (part === undefined || (part.type !== 'text-delta' && part.type !== 'reasoning-delta')) return null;
  const { delta = '', providerMetadata } = part;
  return delta === '' || providerMetadata !== undefined ? null : deltaOf({ ...part, delta }, delta);
}
