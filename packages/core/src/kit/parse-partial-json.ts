import type { JsonValue } from './json.ts';
import { begunWord, objectOf, type PartialJsonState, step } from './partial-json-steps.ts';
import { type JsonBounds, modelJson } from './read-json.ts';
import { spendUnits } from './work-units.ts';

/** An incremental reader of JSON: it examines each character about once, however often it is asked. */
export type PartialJsonReader = {
  /** Continues reading; the text has to begin with the one given before. */
  readonly read: (text: string) => void;
  /**
   * Returns the value so far: the same object until more is read, and undefined when there is none. Each new value
   * copies the lists and objects that are still open. While a large one is open, new values are made seldom enough
   * that copying costs at most eight units for each character.
   */
  readonly value: () => JsonValue | undefined;
};

/**
 * Parses the beginning of a JSON text. Strings, arrays and objects that break off are taken as they are, and a number
 * as far as it goes. A key without a value or half a word is left out. A value nested too deep or too long ends the
 * text. Returns undefined when there is no value.
 */
export function parsePartialJson(text: string): JsonValue | undefined {
  const reader = createPartialJsonReader();
  reader.read(text);
  return reader.value();
}

/** Open lists and objects with at most this many values are copied for every requested value. */
const smallCopy = 1024;
const unitsPerCharacter = 8;

export function createPartialJsonReader(bounds: JsonBounds = modelJson): PartialJsonReader {
  const state: PartialJsonState = {
    bounds,
    open: [],
    text: '',
    at: 0,
    string: null,
    root: undefined,
    isOver: false,
  };
  let shown: { readonly value: JsonValue | undefined; readonly length: number } | null = null;

  return {
    read(text) {
      state.text = text.length > bounds.length ? text.slice(0, bounds.length) : text;
      const start = state.at;
      while (!state.isOver && state.at < state.text.length && step(state)) continue;
      spendUnits(state.at - start + 1);
    },
    value() {
      const { length } = state.text;
      const cost = state.open.reduce((sum, { values }) => sum + values.length, 0);
      const isDear =
        shown !== null && !state.isOver && cost - smallCopy > (length - shown.length) * unitsPerCharacter;
      if (shown !== null && (shown.length === length || isDear)) return shown.value;
      spendUnits(cost);
      shown = { value: valueSoFar(state), length };
      return shown.value;
    },
  };
}

function valueSoFar(state: PartialJsonState): JsonValue | undefined {
  if (state.root !== undefined) return state.root;
  let value = begunValue(state);
  for (const { keys, values, key } of state.open.toReversed()) {
    if (keys === null) value = value === undefined ? values.slice() : [...values, value];
    else
      value =
        value === undefined ? objectOf(keys, values) : objectOf([...keys, key ?? ''], [...values, value]);
  }
  return value;
}

/** The string or number at which the text ends, unless it is a key. */
function begunValue(state: PartialJsonState): JsonValue | undefined {
  const inner = state.open.at(-1);
  if (inner?.keys && (inner.key === null || inner.wantsColon)) return undefined;
  return state.string ?? (state.isOver ? undefined : begunWord(state));
}
