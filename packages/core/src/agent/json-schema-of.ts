import type { ResponseFormat } from '../graph/response-format.ts';
import type { JsonObject } from '../kit/json.ts';
import { memoize } from '../kit/memoize.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { type Direction, ownJsonSchema, type Schema, told } from './schema.ts';
import type { Tool } from './tool.ts';
import { zodJsonSchema } from './zod-json-schema.ts';
import type { ZodSchema } from './zod-checks.ts';

/**
 * What the model is told about the input of a tool: what the tool says, else what its schema does.
 * @throws AgentError `agent-invalid`, naming the tool, when the schema cannot be told.
 */
export const inputSchemaOf: (tool: Tool) => JsonObject = memoize(({ name, input, inputSchema }) => {
  if (inputSchema !== null) return inputSchema;
  return input === null ? { type: 'object' } : jsonSchemaOf(input, 'input', `Tool ${JSON.stringify(name)}`);
});

/**
 * What the model is told about its final answer; null for free text.
 * @throws AgentError `agent-invalid`, naming the agent, when the schema cannot be told.
 */
export const responseFormatOf: (agent: AgentDefinition) => ResponseFormat | null = memoize(
  ({ name, responseFormat, responseSchema }) => {
    if (responseFormat !== null || responseSchema === null) return responseFormat;
    const owner = `Agent ${JSON.stringify(name)}: responseFormat`;
    return { type: 'json', schema: jsonSchemaOf(responseSchema, 'output', owner) };
  },
);

/**
 * A schema as JSON Schema: as it tells itself, else from its definition, as those of `zod/mini`.
 * @throws AgentError `agent-invalid`, naming `owner`, when nothing can tell it.
 */
export function jsonSchemaOf(schema: Schema, direction: Direction, owner: string): JsonObject {
  const own = ownJsonSchema(schema, direction, owner);
  return own ?? told(owner, () => zodJsonSchema(schema as unknown as ZodSchema, direction));
}
