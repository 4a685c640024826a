import type { JsonObject } from '../kit/json.ts';
import type { ResponseFormat } from '../graph/llm-config.ts';
import { memoize } from '../kit/memoize.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { Tool } from './tool.ts';
import { zodJsonSchema, type ZodSchema } from './zod-json-schema.ts';
import { type Direction, ownJsonSchema, type Schema, told } from './schema.ts';

/**
 * The JSON Schema of a tool's input for the model: the tool's own, or else that of its schema.
 * @throws AgentError `agent-invalid`, naming the tool, when the schema cannot be expressed.
 */
export const inputSchemaOf: (tool: Tool) => JsonObject = memoize(({ name, input, inputSchema }) => {
  if (inputSchema !== null) return inputSchema;
  return input === null ? { type: 'object' } : jsonSchemaOf(input, 'input', `Tool ${JSON.stringify(name)}`);
});

/**
 * The response format for the model; null for free text.
 * @throws AgentError `agent-invalid`, naming the agent, when the schema cannot be expressed.
 */
export const responseFormatOf: (agent: AgentDefinition) => ResponseFormat | null = memoize(
  ({ name, responseFormat, responseSchema }) => {
    if (responseFormat !== null || responseSchema === null) return responseFormat;
    const owner = `Agent ${JSON.stringify(name)}: responseFormat`;
    return { type: 'json', schema: jsonSchemaOf(responseSchema, 'output', owner) };
  },
);

/**
 * Converts a schema to JSON Schema: by its own method, or from its definition, as for `zod/mini`.
 * @throws AgentError `agent-invalid`, naming `owner`, when it cannot be expressed.
 */
export function jsonSchemaOf(schema: Schema, direction: Direction, owner: string): JsonObject {
  const own = ownJsonSchema(schema, direction, owner);
  return own ?? told(owner, () => zodJsonSchema(schema as unknown as ZodSchema, direction));
}
