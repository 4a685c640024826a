import { isPlainObject, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';

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
export function objectSchema(schema: JsonObject): JsonObject & { readonly properties: JsonObject } {
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
