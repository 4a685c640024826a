/** Reads JSON in the pieces in which it arrives. Its work is proportional to each piece, so that a large body takes many short turns. */
export class JsonReader {
  readonly #builder = new JsonBuilder();
  /** The pieces of the string that is being read; null outside of strings. */
  #text: string[] | null = null;
  /** The unread end of the last piece: half an escape or half a word. */
  #rest = '';

  /** @throws SyntaxError for what is no JSON. */
  push(more: string): void {
    const piece = this.#rest + more;
    this.#rest = '';
    for (let at = 0; at < piece.length;) {
      if (this.#text !== null) {
        at = this.#readText(this.#text, piece, at);
        continue;
      }
      const length = this.#readToken(piece, at);
      if (length === 0) return void (this.#rest = piece.slice(at));
      at += length;
    }
  }

  /** Returns the whole value. @throws SyntaxError when it has not ended. */
  end(): FlatJson {
    if (this.#text !== null || this.#rest !== '') throw wrongJson();
    return this.#builder.end();
  }

  /** Reads one token outside of strings. Returns its length, or 0 when it is incomplete. */
  #readToken(piece: string, at: number): number {
    const builder = this.#builder;
    const character = piece[at] ?? '';
    if (/[ \t\r\n]/.test(character)) return 1;
    if (character === '"') {
      if (!builder.isTextDue) throw wrongJson();
      this.#text = [];
    } else if (character === ',') builder.comma();
    else if (character === ':') builder.colon();
    else if (character === '[' || character === '{') builder.open(character === '[' ? 'list' : 'object');
    else if (character === ']' || character === '}') builder.close(character === ']' ? 'list' : 'object');
    else return this.#readWord(piece, at);
    return 1;
  }

  /** Reads a number or a word. Returns its length, or 0 when it is incomplete. */
  #readWord(piece: string, at: number): number {
    const builder = this.#builder;
    if (!builder.isValueDue) throw wrongJson();
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
    if (words.some(([word]) => word.startsWith(piece.slice(at, at + word.length)))) return 0;
    throw wrongJson();
  }

  /** Reads a part of a string, up to its end or the end of the piece. Returns where the next token begins. */
  #readText(text: string[], piece: string, at: number): number {
    characters.lastIndex = at;
    const found = characters.exec(piece)?.[0] ?? '';
    if (found !== '') text.push(found.includes('\\') ? (JSON.parse(`"${found}"`) as string) : found);
    const end = at + found.length;
    if (piece[end] === '"') {
      this.#text = null;
      this.#builder.text(text.join(''));
      return end + 1;
    }
    // Half an escape may be at the end.
    if (end < piece.length && (piece[end] !== '\\' || piece.length - end >= escapeLength)) throw wrongJson();
    this.#rest = piece.slice(end);
    return piece.length;
  }
}

const words: readonly (readonly [name: string, value: boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

const numerals = /[-+.\deE]{1,400}/y;

/** The longest escape: `\u` and four digits. */
const escapeLength = 6;

/** Characters and escapes of a string, without its end. */
// oxlint-disable-next-line no-control-regex -- Texts hold no control characters.
const characters = /(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;

/** The values of a body; objects are maps. */
export type FlatJson = string | number | boolean | null | FlatJson[] | Map<string, FlatJson>;

type Open = { readonly value: FlatJson[] | Map<string, FlatJson>; key: string };
type Due = 'value' | 'item' | 'key' | 'first-key' | 'colon' | 'more' | 'nothing';

/** The deepest nesting of lists and objects. */
const maxDepth = 4;

/** Builds a value from the tokens of a reader, and refuses a token in a wrong place. */
class JsonBuilder {
  readonly #open: Open[] = [];
  #root: FlatJson | undefined;
  #due: Due = 'value';

  get isValueDue(): boolean {
    return this.#isDue('value', 'item');
  }

  get isTextDue(): boolean {
    return this.#isDue('value', 'item', 'key', 'first-key');
  }

  value(value: FlatJson): void {
    if (!this.isValueDue) throw wrongJson();
    const inside = this.#open.at(-1);
    if (inside === undefined) this.#root = value;
    else if (Array.isArray(inside.value)) inside.value.push(value);
    else inside.value.set(inside.key, value);
    this.#due = inside === undefined ? 'nothing' : 'more';
  }

  /** Adds a string, which may be the name of a field. */
  text(text: string): void {
    const inside = this.#open.at(-1);
    if (inside === undefined || !this.#isDue('key', 'first-key')) return this.value(text);
    inside.key = text;
    this.#due = 'colon';
  }

  open(kind: 'list' | 'object'): void {
    if (this.#open.length === maxDepth) throw wrongJson();
    const value = kind === 'list' ? [] : new Map<string, FlatJson>();
    this.value(value);
    this.#open.push({ value, key: '' });
    this.#due = kind === 'list' ? 'item' : 'first-key';
  }

  close(kind: 'list' | 'object'): void {
    const inside = this.#open.pop();
    const isKind = inside !== undefined && Array.isArray(inside.value) === (kind === 'list');
    if (!isKind || !this.#isDue('more', kind === 'list' ? 'item' : 'first-key')) throw wrongJson();
    this.#due = this.#open.length === 0 ? 'nothing' : 'more';
  }

  comma(): void {
    if (!this.#isDue('more')) throw wrongJson();
    this.#due = Array.isArray(this.#open.at(-1)?.value) ? 'value' : 'key';
  }

  colon(): void {
    if (!this.#isDue('colon')) throw wrongJson();
    this.#due = 'value';
  }

  /** Returns the whole value. @throws SyntaxError when it is incomplete. */
  end(): FlatJson {
    if (this.#root === undefined || !this.#isDue('nothing')) throw wrongJson();
    return this.#root;
  }

  #isDue(...kinds: readonly Due[]): boolean {
    return kinds.includes(this.#due);
  }
}

function wrongJson(): SyntaxError {
  return new SyntaxError('This is no JSON, or deeper than a body of sessions.');
}
