/** A regular expression as a tree. Groups are not told apart; an assertion is anything that matches no character. */
export type Pattern =
  | { readonly type: 'character'; readonly source: string }
  | { readonly type: 'start' }
  | { readonly type: 'assertion' }
  | { readonly type: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly type: 'choice'; readonly ways: readonly Pattern[] }
  | { readonly type: 'repeat'; readonly inner: Pattern; readonly min: number; readonly max: number };

type Reader = { readonly source: string; at: number };

/** @throws for what the rule of the linter does not judge: references to groups, repetitions without an end within a look around. */
export function parsePattern(source: string): Pattern {
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
