import type { ParseResult, SchemaIssue } from '../../agent/schema.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../kit/json.ts';
import { readModelJson } from '../../kit/partial-json.ts';

/** The most times that values are unwrapped: the whole arguments, lists in them, and values in those. */
const most = 3;

/**
 * Checks arguments whose values a model has encoded twice, such as `{ "queries": "[\"a\"]" }`. Only values that the
 * schema refuses are unwrapped: texts of JSON, and a null for a value that is left out.
 * @returns null when no value can be unwrapped.
 */
export async function checkUnwrapped(
  input: JsonValue,
  issues: readonly SchemaIssue[],
  check: (value: JsonValue) => Promise<ParseResult<unknown>>,
): Promise<ParseResult<unknown> | null> {
  let value = input;
  let result: ParseResult<unknown> = { ok: false, issues };
  for (let time = 0; time < most && !result.ok; time++) {
    const next = result.issues.reduce(unwrappedAt, value);
    if (next === value) break;
    value = next;
    result = await check(value);
  }
  return value === input ? null : result;
}

/** The arguments with the value of an issue unwrapped; the same arguments when there is nothing to unwrap. */
function unwrappedAt(value: JsonValue, { path }: SchemaIssue): JsonValue {
  if (typeof value === 'string') return decodeText(value);
  const keys = path === '' ? [] : path.split('.');
  const last = keys.at(-1);
  if (last === undefined) return value;
  const around: JsonValue[] = [value];
  for (const key of keys.slice(0, -1)) around.push(childOf(around.at(-1) ?? null, key) ?? null);
  const inner = around.at(-1) ?? null;
  const child = childOf(inner, last);
  const isLeft = child === null && isPlainObject(inner);
  const next = typeof child === 'string' ? decodeText(child) : child;
  if (!isLeft && next === child) return value;
  return keys.reduceRight<JsonValue | undefined>(
    (changed, key, at) => withChild(around[at] ?? null, key, changed),
    isLeft ? undefined : next,
  ) as JsonValue;
}

/** The value of a text that is JSON of another type; else the text. */
function decodeText(text: string): JsonValue {
  const read = readModelJson(text);
  return read.ok && read.value !== null ? read.value : text;
}

function childOf(value: JsonValue, key: string): JsonValue | undefined {
  const holder = value as { readonly [key: string]: JsonValue };
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? holder[key] : undefined;
}

function withChild(value: JsonValue, key: string, child: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === key ? (child ?? null) : one));
  const entries = Object.entries(value as JsonObject).map(([name, one]) => [
    name,
    name === key ? child : one,
  ]);
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined)) as JsonObject;
}
