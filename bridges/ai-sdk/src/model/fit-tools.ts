import { hashText } from '@vitrine/core/internal/kit/hash';
import { isPlainObject, type JsonObject, type JsonValue, readJson } from '@vitrine/core/internal/kit/json';
import { wellFormedJson } from '@vitrine/core/internal/kit/to-json';
import type { ToolDescription } from '@vitrine/core/internal/model/inference-client';
import type { Target } from './targets.ts';

/** Names for a target, and back. */
type Names = {
  readonly toTarget: (name: string) => string;
  /** The own name; the given one for a name that is not offered. */
  readonly toOwn: (name: string) => string;
};

/** The names of tools for a target, and those of their fields. */
export type TargetNames = Names & {
  /** The names of the fields of a tool, by its own name; null when they are the same for the target. */
  readonly fields: (name: string) => Names | null;
};

const longestName = 64;

/** Names in the patterns of a target. */
export function toolNames(
  tools: readonly ToolDescription[],
  { toolName, fieldName }: Pick<Target, 'toolName' | 'fieldName'>,
): TargetNames {
  const fields = new Map<string, Names>();
  for (const { name, inputSchema } of tools) {
    const keys = Object.keys(objectSchema(inputSchema).properties);
    if (!keys.every((key) => fieldName.test(key))) fields.set(name, namesOf(keys, fieldName));
  }
  return {
    ...namesOf(
      tools.map(({ name }) => name),
      toolName,
    ),
    fields: (name) => fields.get(name) ?? null,
  };
}

