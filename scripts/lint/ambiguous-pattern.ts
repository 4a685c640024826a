/**
 * A conservative look for regular expressions whose cost grows with the square of a text or faster. Two repetitions
 * without an end are a fault when both can match the same text and what stands between them can match it too: the engine
 * then tries every place at which the one may end and the other begin. An expression that may begin anywhere counts as one
 * that follows a repetition of everything. Repetitions with an end count as bounded, whatever their end is.
 */
export function patternFault(source: string, flags: string): string | null {
  let pattern: Pattern;
  try {
    pattern = parsePattern(source);
  } catch (thrown) {
    return `The rule cannot read /${source}/: ${thrown instanceof Error ? thrown.message : ''}`;
  }
  const graph = createGraph(flags);
  const end = graph.add(pattern, [graph.start]);
  const isFree = !flags.includes('y') && !isAnchored(pattern, flags);
  const fault = graph.fault(end, isFree);
  return fault === null ? null : `/${source}/${flags}: ${fault}`;
}

/** True when every way through the pattern begins at the start of the text. */
function isAnchored(pattern: Pattern, flags: string): boolean {
  switch (pattern.type) {
    case 'start':
      return !flags.includes('m');
    case 'sequence': {
      const first = pattern.parts.find((part) => part.type !== 'assertion');
      return first !== undefined && isAnchored(first, flags);
    }
    case 'choice':
      return pattern.ways.every((way) => isAnchored(way, flags));
    case 'repeat':
      return pattern.min > 0 && isAnchored(pattern.inner, flags);
    default:
      return false;
  }
}

/** A place in the pattern that matches one character, or an assertion that may fail (`characters` is null). */
type Place = { readonly characters: CharacterSet | null; readonly next: Set<Place> };
type Loop = { readonly places: ReadonlySet<Place>; readonly characters: CharacterSet };

function createGraph(flags: string): {
  readonly start: Place;
  readonly add: (pattern: Pattern, from: readonly Place[]) => readonly Place[];
  readonly fault: (ends: readonly Place[], isFree: boolean) => string | null;
} {
  const start: Place = { characters: null, next: new Set() };
  const places: Place[] = [start];
  /** Places that a repetition within a repetition leads back to in two ways. */
  const doubled = new Set<Place>();

  function placed(characters: CharacterSet | null, from: readonly Place[]): readonly Place[] {
    const place: Place = { characters, next: new Set() };
    places.push(place);
    for (const before of from) before.next.add(place);
    return [place];
  }

  /** Returns the places at which the pattern may have ended. */
  function add(pattern: Pattern, from: readonly Place[]): readonly Place[] {
    switch (pattern.type) {
      case 'character':
        return placed(charactersOf(pattern.source, flags), from);
      // The start of the text stands within no repetition; that of a line stands behind a line feed.
      case 'start':
        return placed(new Set(flags.includes('m') ? ['\n'] : []), from);
      case 'assertion':
        return placed(null, from);
      case 'sequence':
        return pattern.parts.reduce((ends, part) => add(part, ends), from);
      case 'choice':
        return [...new Set(pattern.ways.flatMap((way) => add(way, from)))];
      case 'repeat':
        return addRepeat(pattern, from);
    }
  }

  function addRepeat({ inner, min, max }: Extract<Pattern, { type: 'repeat' }>, from: readonly Place[]) {
    const count = places.length;
    const ends = add(inner, from);
    if (max === Infinity) {
      const entries = places.slice(count).filter((place) => from.some((before) => before.next.has(place)));
      for (const end of ends.filter((place) => places.indexOf(place) >= count))
        for (const entry of entries) {
          if (end.next.has(entry)) doubled.add(entry);
          end.next.add(entry);
        }
    }
    return min === 0 ? [...new Set([...from, ...ends])] : ends;
  }

  function fault(ends: readonly Place[], isFree: boolean): string | null {
    const loops = loopsOf(places);
    const anything: Loop = { places: new Set([start]), characters: charactersOf('[^]', '') };
    for (const loop of loops)
      if (branches(loop) || [...doubled].some((place) => loop.places.has(place)))
        return 'one repetition can match a text in two ways.';
    for (const first of isFree ? [anything, ...loops] : loops) {
      for (const second of loops) {
        if (first === second || canStop(second, ends)) continue;
        if (!meets(first, second)) continue;
        return first === anything
          ? 'it may begin anywhere in what its repetition matches, and fail behind it each time. Anchor it, bound the repetition, or read the text in a loop.'
          : 'two repetitions without an end can match the same text. Bound one, or read the text in a loop.';
      }
    }
    return null;
  }

  return { start, add, fault };
}

