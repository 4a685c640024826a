import { hashText } from '@vitrine/core/internal/kit/hash';
import { isPlainObject, type JsonObject, readJson } from '@vitrine/core/internal/kit/json';
import { wellFormedJson } from '@vitrine/core/internal/kit/to-json';
import type { ToolDescription } from '@vitrine/core/internal/model/inference-client';
import { objectSchema } from './fit-schema.ts';
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
