import * as errors from '../kit/errors.ts';
import { isDevelopment } from '../kit/freeze.ts';
import { isPlainObject, type JsonObject, type JsonOf, type JsonValue } from '../kit/json.ts';
import type { AgentState } from '../graph/types.ts';
import type { ApprovalDecision } from './approval-decision.ts';
import { toJsonObject } from '../kit/to-json.ts';
import { checkedBytes, checkedTimeLimit, checkOptions } from './check-init.ts';
import { jsonSchemaInput, type JsonSchemaInput } from './json-schema-input.ts';
import type { PluginHandle, PluginReference } from './plugin-handle.ts';
import { ownJsonSchema, type Schema, type SchemaInput, type SchemaOutput } from './schema.ts';

declare const process: { env: { NODE_ENV?: string } };

/** The context of a running call. */
export type ToolContext = {
  /** The state of the step that the call belongs to. */
  readonly state: AgentState;
  /** Aborted when the run stops, its time is up, or the tool's own timeout passes. */
  readonly signal: AbortSignal;
  /**
   * The principal for whom the run works: who sent its message to a server, by the sign-in of the server. Null in a page,
   * which has no sign-in of its own. Ask your database for anything but the id.
   */
  readonly principal: { readonly id: string } | null;
  /** Id of the call, unique in the session: usable as an idempotency key. */
  readonly toolCallId: string;
  /** State of a plugin. Writes are staged, and committed when the call succeeds. */
  readonly plugin: <State>(plugin: PluginReference<State>) => PluginHandle<State>;
  /** State of the tool's own plugin. @throws AgentError `plugin-unknown` for a tool without a plugin. */
  readonly own: <State>() => PluginHandle<State>;
  /** Changes the agent's state when the call succeeds; concurrent changes of parallel calls are kept. */
  readonly update: (update: (state: AgentState) => AgentState) => void;
  /** Reports progress to listeners and views. */
  readonly report: (progress: JsonValue) => void;
};

/** The types of a tool: the input that the model sends, and the output of the call. */
export type ToolTypes = { readonly input: unknown; readonly output: unknown };

/**
 * A tool that the model can call. `Input` is the type that the model sends (the input of the schema), `Output` the
 * result as JSON.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a list of tools mixes input and output types
export type Tool<Input = any, Output = any, Name extends string = string> = {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: Name;
  readonly description: string;
  /** Validates the arguments; null accepts any. */
  readonly input: Schema<unknown, Input> | null;
  /** The JSON Schema of the input for the model; null to derive it from `input` at the first model call. */
  readonly inputSchema: JsonObject | null;
  /** Validates, and may transform, the result before it is used or stored; null accepts any. */
  readonly output: Schema | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- called with the output of the input schema
  readonly needsApproval: (input: any, ctx: ToolContext) => ApprovalDecision | Promise<ApprovalDecision>;
  /** `idempotent` calls may be repeated when a reload interrupted them; others are recorded as interrupted. */
  readonly effects: 'once' | 'idempotent';
  /** Time limit in milliseconds; null is no limit. */
  readonly timeoutMs: number | null;
  /** Most bytes of its result as JSON; Infinity is no limit, null uses the agent's. */
  readonly maxResultBytes: number | null;
  /** Creates the error message for the model when a call fails. */
  readonly errorMessage: ((error: unknown) => string) | null;
  /** Runs the call. Null for a tool that the user interface answers: its call is `awaiting-output`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- called with the output of the input schema
  readonly execute: ((input: any, ctx: ToolContext) => unknown) | null;
  /** Codes of the findings about it that are meant. */
  readonly expects?: readonly string[];
  /** The plugin of the tool; set by the library. */
  readonly pluginId: string | null;
  /** Types only; never set. */
  readonly '~types'?: { readonly input: Input; readonly output: Output };
};

/** Options of `defineTool`. */
export type ToolInit<
  Name extends string,
  In extends Schema | JsonSchemaInput,
  Out extends Schema | undefined,
  Result,
> = {
  /** 1 to 64 letters, digits, `_` or `-`. */
  name: Name;
  /** Tells the model what the tool does and when to use it. */
  description: string;
  /**
   * A Standard Schema of the input, e.g. of zod or zod/mini, which types the input of `execute`; or a JSON Schema, which
   * checks it and leaves it a `JsonObject`.
   */
  input: In;
  /** JSON Schema for the model, when the schema cannot be converted. */
  inputSchema?: JsonObject;
  /** Validates the result; model, messages and storage receive its output. */
  output?: Out;
  /** Static, or computed from the input: see `ApprovalDecision`. Default: false. */
  needsApproval?:
    | boolean
    | ((input: NoInfer<CheckedOf<In>>, ctx: ToolContext) => ApprovalDecision | Promise<ApprovalDecision>);
  /** `idempotent` when a call may be repeated after a reload that interrupted it. Default: `once`. */
  effects?: 'once' | 'idempotent';
  /** Milliseconds until the call is aborted and fails; Infinity is none. Default: none. */
  timeoutMs?: number;
  /** Most bytes of its result as JSON; a longer one is cut. Default: the agent's limit, 1 MiB. */
  maxResultBytes?: number;
  /** Creates the error message for the model when a call fails. Default: the error's message. */
  errorMessage?: (error: unknown) => string;
  /** Codes of findings that are meant, e.g. `['result-says-error']`: such hints are folded. Default: none. */
  expects?: readonly string[];
  /** Runs the call. Without it the user interface answers the call, with `respond(toolCallId, output)`. */
  execute?: (input: CheckedOf<In>, ctx: ToolContext) => Result | Promise<Result>;
};

