import type { JsonObject } from '../kit/json.ts';
import type { ResponseFormat } from '../graph/llm-config.ts';
import { AgentError } from '../kit/agent-error.ts';
import * as errors from '../kit/errors.ts';
import { loadOnce, memoize } from '../kit/memoize.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { Tool } from './tool.ts';
import { jsonSchemaVendor, preloadJsonSchemas } from './json-schema-input.ts';
import { type Direction, ownJsonSchema, type Schema, toSchema } from './schema.ts';

/** Zod's converter for schemas without one of their own (`zod/mini`): null until it is loaded. */
let zodConverter: ((schema: Schema, direction: Direction) => JsonObject) | null = null;
let failure: unknown = null;

/**
 * Loads zod's converter, and the validator of JSON Schemas, when an agent or one of its subagents needs it, as a run
 * does before it begins. Returns null when nothing has to be loaded. Never rejects: the request or call fails that
 * needs what could not be loaded.
 */
export function loadConverterFor(agent: AgentDefinition): Promise<void> | null {
  const agents = new Set([agent]);
  for (const { subagents } of agents) for (const below of subagents) agents.add(below.agent);
  const hasFormat = [...agents].some(
    ({ responseFormat, responseSchema }) => responseFormat === null && responseSchema !== null,
  );
  const tools = [...agents].flatMap(({ tools: own, plugins }) => [
    ...own,
    ...plugins.flatMap((plugin) => plugin.tools),
  ]);
  return both(hasFormat ? loadConverter() : null, loadConverterForTools(tools));
}

/** Loads what the schemas of the tools need; null when nothing has to be loaded. Never rejects. */
export function loadConverterForTools(tools: readonly Tool[]): Promise<void> | null {
  return both(
    // A schema without a converter of its own.
    tools.some(({ input, inputSchema }) => input !== null && inputSchema === null) ? loadConverter() : null,
    tools.some(({ input }) => input?.['~standard'].vendor === jsonSchemaVendor) ? preloadJsonSchemas() : null,
  );
}

const ignore = (): undefined => undefined;

function both(first: Promise<void> | null, second: Promise<void> | null): Promise<void> | null {
  if (first === null || second === null) return first ?? second;
  return Promise.all([first, second]).then(ignore);
}

function loadConverter(): Promise<void> | null {
  return zodConverter === null ? loadZodConverter().catch((cause: unknown) => void (failure = cause)) : null;
}

const loadZodConverter = /* @__PURE__ */ loadOnce(() =>
  import('./zod-json-schema.ts').then(({ zodJsonSchema }) => void (zodConverter = zodJsonSchema)),
);

/**
 * The JSON Schema of a tool's input for the model: the tool's own, or else that of its schema.
 * @throws AgentError `agent-invalid`, naming the tool, when the schema cannot be expressed, or is not that of an object.
 */
export const inputSchemaOf: (tool: Tool) => JsonObject = memoize(({ name, input, inputSchema }) => {
  const owner = `Tool ${JSON.stringify(name)}`;
  const schema = inputSchema ?? (input === null ? { type: 'object' } : jsonSchemaOf(input, 'input', owner));
  const { type = 'object' } = schema;
  if ([type].flat().includes('object')) return schema;
  const message = `${owner} takes ${JSON.stringify(type)}, and models send an object. Put the value into one, e.g. z.object({ value: … }).`;
  throw errors.agentInvalid(message);
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

/** Converts a schema to JSON Schema: by its own method, or by zod's converter, which has to be loaded. */
function jsonSchemaOf(schema: Schema, direction: Direction, owner: string): JsonObject {
  const own = ownJsonSchema(schema, direction, owner);
  if (own !== null) return own;
  const convert = zodConverter;
  if (convert !== null) return toSchema(owner, direction, () => convert(schema, direction));
  const message = `${owner}: zod's converter to JSON Schema cannot be loaded: ${String(failure)}. The next run tries again.`;
  throw new AgentError('inference-failed', message, { cause: failure });
}