/** True when the rest of the pattern may match nothing after each character of a loop, so that it cannot fail there. */
function canStop(loop: Loop, ends: readonly Place[]): boolean {
  return [...loop.places].every((place) => place.characters === null || ends.includes(place));
}

/** True when a text that both match leads from the one into the other. */
function meets(first: Loop, second: Loop): boolean {
  const common = both(first.characters, second.characters);
  if (common.size === 0) return false;
  const seen = new Set<Place>(first.places);
  const open = [...first.places];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const next of place.next) {
      if (second.places.has(next) && both(next.characters ?? common, common).size > 0) return true;
      if (seen.has(next) || (next.characters !== null && both(next.characters, common).size === 0)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return false;
}

/** True when two other places of the loop match the same character after one place of it. */
function branches(loop: Loop): boolean {
  return [...loop.places].some((place) => {
    const next = [...place.next].filter((other) => loop.places.has(other));
    return next.some((a, at) =>
      next
        .slice(at + 1)
        .some(
          (b) => a.characters === null || b.characters === null || both(a.characters, b.characters).size > 0,
        ),
    );
  });
}

/** The groups of places that lead back to themselves. */
function loopsOf(places: readonly Place[]): Loop[] {
  const reach = new Map(places.map((place) => [place, reachedFrom(place)]));
  const left = new Set(places.filter((place) => reach.get(place)?.has(place)));
  const loops: Loop[] = [];
  for (const place of left) {
    const group = [...left].filter((other) => reach.get(place)?.has(other) && reach.get(other)?.has(place));
    for (const other of group) left.delete(other);
    const characters = new Set(group.flatMap((other) => [...(other.characters ?? [])]));
    loops.push({ places: new Set(group), characters });
  }
  return loops;
}

function reachedFrom(place: Place): ReadonlySet<Place> {
  const seen = new Set<Place>();
  const open = [...place.next];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...next.next);
  }
  return seen;
}

function both(a: CharacterSet, b: CharacterSet): CharacterSet {
  return new Set([...a].filter((character) => b.has(character)));
}

/** A regular expression as a tree. Groups are not told apart; an assertion is anything that matches no character. */
type Pattern =
  | { readonly type: 'character'; readonly source: string }
  | { readonly type: 'start' }
  | { readonly type: 'assertion' }
  | { readonly type: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly type: 'choice'; readonly ways: readonly Pattern[] }
  | { readonly type: 'repeat'; readonly inner: Pattern; readonly min: number; readonly max: number };

type Reader = { readonly source: string; at: number };

/** @throws for what the rule of the linter does not judge: references to groups, repetitions without an end within a look around. */
function parsePattern(source: string): Pattern {
  const reader = { source, at: 0 };
  const pattern = readChoice(reader, 0);
  if (reader.at < source.length) throw new Error(`it stops at ${reader.at}`);
  return pattern;
}

function readChoice(reader: Reader, depth: number): Pattern {
  const ways = [readSequence(reader, depth)];
  while (reader.source[reader.at] === '|') {
    reader.at++;
    ways.push(readSequence(reader, depth));
  }
  return ways.length === 1 ? (ways[0] as Pattern) : { type: 'choice', ways };
}