/** Names in a pattern. Offered ones stay different; others come from answers in the history. */
function namesOf(names: readonly string[], pattern: RegExp): Names {
  const targets = new Map<string, string>();
  const own = new Map<string, string>();
  // Names that fit keep theirs, so they come first.
  const fitting = names.filter((name) => pattern.test(name));
  for (const name of [...fitting, ...names]) {
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
  const valid = /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`;
  return valid.length <= longestName ? valid : `${valid.slice(0, 41)}_${hashText(name)}`;
}

/** A tool with texts and a schema that every API takes. */
export function fitTool({ name, description, inputSchema }: ToolDescription, names: TargetNames): JsonObject {
  const schema = objectSchema(inputSchema);
  const fields = names.fields(name);
  return wellFormedJson({
    type: 'function',
    name: names.toTarget(name),
    description,
    inputSchema: fields === null ? schema : renameFields(schema, fields),
  });
}

/** A schema whose fields have the names of the target, with their own ones as titles. */
function renameFields(schema: ReturnType<typeof objectSchema>, { toTarget }: Names): JsonObject {
  const { properties, required } = schema;
  const entries = Object.entries(properties).map(([key, field]) => {
    const target = toTarget(key);
    return [target, target === key || !isPlainObject(field) ? field : { title: key, ...field }] as const;
  });
  return {
    ...schema,
    properties: Object.fromEntries(entries),
    ...(Array.isArray(required) ? { required: required.map((key) => toTarget(String(key))) } : {}),
  };
}

/** The arguments of a call with the own names of their fields. */
export function ownArguments(input: string, fields: Names | null): string {
  if (fields === null) return input;
  const json = readJson(input);
  if (!json.ok || !isPlainObject(json.value)) return input;
  const entries = Object.entries(json.value).map(([key, value]) => [fields.toOwn(key), value] as const);
  return JSON.stringify(Object.fromEntries(entries));
}

/** Keywords that combine schemas; APIs refuse them at the top. */
const combining = ['anyOf', 'oneOf', 'allOf'] as const;

/** The most schemas that are combined at the top: choices may refer to each other. */
const mostSchemas = 200;
const mostDeep = 8;

/** Keywords that APIs refuse at the top of an object. */
const notAtTop: readonly string[] = ['enum', 'const', 'not', 'if', 'then', 'else'];

/**
 * A schema of an object with `properties`, as every API wants it at the top, and valid within: one tool with a schema
 * that an API refuses fails every request. A choice between objects becomes one object with the properties of all, of
 * which those are required that every choice requires: the tool's own check still tells the choices apart.
 */
function objectSchema(schema: JsonObject): JsonObject & { readonly properties: JsonObject } {
  const merged = mergedSchema(schema, { root: schema, left: mostSchemas }, 0);
  const top = Object.entries(merged).filter(([key]) => !notAtTop.includes(key));
  const object = { ...Object.fromEntries(top), type: 'object', properties: fieldsOf(merged['properties']) };
  const valid = validSchema(object, merged, 0);
  return { ...valid, properties: fieldsOf(valid['properties']) };
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
    merged = combineChoices(others, objects, keyword);
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

function combineChoices(
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
  return oneOf(found);
}

function oneOf(schemas: readonly JsonValue[]): JsonValue {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return different.length < 2 ? (different[0] ?? {}) : { anyOf: different };
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isPlainObject(value) ? (value as JsonObject) : {};
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Schemas are read to this depth; what is deeper may be anything. */
const deepest = 64;

const types: readonly unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Keywords that hold a schema, a list of schemas, and schemas by name. */
const holders = {
  one: ['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'additionalProperties'],
  list: ['anyOf', 'oneOf', 'allOf'],
  named: ['properties', 'patternProperties', '$defs', 'definitions'],
} satisfies Record<string, readonly string[]>;

/** A schema of JSON Schema 2020-12: older drafts and impossible keywords are translated or left out. */
function validSchema(given: JsonValue | undefined, root: JsonObject, depth: number): JsonObject {
  if (!isPlainObject(given) || depth > deepest) return {};
  const schema = given as JsonObject;
  const entries = Object.entries(schema).flatMap(([key, value]) => {
    const kept = validKeyword(key, value, root, depth);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return { ...withBounds(Object.fromEntries(entries)), ...itemsOf(schema, root, depth) };
}

/** The value of a keyword; undefined for one that is left out, or that `itemsOf` writes. */
function validKeyword(key: string, value: JsonValue, root: JsonObject, depth: number): JsonValue | undefined {
  if (holders.one.includes(key))
    return typeof value === 'boolean' ? value : validSchema(value, root, depth + 1);
  if (holders.list.includes(key)) {
    const list = Array.isArray(value) ? value.map((one: JsonValue) => validSchema(one, root, depth + 1)) : [];
    return list.length === 0 ? undefined : list;
  }
  if (holders.named.includes(key)) {
    // A field that may not be there says nothing to a model.
    const named = Object.entries(fieldsOf(value)).filter(([, one]) => one !== false);
    return Object.fromEntries(named.map(([name, one]) => [name, validSchema(one, root, depth + 1)]));
  }
  switch (key) {
    case 'items':
    case 'prefixItems':
    case 'additionalItems':
      return undefined;
    case '$ref':
      return value === '#' || (typeof value === 'string' && resolve(value, root) !== null)
        ? value
        : undefined;
    case 'type': {
      const kept = (Array.isArray(value) ? value : [value]).filter((type) => types.includes(type));
      return kept.length < 2 ? kept[0] : kept;
    }
    case 'enum':
      return Array.isArray(value) && value.length > 0 ? value : undefined;
    case 'required':
      return Array.isArray(value) ? [...new Set(textsOf(value))] : undefined;
    case 'title':
    case 'description':
    case 'format':
    case 'pattern':
      return typeof value === 'string' ? value : undefined;
    default:
      return value;
  }
}

/** The bounds of draft 4, where `exclusiveMinimum` is a boolean, and the fields that are required but not described. */
function withBounds({ exclusiveMinimum, exclusiveMaximum, ...schema }: JsonObject): JsonObject {
  const { minimum, maximum, properties, required } = schema;
  const low = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const high = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  const fields = fieldsOf(properties);
  const missing = textsOf(required).filter(
    (name) => properties !== undefined && !Object.hasOwn(fields, name),
  );
  return {
    ...schema,
    ...(typeof low === 'number' ? { exclusiveMinimum: low } : {}),
    ...(typeof high === 'number' ? { exclusiveMaximum: high } : {}),
    ...(missing.length === 0
      ? {}
      : { properties: { ...fields, ...Object.fromEntries(missing.map((name) => [name, {}])) } }),
  };
}

/** `items` of a list, without which APIs refuse it; those of a tuple hold any of its items. */
function itemsOf(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const { type, items, prefixItems, additionalItems } = schema;
  const isTuple = Array.isArray(items) || Array.isArray(prefixItems);
  if (!isTuple) {
    const isList = items !== undefined || type === 'array' || (Array.isArray(type) && type.includes('array'));
    return isList ? { items: validSchema(items, root, depth + 1) } : {};
  }
  const list = (Array.isArray(prefixItems) ? prefixItems : items) as readonly JsonValue[];
  const prefix = list.map((item) => validSchema(item, root, depth + 1));
  const rest = Array.isArray(items) ? additionalItems : items;
  return {
    ...(prefix.length === 0 ? {} : { prefixItems: prefix }),
    items: isPlainObject(rest) ? validSchema(rest as JsonObject, root, depth + 1) : oneOf(prefix),
    ...(rest === false ? { maxItems: prefix.length } : {}),
  };
}
