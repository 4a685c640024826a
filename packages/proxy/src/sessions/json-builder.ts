/** The values of a body; objects are maps. */
export type FlatJson = string | number | boolean | null | FlatJson[] | Map<string, FlatJson>;

/** Builds a value from the tokens of a reader, and refuses a token in a wrong place. */
export type JsonBuilder = {
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
export function createJsonBuilder(): JsonBuilder {
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

export function wrongJson(): SyntaxError {
  return new SyntaxError('This is no JSON, or deeper than a body of sessions.');
}
