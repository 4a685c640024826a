import type { JsonObject, JsonValue } from '@vitrine/core';
import { isPlainObject as isObject } from '@vitrine/core/internal/kit/json';
import { jsonText } from '../kit/gist.ts';
import type { UsedTexts } from '../texts.ts';

/** One argument of a call as a form field. */
export type ArgumentField = {
  readonly name: string;
  /** The name for people: the title in the schema, or a short description, or else the words of the name. */
  readonly label: string;
  /** The description in the schema; empty if there is none, or if it is the label. */
  readonly description: string;
  /** The kind of control. `json` covers lists, objects and values of several types. */
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  /** The values of a `choice`. */
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  /** True if the argument may be null. An empty field then means null if the argument is required. */
  readonly isNullable: boolean;
};

/**
 * Contents of the fields by name: text, or the state of a checkbox. A boolean that may be absent is a text
 * (`true`, `false` or empty).
 */
export type ArgumentDraft = Readonly<Record<string, string | boolean>>;

/** The arguments, or one error sentence by the name of each wrong field. */
export type ReadArguments =
  | { readonly input: JsonValue; readonly problems: null }
  | { readonly input: null; readonly problems: Readonly<Record<string, string>> };

/**
 * Lists the fields of an input: the properties of its JSON Schema, then its other names. Null for an input
 * that is no object.
 */
