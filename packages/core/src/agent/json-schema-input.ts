import type { Validator as JsonSchemaValidator } from '@cfworker/json-schema';
import type { JsonObject } from '../kit/json.ts';
import { loadOnce } from '../kit/memoize.ts';
import type { Schema } from './schema.ts';

/** A JSON Schema of arguments, as MCP servers and other libraries give it. Models always send an object. */
export type JsonSchemaInput = { readonly type: 'object'; readonly [keyword: string]: unknown };

type Validators = typeof JsonSchemaValidator;

/** The vendor by which a run finds the schemas that need the validator. */
export const jsonSchemaVendor = 'json-schema';
/** The validator, which takes 12 kB: null until a tool needs it. */
let validators: Validators | null = null;

/** A Standard Schema that checks arguments against a JSON Schema: drafts 4 to 2020-12, formats included. */
export function jsonSchemaInput(json: JsonObject): Schema<unknown, JsonObject> {
  let validator: JsonSchemaValidator | null = null;
  const check = (Validator: Validators, value: unknown): { value: unknown } | { issues: Issue[] } => {
    // The validator marks the schema that it is given.
    validator ??= new Validator(structuredClone(json), draftOf(json), false);
    const { valid, errors } = validator.validate(value);
    return valid ? { value } : { issues: errors.filter(({ keyword }) => !outer.has(keyword)).map(toIssue) };
  };
  return {
    '~standard': {
      version: 1,
      vendor: jsonSchemaVendor,
      validate: (value) =>
        validators === null
          ? loadJsonSchemas().then((loaded) => check(loaded, value))
          : check(validators, value),
    },
  };
}

/** Loads the validator before a run; null when it is loaded. Never rejects: the call fails that needs it. */
export function preloadJsonSchemas(): Promise<void> | null {
  return validators === null ? loadJsonSchemas().then(ignore, ignore) : null;
}

const ignore = (): undefined => undefined;

/** Loads the validator; rejects when it cannot be loaded. */
const loadJsonSchemas = /* @__PURE__ */ loadOnce(() =>
  import('@cfworker/json-schema').then(({ Validator }) => (validators = Validator)),
);

/** Keywords whose errors only repeat those of a value inside. */
const outer: ReadonlySet<string> = new Set(['properties', 'items', 'prefixItems', '$ref']);

type Issue = { readonly message: string; readonly path: readonly string[] };

function toIssue({ error, instanceLocation }: { error: string; instanceLocation: string }): Issue {
  const path = instanceLocation.split('/').slice(1);
  return {
    message: error,
    path: path.map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')),
  };
}

const drafts = [
  ['draft-04', '4'],
  ['draft-06', '7'],
  ['draft-07', '7'],
  ['2019-09', '2019-09'],
] as const;

/** The draft that `$schema` names; 2020-12 without one. */
function draftOf({ $schema }: JsonObject): '4' | '7' | '2019-09' | '2020-12' {
  return drafts.find(([name]) => String($schema).includes(name))?.[1] ?? '2020-12';
}
