import { hashText } from '../../kit/hash.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../kit/json.ts';
import { wellFormedJson } from '../../kit/to-json.ts';
import type { ToolDescription } from '../inference-client.ts';

/** The names of tools for a target, and back. */
export type ToolNames = {
  readonly toTarget: (name: string) => string;
  /** The tool's own name; the given one for a name that is not offered. */
  readonly toOwn: (name: string) => string;
};

const longestName = 64;

/** Names in the pattern of a target. Offered tools keep different names; others come from answers in the history. */
export function toolNames(tools: readonly ToolDescription[], pattern: RegExp): ToolNames {
  const targets = new Map<string, string>();
  const own = new Map<string, string>();
  const isKept = tools.map(({ name }) => name).filter((name) => pattern.test(name));
  for (const name of [...isKept, ...tools.map((tool) => tool.name)]) {
    if (targets.has(name)) continue;
    const plain = fitName(name, pattern);
    const target = own.has(plain) ? fitName(`${plain.slice(0, 50)}_${hashText(name)}`, pattern) : plain;
    targets.set(name, target);
    own.set(target, name);
  }
  return {
    toTarget: (name) => targets.get(name) ?? fitName(name, pattern),
    toOwn: (name) => own.get(name) ?? name,
  };
}

function fitName(name: string, pattern: RegExp): string {
  if (pattern.test(name)) return name;
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const begun = /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`;
  return begun.length <= longestName ? begun : `${begun.slice(0, 41)}_${hashText(name)}`;
}

/** A tool with texts and a schema that every API takes. */
export function fitTool({ name, description, inputSchema }: ToolDescription, names: ToolNames): JsonObject {
  return wellFormedJson({
    type: 'function',
    name: names.toTarget(name),
    description,
    inputSchema: objectSchema(inputSchema),
  });
}

/** Keywords that combine schemas; APIs refuse them at the top. */
const combining = ['anyOf', 'oneOf', 'allOf'] as const;

/** The most schemas that are combined at the top: choices may refer to each other. */
const mostSchemas = 200;
const mostDeep = 8;

/**
 * A schema of an object with `properties`, as every API wants it at the top. A choice between objects becomes one
 * object with the properties of all, of which those are required that every choice requires: the tool's own check
 * still tells the choices apart.
 */
function objectSchema(schema: JsonObject): JsonObject {
  const merged = mergedSchema(schema, { root: schema, left: mostSchemas }, 0);
  return { ...merged, type: 'object', properties: fieldsOf(merged['properties']) };
}

type Merge = { readonly root: JsonObject; left: number };

function mergedSchema({ $ref, ...rest }: JsonObject, merge: Merge, depth: number): JsonObject {
  merge.left--;
  const canGoOn = merge.left > 0 && depth < mostDeep;
  const target = typeof $ref === 'string' && canGoOn ? resolve($ref, merge.root) : null;
  if (target !== null) return mergedSchema({ ...target, ...rest }, merge, depth + 1);
  let merged = rest;
  for (const keyword of combining) {
    const { [keyword]: given, ...others } = merged;
    if (!Array.isArray(given)) continue;
    const choices = canGoOn ? (given as readonly JsonValue[]).filter(isPlainObject) : [];
    const objects = choices
      .slice(0, Math.max(0, merge.left))
      .map((choice) => mergedSchema(choice as JsonObject, merge, depth + 1))
      .filter((choice) => choice['type'] === 'object' || choice['properties'] !== undefined);
    merged = combined(others, objects, keyword);
  }
  return merged;
}

/** The schema of a reference within the document; null for another one. */
function resolve($ref: string, root: JsonObject): JsonObject | null {
  const keys = $ref.startsWith('#/') ? $ref.slice(2).split('/') : [];
  const found = keys.reduce<unknown>(
    (value, key) =>
      isPlainObject(value) ? value[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined,
    root,
  );
  return keys.length > 0 && isPlainObject(found) ? (found as JsonObject) : null;
}

function combined(
  base: JsonObject,
  choices: readonly JsonObject[],
  keyword: (typeof combining)[number],
): JsonObject {
  const all = [base, ...choices];
  const names = new Set(all.flatMap(({ properties }) => Object.keys(fieldsOf(properties))));
  const properties = Object.fromEntries([...names].map((name) => [name, propertyOf(name, all)] as const));
  const lists = choices.map(({ required }) => textsOf(required));
  const [first = [], ...others] = lists;
  const shared =
    keyword === 'allOf' ? lists.flat() : first.filter((name) => others.every((list) => list.includes(name)));
  const required = [...new Set([...textsOf(base['required']), ...shared])];
  const isClosed = choices.length > 0 && choices.every((choice) => choice['additionalProperties'] === false);
  return {
    ...base,
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(isClosed && keyword !== 'allOf' ? { additionalProperties: false } : {}),
  };
}

/** The schema of a property: one of those that the choices have for it. */
function propertyOf(name: string, choices: readonly JsonObject[]): JsonValue {
  const found = choices.flatMap(({ properties }) => {
    const fields = fieldsOf(properties);
    return Object.hasOwn(fields, name) ? [fields[name] as JsonValue] : [];
  });
  const different = [...new Map(found.map((schema) => [JSON.stringify(schema), schema])).values()];
  return different.length === 1 ? (different[0] as JsonValue) : { anyOf: different };
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isPlainObject(value) ? (value as JsonObject) : {};
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
