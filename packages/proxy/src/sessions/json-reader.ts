/** Reads JSON in the pieces in which it arrives. */
type JsonReader = {
  /** @throws SyntaxError for what is no JSON. */
  readonly push: (text: string) => void;
  /** @throws SyntaxError when it has not ended. */
  readonly end: () => FlatJson;
};

/** Creates a reader whose work is proportional to each piece, so that a large body takes many short turns. */
export function createJsonReader(): JsonReader {
  const builder = createJsonBuilder();
  let text: string[] | null = null;
  /** The unread end of the last piece: half an escape or half a word. */
  let rest = '';

  /** Reads one token outside of strings. Returns its length, or 0 when it is incomplete. */
  function mark(piece: string, at: number): number {
    const character = piece[at] ?? '';
    if (/[ \t\r\n]/.test(character)) return 1;
    if (character === '"') {
      if (!builder.isTextDue()) throw wrongJson();
      text = [];
    } else if (character === ',') builder.comma();
    else if (character === ':') builder.colon();
    else if (character === '[' || character === '{') builder.open(character === '[' ? 'list' : 'object');
    else if (character === ']' || character === '}') builder.close(character === ']' ? 'list' : 'object');
    else return word(piece, at);
    return 1;
  }

  function word(piece: string, at: number): number {
    if (!builder.isValueDue()) throw wrongJson();
    numerals.lastIndex = at;
    const numeral = numerals.exec(piece)?.[0] ?? '';
    // More digits may follow; no valid body ends with a number.
    if (numeral !== '' && at + numeral.length === piece.length) return 0;
    if (numeral !== '') {
      builder.value(JSON.parse(numeral) as number);
      return numeral.length;
    }
    const [name, value = null] = words.find(([one]) => piece.startsWith(one, at)) ?? [''];
    if (name !== '') {
      builder.value(value);
      return name.length;
    }
    if (words.some(([name]) => name.startsWith(piece.slice(at, at + name.length)))) return 0;
    throw wrongJson();
  }

  /** Reads a part of a string, up to its end or the end of the piece. Returns where the next token begins. */
  function part(piece: string, at: number): number {
    characters.lastIndex = at;
    const found = characters.exec(piece)?.[0] ?? '';
    if (found !== '') text?.push(found.includes('\\') ? (JSON.parse(`"${found}"`) as string) : found);
    const end = at + found.length;
    if (piece[end] === '"') {
      const whole = text?.join('') ?? '';
      text = null;
      builder.text(whole);
      return end + 1;
    }
    // Half an escape may be at the end.
    if (end < piece.length && (piece[end] !== '\\' || piece.length - end >= escapeLength)) throw wrongJson();
    rest = piece.slice(end);
    return piece.length;
  }

  return {
    push(more) {
      const piece = rest + more;
      rest = '';
      for (let at = 0; at < piece.length;) {
        if (text !== null) {
          at = part(piece, at);
          continue;
        }
        const length = mark(piece, at);
        if (length === 0) return void (rest = piece.slice(at));
        at += length;
      }
    },
    end() {
      if (text !== null || rest !== '') throw wrongJson();
      return builder.end();
    },
  };
}

const words: readonly (readonly [name: string, value: boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** Characters of numbers. */
const numerals = /[-+.\deE]{1,400}/y;

/** The longest escape: `\u` and four digits. */
const escapeLength = 6;

/** Characters and escapes of a string, without its end. */
// oxlint-disable-next-line no-control-regex -- Texts hold no control characters.
const characters = /(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;

/** The values of a body; objects are maps. */
export type FlatJson = string | number | boolean | null | FlatJson[] | Map<string, FlatJson>;

/** Builds a value from the tokens of a reader, and refuses a token in a wrong place. */
type JsonBuilder = {
  readonly isValueDue: () => boolean;
  readonly isTextDue: () => boolean;
  /** Adds a value that is no string. */
  readonly value: (value: FlatJson) => void;
  /** Adds a string, which may be the name of a field. */
  readonly text: (text: string) => void;
  readonly open: (kind: 'list' | 'object') => void;
  readonly close: (kind: 'list' | 'object') => void;
  readonly comma: () => void;
  readonly colon: () => void;
  /** Returns the whole value. @throws SyntaxError when it is incomplete. */
  readonly end: () => FlatJson;
};

type Open = { readonly value: FlatJson[] | Map<string, FlatJson>; key: string };
type Due = 'value' | 'item' | 'key' | 'first-key' | 'colon' | 'more' | 'nothing';

/** The deepest nesting of lists and objects. */
const maxDepth = 4;

/** Creates a builder that waits for a value. */
function createJsonBuilder(): JsonBuilder {
  const open: Open[] = [];
  let root: FlatJson | undefined;
  let due: Due = 'value';

  function isDue(...kinds: readonly Due[]): boolean {
    return kinds.includes(due);
  }

  function value(found: FlatJson): void {
    if (!isDue('value', 'item')) throw wrongJson();
    const inside = open.at(-1);
    if (inside === undefined) root = found;
    else if (Array.isArray(inside.value)) inside.value.push(found);
    else inside.value.set(inside.key, found);
    due = inside === undefined ? 'nothing' : 'more';
  }

  return {
    isValueDue: () => isDue('value', 'item'),
    isTextDue: () => isDue('value', 'item', 'key', 'first-key'),
    value,
    text(text) {
      const inside = open.at(-1);
      if (inside === undefined || !isDue('key', 'first-key')) return value(text);
      inside.key = text;
      due = 'colon';
    },
    open(kind) {
      if (open.length === maxDepth) throw wrongJson();
      const made = kind === 'list' ? [] : new Map<string, FlatJson>();
      value(made);
      open.push({ value: made, key: '' });
      due = kind === 'list' ? 'item' : 'first-key';
    },
    close(kind) {
      const inside = open.pop();
      const isKind = inside !== undefined && Array.isArray(inside.value) === (kind === 'list');
      if (!isKind || !isDue('more', kind === 'list' ? 'item' : 'first-key')) throw wrongJson();
      due = open.length === 0 ? 'nothing' : 'more';
    },
    comma() {
      if (!isDue('more')) throw wrongJson();
      due = Array.isArray(open.at(-1)?.value) ? 'value' : 'key';
    },
    colon() {
      if (!isDue('colon')) throw wrongJson();
      due = 'value';
    },
    end() {
      if (root === undefined || !isDue('nothing')) throw wrongJson();
      return root;
    },
  };
}

function wrongJson(): SyntaxError {
  return new SyntaxError('This is no JSON, or deeper than a body of sessions.');
}
