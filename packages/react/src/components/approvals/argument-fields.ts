import type { JsonObject, JsonValue } from '@vitrine/core';
import { jsonText } from '../kit/gist.ts';

/** One argument of a call, as a person can change it. */
export type ArgumentField = {
  readonly name: string;
  /** What the schema says of it; empty where it says nothing. */
  readonly description: string;
  /** `json` is what has no field of its own: lists, objects, and what may be of several types. */
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  /** The values of a `choice`. */
  readonly choices: readonly string[];
  readonly isRequired: boolean;
};

/** What is in the fields, by name: text, or whether a box is ticked. */
export type ArgumentDraft = Readonly<Record<string, string | boolean>>;

/** The arguments, or what is wrong with them: a sentence by the name of its field. */
export type ReadArguments =
  | { readonly input: JsonValue; readonly problems: null }
  | { readonly input: null; readonly problems: Readonly<Record<string, string>> };

/** The fields for an input: what its JSON Schema describes, and what is there besides. Null for what is no object. */
export function argumentFields(schema: JsonObject | null, input: unknown): readonly ArgumentField[] | null {
  if (!isObject(input)) return null;
  const properties = isObject(schema?.['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  const names = [...new Set([...Object.keys(properties), ...Object.keys(input)])];
  return names.map((name) => {
    const property = own(properties, name);
    const described = isObject(property) ? property : {};
    const choices = choicesOf(described);
    return {
      name,
      description: typeof described['description'] === 'string' ? described['description'] : '',
      kind: kindOf(described, choices, own(input, name)),
      choices,
      isRequired: required.includes(name),
    };
  });
}

/** What stands in the fields at first. */
export function draftOf(fields: readonly ArgumentField[], input: unknown): ArgumentDraft {
  const values = isObject(input) ? input : {};
  return Object.fromEntries(fields.map(({ name, kind }) => [name, drafted(kind, own(values, name))]));
}

/** Reads the fields; one that is left empty is left out, unless it must be there. */
export function readArguments(fields: readonly ArgumentField[], draft: ArgumentDraft): ReadArguments {
  const problems: Record<string, string> = {};
  const entries: [string, JsonValue][] = [];
  for (const field of fields) {
    const read = readField(field, draft[field.name] ?? '');
    if ('problem' in read) problems[field.name] = read.problem;
    else if (read.value !== undefined) entries.push([field.name, read.value]);
  }
  if (Object.keys(problems).length > 0) return { input: null, problems };
  return { input: Object.fromEntries(entries), problems: null };
}

type FieldRead = { readonly value: JsonValue | undefined } | { readonly problem: string };

function readField({ kind, isRequired }: ArgumentField, text: string | boolean): FieldRead {
  if (typeof text === 'boolean') return { value: text };
  if (kind === 'text') return { value: text === '' && !isRequired ? undefined : text };
  if (text.trim() === '') return isRequired ? { problem: 'This is needed.' } : { value: undefined };
  if (kind === 'choice') return { value: text };
  if (kind === 'number')
    return Number.isFinite(Number(text)) ? { value: Number(text) } : { problem: 'This is no number.' };
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (thrown) {
    return { problem: `This is no JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}

function kindOf(
  { type }: Readonly<Record<string, unknown>>,
  choices: readonly string[],
  value: unknown,
): ArgumentField['kind'] {
  if (choices.length > 0 && (value === undefined || choices.includes(value as string))) return 'choice';
  const of = typeof type === 'string' ? type : typeof value;
  if (of === 'string' && (value === undefined || typeof value === 'string')) return 'text';
  if ((of === 'number' || of === 'integer') && (value === undefined || typeof value === 'number'))
    return 'number';
  // A box that is not ticked says no: an argument that may be missing has to be able to say nothing.
  if (of === 'boolean' && typeof value === 'boolean') return 'boolean';
  return 'json';
}

function choicesOf({ enum: values }: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : [];
}

function drafted(kind: ArgumentField['kind'], value: unknown): string | boolean {
  if (kind === 'boolean') return value === true;
  if (value === undefined) return '';
  return kind === 'json' ? (jsonText(value) ?? '') : String(value);
}

function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