function readSequence(reader: Reader, depth: number): Pattern {
  const parts: Pattern[] = [];
  while (reader.at < reader.source.length && !'|)'.includes(reader.source[reader.at] as string))
    parts.push(readRepeat(reader, readAtom(reader, depth)));
  return { type: 'sequence', parts };
}

function readRepeat(reader: Reader, inner: Pattern): Pattern {
  const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(reader.source.slice(reader.at));
  if (found === null) return inner;
  reader.at += found[0].length;
  const [, sign, from, comma, to] = found;
  const min = sign === '+' ? 1 : Number(from ?? 0);
  const max =
    sign === '?' ? 1 : sign !== undefined || (comma === ',' && to === '') ? Infinity : Number(to || from);
  return { type: 'repeat', inner, min, max };
}

function readAtom(reader: Reader, depth: number): Pattern {
  const char = reader.source[reader.at] as string;
  if (char === '(') return readGroup(reader, depth);
  if (char === '^') return skip(reader, 1, { type: 'start' });
  if (char === '$') return skip(reader, 1, { type: 'assertion' });
  if (char === '[') return readClass(reader);
  if (char === '\\') return readEscape(reader);
  const letter = String.fromCodePoint(reader.source.codePointAt(reader.at) as number);
  const source = '{}/'.includes(letter) ? `\\${letter}` : letter;
  return skip(reader, letter.length, { type: 'character', source });
}

function readGroup(reader: Reader, depth: number): Pattern {
  if (depth > 50) throw new Error('its groups are nested too deeply');
  const opening = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(reader.source.slice(reader.at))?.[0] ?? '(';
  reader.at += opening.length;
  const inner = readChoice(reader, depth + 1);
  reader.at++;
  if (!/[=!]$/.test(opening)) return inner;
  if (
    JSON.stringify(inner, (_key, value: unknown) => (value === Infinity ? 'endless' : value)).includes(
      'endless',
    )
  )
    throw new Error('a look around it has a repetition without an end');
  return { type: 'assertion' };
}

function readClass(reader: Reader): Pattern {
  const start = reader.at++;
  while (reader.source[reader.at] !== ']') reader.at += reader.source[reader.at] === '\\' ? 2 : 1;
  reader.at++;
  return { type: 'character', source: reader.source.slice(start, reader.at) };
}

function readEscape(reader: Reader): Pattern {
  const rest = reader.source.slice(reader.at);
  if (/^\\[bB]/.test(rest)) return skip(reader, 2, { type: 'assertion' });
  if (/^\\(?:[1-9]|k<)/.test(rest)) throw new Error('it refers to a group');
  const source = /^\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|[pP]\{[^}]+\}|.)/i.exec(rest)?.[0] ?? rest;
  return skip(reader, source.length, { type: 'character', source });
}

function skip(reader: Reader, length: number, pattern: Pattern): Pattern {
  reader.at += length;
  return pattern;
}

/** The characters of a sample that something matches. */
type CharacterSet = ReadonlySet<string>;

/** All of Latin, and of other scripts, spaces and signs some each: sets that have a character in common have one of these. */
const sample: readonly string[] = [
  ...Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code)),
  ...'αΩжЖאع中あ한अ١२‐–—−×÷“”•…€™\u0300\u0605\u1680\u2000\u200b\u200d\u2028\u2029\u202e\u202f\u2800\u3000\ufe0f\ufeff\ue000\ud800\udfff',
  '😀',
  '\u{e0001}',
  '\u{1f1e6}',
];

const known = new Map<string, CharacterSet>();

/** The characters that one atom of a regular expression matches: a letter, a class or an escape. */
function charactersOf(atom: string, flags: string): CharacterSet {
  const way = flags.replaceAll(/[gym]/g, '');
  const key = `${atom}/${way}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const pattern = new RegExp(`^(?:${atom})$`, way);
  const characters = new Set(sample.filter((character) => pattern.test(character)));
  known.set(key, characters);
  return characters;
}
