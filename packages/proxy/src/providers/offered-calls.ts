import type { JsonObject, JsonValue } from '@vitrine/core';
import { isObject } from '../kit/is-object.ts';
import type { TextPiece } from './think-tags.ts';

/** The tools that a request offers: the JSON Schema of each name. */
export type OfferedTools = ReadonlyMap<string, JsonObject>;

/** A tool call that a server left in the text of an answer. */
export type TextCall = { readonly name: string; readonly json: string };

/** Separates what a server left in the text of an answer from the text. */
export type TextReader = {
  /** The pieces that this text completes. */
  readonly add: (text: string) => readonly (TextPiece | TextCall)[];
  /** The pieces that were kept back, when the text has ended. */
  readonly end: () => readonly (TextPiece | TextCall)[];
};

/** The tools of a request of chat completions; none for one that asks for JSON. */
export function offeredIn({ tools, response_format: format = null }: JsonObject): OfferedTools {
  if (!Array.isArray(tools) || format !== null) return new Map();
  return new Map(
    tools.flatMap((tool): (readonly [string, JsonObject])[] => {
      const inner = isObject(tool) ? tool['function'] : null;
      if (!isObject(inner) || typeof inner['name'] !== 'string') return [];
      return [[inner['name'], isObject(inner['parameters']) ? inner['parameters'] : {}]];
    }),
  );
}

const fields = ['name', 'arguments', 'parameters', 'type', 'id'];

/** An offered call of nothing but a name and arguments; null for any other value. */
export function readCall(value: JsonValue, tools: OfferedTools): TextCall | null {
  if (!isObject(value) || !Object.keys(value).every((field) => fields.includes(field))) return null;
  const { name, arguments: input = value['parameters'] } = value;
  const own = typeof name === 'string' ? name.replace(/^functions\./, '') : '';
  if (!tools.has(own)) return null;
  if (isObject(input)) return { name: own, json: JSON.stringify(input) };
  return typeof input === 'string' ? { name: own, json: input } : null;
}
