import { isToldContext } from '@vitrine/core/internal/graph/foreign-traces';
import * as errors from '@vitrine/core/internal/kit/errors';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { Schema } from '@vitrine/core/internal/agent/schema';
import { defineTool, type Tool, type ToolContext } from '@vitrine/core/internal/agent/tool';
import { isPlainObject, type JsonObject } from '@vitrine/core/internal/kit/json';
import { toJson, toJsonObject } from '@vitrine/core/internal/kit/to-json';
import { toModelPrompt } from './model/model-prompt.ts';
import type { JsonSchemaInput } from '@vitrine/core/internal/agent/json-schema-input';

// oxlint-disable-next-line typescript/no-explicit-any -- the types of input and options differ between versions
type ApprovalRule = (input: any, options: any) => boolean | PromiseLike<boolean>;

/** The part of a `tool()` of the AI SDK 5 to 7 that is read. */
export type AiSdkTool = {
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  // oxlint-disable-next-line typescript/no-explicit-any -- the types of input and options differ between versions
  readonly execute?: ((input: any, options: any) => unknown) | undefined;
  readonly needsApproval?: boolean | ApprovalRule | undefined;
};

/**
 * Converts a tool of the AI SDK. Its schema, description, `needsApproval` and `execute` are used; values that a generator
 * yields before its last become the progress of the call. A tool without `execute` is answered by the interface.
 * @throws AgentError `agent-invalid` for a tool without an input schema, or with one that is still a promise.
 * @example
 * const tools = Object.entries(myTools).map(([name, tool]) => fromAiSdkTool(name, tool));
 */
export function fromAiSdkTool<const Name extends string>(
  name: Name,
  tool: AiSdkTool,
): Tool<unknown, unknown, Name> {
  const { execute, needsApproval = false, description } = tool;
  const run = execute?.bind(tool);
  return defineTool({
    name,
    description: typeof description === 'string' ? description : '',
    ...inputOf(name, tool.inputSchema),
    needsApproval:
      typeof needsApproval === 'function'
        ? async (input, context) => needsApproval(input, optionsOf(context))
        : needsApproval,
    ...(run === undefined
      ? {}
      : { execute: (input, context) => reportAll(run(input, optionsOf(context)), context) }),
  }) as Tool<unknown, unknown, Name>;
}

function optionsOf({ toolCallId, state, signal }: ToolContext): object {
  const said = messages(state).filter((message) => !isToldContext(message));
  return { toolCallId, messages: toModelPrompt(said), abortSignal: signal, context: {} };
}

/** Reports the values that a generator yields, and resolves with the last one; with a plain result as it is. */
async function reportAll(result: unknown, { report }: ToolContext): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown = null;
  for await (const value of result as AsyncIterable<unknown>) {
    report(toJson(value));
    last = value;
  }
  return last;
}

type Input = { readonly input: Schema | JsonSchemaInput; readonly inputSchema?: JsonObject };

function inputOf(name: string, given: unknown): Input {
  const owner = `fromAiSdkTool(${JSON.stringify(name)})`;
  // A lazy schema is a function that makes it; schemas of ArkType are functions too.
  const schema = typeof given === 'function' && !('~standard' in given) ? (given as () => unknown)() : given;
  if (Object(schema) === schema && '~standard' in (schema as object)) return { input: schema as Schema };
  const { jsonSchema, validate } = (schema ?? {}) as {
    readonly jsonSchema?: unknown;
    readonly validate?: unknown;
  };
  if (!isPlainObject(jsonSchema))
    throw errors.agentInvalid(
      `${owner}: its inputSchema is no schema that can be read at once. Give a schema of zod, or jsonSchema({ … }) with the schema itself.`,
    );
  const json = { ...toJsonObject(jsonSchema), type: 'object' } as const;
  return typeof validate === 'function'
    ? { input: schemaOver(validate.bind(schema)), inputSchema: json }
    : { input: json };
}

type Validated =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: { readonly message: string } };

function schemaOver(validate: (value: unknown) => Validated | PromiseLike<Validated>): Schema {
  return {
    '~standard': {
      version: 1,
      vendor: 'ai-sdk',
      async validate(value) {
        const result = await validate(value);
        return result.success ? { value: result.value } : { issues: [{ message: result.error.message }] };
      },
    },
  };
}
