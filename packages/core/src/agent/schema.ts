import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonObject } from '../kit/json.ts';
import { AgentError } from '../kit/agent-error.ts';
import * as errors from '../kit/definition-faults.ts';

/** Any Standard Schema (zod, Valibot, ArkType, ...): https://standardschema.dev */
export type Schema<Output = unknown, Input = unknown> = StandardSchemaV1<Input, Output>;
/** What a schema gives. */
export type SchemaOutput<S extends Schema> = StandardSchemaV1.InferOutput<S>;
/** What a schema takes. */
export type SchemaInput<S extends Schema> = StandardSchemaV1.InferInput<S>;

/**
 * The schema as JSON Schema, by the Standard JSON Schema trait (zod 4.2 and later, ArkType, …). Null for one of zod 4 that
 * does not have it (`zod/mini`): `jsonSchemaOf` tells that from its definition, which no page needs before it calls a model.
 * @throws AgentError `agent-invalid`, naming `owner`, when nothing can tell it.
 */
export function ownJsonSchema(schema: Schema, direction: Direction, owner: string): JsonObject | null {
  const standard: StandardSchemaV1.Props & { jsonSchema?: JsonSchemaTrait } = schema['~standard'];
  const { jsonSchema } = standard;
  if (jsonSchema) return told(owner, () => jsonSchema[direction]({ target: 'draft-2020-12' }) as JsonObject);
  if (isZodSchema(schema)) return null;
  throw errors.agentInvalid(
    `${owner}: its schema (${standard.vendor}) has no JSON Schema of its own. Give one as \`inputSchema\`, or use zod 4.`,
  );
}

/** Whose JSON Schema is asked for: that of what a schema takes, or of what it gives. */
export type Direction = 'input' | 'output';

type JsonSchemaTrait = {
  readonly [Each in Direction]: (options: { target: string }) => unknown;
};

/** Calls what tells a schema. @throws AgentError `agent-invalid`, naming `owner` and what cannot be told. */
export function told(owner: string, tell: () => JsonObject): JsonObject {
  try {
    const { $schema: _dialect, ...json } = tell();
    return json;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `${owner}: its schema cannot be told as JSON Schema: ${why}`;
    throw new AgentError('agent-invalid', message, { cause });
  }
}

/** True for schemas of zod 4, which all carry their definition. */
function isZodSchema(schema: object): boolean {
  return '_zod' in schema;
}