/** The input after validation, and as the model sends it. */
type CheckedOf<In> = In extends Schema ? SchemaOutput<In> : JsonObject;
type GivenOf<In> = In extends Schema ? SchemaInput<In> : JsonObject;
type ResultOf<Out> = Out extends Schema ? SchemaInput<Out> : unknown;
type AnswerOf<Out, Result> = Out extends Schema ? JsonOf<SchemaOutput<Out>> : JsonOf<Result>;

/**
 * Defines a tool that the model can call.
 * @example
 * const add = defineTool({ name: 'add', description: 'Adds', input: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b });
 * @throws AgentError `agent-invalid` for a name that providers reject, no description, an invalid time limit, or a schema
 * without JSON Schema. The first run reports a part of a `zod/mini` schema that JSON Schema cannot express.
 */
export function defineTool<
  const Name extends string,
  In extends Schema | JsonSchemaInput,
  Result extends ResultOf<Out>,
  Out extends Schema | undefined = undefined,
>(init: ToolInit<Name, In, Out, Result>): Tool<GivenOf<In>, AnswerOf<Out, Result>, Name> {
  const { name, description, needsApproval = false } = init;
  const owner = `Tool ${JSON.stringify(name)}`;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw errors.agentInvalid(`${owner}: use 1 to 64 letters, digits, "_" or "-" for its name.`);
  }
  if (typeof description !== 'string') {
    const message = `${owner}: it has no description; tell the model in \`description\` what the tool does and when to use it.`;
    throw errors.agentInvalid(message);
  }
  const timeoutMs = checkedTimeLimit(init.timeoutMs, `${owner}: timeoutMs`);
  const { input, inputSchema } = inputOf(init);
  const tool: Tool<GivenOf<In>, AnswerOf<Out, Result>, Name> = {
    name,
    description,
    input: input as Schema<unknown, GivenOf<In>>,
    inputSchema,
    output: init.output ?? null,
    needsApproval: typeof needsApproval === 'function' ? needsApproval : () => needsApproval,
    effects: init.effects ?? 'once',
    timeoutMs: timeoutMs === Infinity ? null : timeoutMs,
    maxResultBytes:
      init.maxResultBytes === undefined
        ? null
        : (checkedBytes(init.maxResultBytes, `${owner}: maxResultBytes`) ?? Infinity),
    errorMessage: init.errorMessage ?? null,
    execute: init.execute ?? null,
    expects: init.expects ?? [],
    pluginId: null,
  };
  if (isDevelopment && process.env.NODE_ENV !== 'production') checkOptions(init, tool, owner, namesElsewhere);
  if (input === null) {
    const message = `${owner}: its input is not a schema; give \`input\` a Standard Schema, e.g. z.object({ … }), or a JSON Schema of \`type: 'object'\`.`;
    throw errors.agentInvalid(message);
  }
  return { ...tool, inputSchema: inputSchema ?? ownJsonSchema(input, 'input', owner) };
}

type KnownInput = { readonly input: Schema | null; readonly inputSchema: JsonObject | null };

/** The schema of the input, null when none was given, and its JSON Schema as far as it is known. */
function inputOf(init: { readonly input: unknown; readonly inputSchema?: JsonObject }): KnownInput {
  const { input, inputSchema } = init;
  const known = inputSchema ?? null;
  if (isSchema(input)) return { input, inputSchema: known };
  if (!isPlainObject(input) || input['type'] !== 'object') return { input: null, inputSchema: known };
  const json = toJsonObject(input);
  return { input: jsonSchemaInput(json), inputSchema: known ?? json };
}

function isSchema(input: unknown): input is Schema {
  return '~standard' in Object(input);
}

/** Options of other libraries, and what they are called here. */
const namesElsewhere: Readonly<Record<string, string>> = { parameters: 'input', handler: 'execute' };

/** The name of the tool that takes the calls which no other tool has. The model is not told about it. */
export const anyName = '*';

/** The tool of a name, or else the one of any name; undefined when it is no longer offered. */
export function toolNamed(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.name === anyName);
}

/** The tools of a list that another agent may use: `allow` (null = all) first, then `deny`. */
export type ToolFilter = { readonly allow?: readonly string[] | null; readonly deny?: readonly string[] };

/** Checks that tool names are unique. @throws AgentError `tools-duplicate` when two tools have one name. */
export function assertUnique(tools: readonly Tool[], owner: string): void {
  const names = tools.map((tool) => tool.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  const why = `two tools are named ${JSON.stringify(twice)}; rename one of them.`;
  throw errors.toolsDuplicate({ owner, toolName: twice, why });
}
