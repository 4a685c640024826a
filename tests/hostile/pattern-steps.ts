/** Tries to go on at a place of the text; null when the rest of the pattern does not match there. */
type Next = (at: number) => number | null;
type Matcher = {
  (text: string, at: number, next: Next): number | null;
  /** Set for a matcher of one character, so that its repetitions need no recursion. */
  fits?: (text: string, at: number) => boolean;
};
type Reader = { readonly source: string; readonly flags: string; at: number };

let steps = 0;

/**
 * The steps that a backtracking engine takes for all patterns of an act: one for each character that it compares and
 * each place at which it begins. The engine here has no shortcuts, so a real one takes fewer. It reads groups, classes,
 * look-aheads and repetitions, but no references. @throws Error when it finds another match than the real engine.
 */
export function patternStepsOf(act: () => unknown): number {
  const { exec } = RegExp.prototype;
  const matchers = new Map<string, Matcher>();
  steps = 0;
  RegExp.prototype.exec = function counted(this: RegExp, text: string) {
    const start = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, text);
    RegExp.prototype.exec = exec;
    const matcher = matchers.get(String(this)) ?? matcherOf(this);
    matchers.set(String(this), matcher);
    const own = search(matcher, text, start);
    RegExp.prototype.exec = counted;
    if (own?.at !== found?.index || own?.end !== (found ? found.index + found[0].length : undefined))
      throw new Error(`The counter finds another match of ${String(this)}.`);
    return found;
  };
  try {
    act();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return steps;
}

function search(matcher: Matcher, text: string, from: number): { at: number; end: number } | null {
  for (let at = from; at <= text.length; at++) {
    steps++;
    const end = matcher(text, at, (last) => last);
    if (end !== null) return { at, end };
  }
  return null;
}

function matcherOf({ source, flags }: RegExp): Matcher {
  if (/[muy]/.test(flags)) throw new Error(`The counter does not read the flags ${flags}.`);
  return readChoice({ source, flags, at: 0 });
}

function readChoice(reader: Reader): Matcher {
  const ways = [readSequence(reader)];
  while (reader.source[reader.at] === '|') {
    reader.at++;
    ways.push(readSequence(reader));
  }
  return (text, at, next) => {
    for (const way of ways) {
      const end = way(text, at, next);
      if (end !== null) return end;
    }
    return null;
  };
}

function readSequence(reader: Reader): Matcher {
  const parts: Matcher[] = [];
  while (reader.at < reader.source.length && !'|)'.includes(reader.source[reader.at] as string))
    parts.push(readRepeat(reader, readAtom(reader)));
  const from =
    (index: number): Matcher =>
    (text, at, next) => {
      const part = parts[index];
      return part === undefined ? next(at) : part(text, at, (end) => from(index + 1)(text, end, next));
    };
  return from(0);
}

function readRepeat(reader: Reader, inner: Matcher): Matcher {
  const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)/.exec(reader.source.slice(reader.at));
  if (found === null) return inner;
  reader.at += found[0].length;
  const [, sign, low, comma, high, lazy] = found;
  const min = sign === '+' ? 1 : Number(low ?? 0);
  const isEndless = sign === '*' || sign === '+' || (comma === ',' && high === '');
  const max = isEndless ? Infinity : sign === '?' ? 1 : Number(high || low);
  const { fits } = inner;
  if (fits !== undefined) return repeatOne(fits, { min, max, isLazy: lazy === '?' });
  const repeat =
    (count: number): Matcher =>
    (text, at, next) => {
      const more = (): number | null =>
        count >= max
          ? null
          : inner(text, at, (end) =>
              end === at && count >= min ? null : repeat(count + 1)(text, end, next),
            );
      const enough = (): number | null => (count < min ? null : next(at));
      return lazy === '?' ? (enough() ?? more()) : (more() ?? enough());
    };
  return repeat(0);
}

type Bounds = { readonly min: number; readonly max: number; readonly isLazy: boolean };

function repeatOne(fits: NonNullable<Matcher['fits']>, { min, max, isLazy }: Bounds): Matcher {
  return (text, at, next) => {
    const first = isLazy ? min : max;
    let count = 0;
    while (count < first && fits(text, at + count)) count++;
    if (count < min) return null;
    for (;;) {
      steps++;
      const end = next(at + count);
      if (end !== null) return end;
      if (isLazy ? count >= max || !fits(text, at + count) : count === min) return null;
      count += isLazy ? 1 : -1;
    }
  };
}

function readAtom(reader: Reader): Matcher {
  const rest = reader.source.slice(reader.at);
  const opening = /^\((?:\?[:=!])?/.exec(rest)?.[0];
  if (opening !== undefined) return readGroup(reader, opening);
  const atom = /^(?:\[(?:\\.|[^\]\\])*\]|\\u[\da-f]{4}|\\x[\da-f]{2}|\\.|.)/is.exec(rest)?.[0] ?? '';
  reader.at += atom.length;
  if (atom === '^') return (_text, at, next) => (at === 0 ? next(at) : null);
  if (atom === '$') return (text, at, next) => (at === text.length ? next(at) : null);
  if (atom === '\\b')
    return (text, at, next) => (isWord(text, at - 1) === isWord(text, at) ? null : next(at));
  const one = new RegExp(`^(?:${atom})$`, reader.flags.replace('g', ''));
  const known = new Map<string, boolean>();
  const fits = (text: string, at: number): boolean => {
    if (at >= text.length) return false;
    steps++;
    const letter = text[at] as string;
    const isIn = known.get(letter) ?? one.test(letter);
    known.set(letter, isIn);
    return isIn;
  };
  const matcher: Matcher = (text, at, next) => (fits(text, at) ? next(at + 1) : null);
  return Object.assign(matcher, { fits });
}

function readGroup(reader: Reader, opening: string): Matcher {
  reader.at += opening.length;
  const inner = readChoice(reader);
  reader.at++;
  if (!/[=!]$/.test(opening)) return inner;
  const isWanted = opening.endsWith('=');
  return (text, at, next) => ((inner(text, at, (end) => end) !== null) === isWanted ? next(at) : null);
}

function isWord(text: string, at: number): boolean {
  return /\w/.test(text[at] ?? '');
}
