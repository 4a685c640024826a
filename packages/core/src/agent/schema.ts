import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonObject } from '../kit/json.ts';
import { AgentError } from '../kit/agent-error.ts';
import { isZodSchema, zodJsonSchema } from './zod-json-schema.ts';

/** Any Standard Schema (zod, Valibot, ArkType, ...): https://standardschema.dev */
export type Schema<Output = unknown, Input = unknown> = StandardSchemaV1<Input, Output>;
/** What a schema gives. */
export type SchemaOutput<S extends Schema> = StandardSchemaV1.InferOutput<S>;
/** What a schema takes. */
export type SchemaInput<S extends Schema> = StandardSchemaV1.InferInput<S>;

/**
 * The schema as JSON Schema: through the Standard JSON Schema trait where it has it (zod 4.2 and later, ArkType, …), else
 * from its definition where it is one of zod 4 (`zod/mini`).
 * @throws AgentError `agent-invalid`, naming `owner`, when neither can tell it.
 */
export function toJsonSchema(schema: Schema, direction: 'input' | 'output', owner: string): JsonObject {
  const standard: StandardSchemaV1.Props & { jsonSchema?: JsonSchemaTrait } = schema['~standard'];
  try {
    const json = standard.jsonSchema
      ? standard.jsonSchema[direction]({ target: 'draft-2020-12' })
      : isZodSchema(schema)
        ? zodJsonSchema(schema, direction)
        : null;
    if (json !== null) return withoutDialect(json as JsonObject);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AgentError('agent-invalid', `${owner}: its schema cannot be told as JSON Schema: ${why}`, {
      cause,
    });
  }
  throw new AgentError(
    'agent-invalid',
    `${owner}: its schema (${standard.vendor}) has no JSON Schema of its own. Give one as \`inputSchema\`, or use zod 4.`,
  );
}

type JsonSchemaTrait = {
  readonly [Direction in 'input' | 'output']: (options: { target: string }) => unknown;
};

function withoutDialect({ $schema: _dialect, ...json }: JsonObject): JsonObject {
  return json;
}
