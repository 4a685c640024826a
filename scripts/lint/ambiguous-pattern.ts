import { charactersOf, type CharacterSet } from './character-set.ts';
import { parsePattern, type Pattern } from './parse-pattern.ts';

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