export function argumentFields(schema: JsonObject | null, input: unknown): readonly ArgumentField[] | null {
  if (!isObject(input)) return null;
  const properties = isObject(schema?.['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  const names = [...new Set([...Object.keys(properties), ...Object.keys(input)])];
  return names.map((name) => {
    const described = describedArgument(own(properties, name));
    const { title, description } = described;
    const label = title || (description.length <= longestLabel && description) || wordsOf(name);
    return {
      name,
      label,
      description: description === label ? '' : description,
      kind: kindOf(described, own(input, name)),
      choices: described.choices,
      isRequired: required.includes(name),
      isNullable: described.isNullable,
    };
  });
}

/** Most characters of a description that is a label; a longer one stands below its field. */
const longestLabel = 60;

/** The words of a name: `dueDate` and `due_date` are "due date". */
export function wordsOf(name: string): string {
  const words = name
    .replace(/[_-]+/g, ' ')
    .replace(
      /([a-z\d])([A-Z])(?=[a-z])/g,
      (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
    );
  return words.trim() || name;
}

/** The default values of a schema, by name. */
export function defaultsOf(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return {};
  const given = Object.entries(properties).flatMap(([name, property]) =>
    isObject(property) && property['default'] !== undefined ? [[name, property['default']]] : [],
  );
  return Object.fromEntries(given) as JsonObject;
}

/** The initial contents of the fields. */
export function draftOf(fields: readonly ArgumentField[], input: unknown): ArgumentDraft {
  const values = isObject(input) ? input : {};
  return Object.fromEntries(fields.map((field) => [field.name, draftValue(field, own(values, field.name))]));
}

/**
 * Reads the arguments from the fields. An unchanged field keeps its value. An emptied field is left out if
 * it is optional, otherwise null if that is allowed, otherwise an error.
 */
export function readArguments(
  fields: readonly ArgumentField[],
  draft: ArgumentDraft,
  input: unknown,
  texts: UsedTexts['approvals'],
): ReadArguments {
  const values = isObject(input) ? input : {};
  const before = draftOf(fields, input);
  const problems: Record<string, string> = {};
  const entries: [string, JsonValue][] = [];
  for (const field of fields) {
    const { name } = field;
    const isUnchanged = draft[name] === before[name] && Object.hasOwn(values, name);
    const read = isUnchanged
      ? { value: values[name] as JsonValue }
      : readField(field, draft[name] ?? '', texts);
    if ('problem' in read) problems[name] = read.problem;
    else if (read.value !== undefined) entries.push([name, read.value]);
  }
  if (Object.keys(problems).length > 0) return { input: null, problems };
  return { input: Object.fromEntries(entries), problems: null };
}

type FieldRead = { readonly value: JsonValue | undefined } | { readonly problem: string };

function readField(
  { label, kind, isRequired, isNullable }: ArgumentField,
  text: string | boolean,
  texts: UsedTexts['approvals'],
): FieldRead {
  if (typeof text === 'boolean') return { value: text };
  if (text.trim() === '' && (text === '' || kind !== 'text')) {
    if (!isRequired) return { value: undefined };
    if (isNullable) return { value: null };
    return kind === 'text' ? { value: text } : { problem: texts.required(label) };
  }
  if (kind === 'text' || kind === 'choice') return { value: text };
  if (kind === 'boolean') return { value: text === 'true' };
  if (kind === 'number')
    return Number.isFinite(Number(text)) ? { value: Number(text) } : { problem: texts.notANumber(label) };
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (thrown) {
    return { problem: texts.notJson(label, thrown instanceof Error ? thrown.message : String(thrown)) };
  }
}

function kindOf(described: DescribedArgument, value: unknown): ArgumentField['kind'] {
  const { type, choices, isNullable } = described;
  const isAbsent = value === undefined || (value === null && isNullable);
  if (choices.length > 0 && (isAbsent || choices.includes(value as string))) return 'choice';
  const expected = type ?? typeof value;
  if (expected === 'string' && (isAbsent || typeof value === 'string')) return 'text';
  if ((expected === 'number' || expected === 'integer') && (isAbsent || typeof value === 'number'))
    return 'number';
  if (expected === 'boolean' && (isAbsent || typeof value === 'boolean')) return 'boolean';
  return 'json';
}

function draftValue({ kind, isRequired, isNullable }: ArgumentField, value: unknown): string | boolean {
  // An unticked box means false, so an argument that may be absent needs a select with an empty option.
  if (kind === 'boolean' && typeof value === 'boolean' && isRequired && !isNullable) return value;
  if (value === undefined || (value === null && kind !== 'json')) return '';
  return kind === 'json' ? (jsonText(value) ?? '') : String(value);
}

function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

type DescribedArgument = {
  /** The type besides null; null when the schema names no single type. */
  readonly type: string | null;
  /** Empty if the schema has none. */
  readonly title: string;
  readonly description: string;
  /** The allowed texts; empty if any text is allowed. */
  readonly choices: readonly string[];
  readonly isNullable: boolean;
};

type Schema = Readonly<Record<string, unknown>>;

/** Reads the schema of an argument. A nullable argument keeps its other type, in any notation of "nullable". */
function describedArgument(schema: unknown): DescribedArgument {
  const outer = isObject(schema) ? schema : {};
  const { inner, isNullable } = withoutNull(outer);
  const { enum: values, type } = inner;
  const textOf = (key: string): string => {
    const text = outer[key] ?? inner[key];
    return typeof text === 'string' ? text.trim() : '';
  };
  return {
    type: typeof type === 'string' ? type : null,
    title: textOf('title'),
    description: textOf('description'),
    choices:
      Array.isArray(values) && values.every((value): value is string => typeof value === 'string')
        ? values
        : [],
    isNullable,
  };
}

function withoutNull(schema: Schema): { readonly inner: Schema; readonly isNullable: boolean } {
  const { type, enum: values } = schema;
  const any = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(any)) {
    const others = any.filter((one) => !isObject(one) || one['type'] !== 'null');
    const [only] = others;
    if (others.length === 1 && any.length === 2 && isObject(only)) return { inner: only, isNullable: true };
    return { inner: schema, isNullable: false };
  }
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type];
  const isNullable = Array.isArray(type) && types.length < type.length;
  const inner = {
    ...schema,
    type: types.length === 1 ? types[0] : undefined,
    ...(isNullable && Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
  };
  return { inner, isNullable };
}
