import type { JsonObject, JsonOf, JsonValue } from '../kit/json.ts';
import * as errors from '../kit/definition-faults.ts';
import type { AgentState } from '../graph/types.ts';
import type { ApprovalDecision } from './approval-decision.ts';
import { checkedTimeLimit } from './check-init.ts';
import type { PluginHandle, PluginReference } from './plugin-handle.ts';
import { ownJsonSchema, type Schema, type SchemaInput, type SchemaOutput } from './schema.ts';

/** What a call may use while it runs. */
export type ToolContext = {
  /** The state of the step that the call belongs to. */
  readonly state: AgentState;
  /** Aborted when the run stops, its time is up, or the tool's own time-out passes. */
  readonly signal: AbortSignal;
  /** Unique in the session: good as an idempotency key. */
  readonly toolCallId: string;
  /** State of a plugin. Writes are staged, and committed when the call succeeds. */
  readonly plugin: <State>(plugin: PluginReference<State>) => PluginHandle<State>;
  /** State of the plugin that brought the tool. @throws AgentError `plugin-unknown` when none did. */
  readonly own: <State>() => PluginHandle<State>;
  /** Changes the agent's state when the call succeeds; what parallel calls changed meanwhile stays. */
  readonly update: (update: (state: AgentState) => AgentState) => void;
  /** Tells listeners and views how far the call has come. */
  readonly report: (progress: JsonValue) => void;
};

/** What the type of a tool knows: what the model sends, and what the call answers. */
export type ToolTypes = { readonly input: unknown; readonly output: unknown };

/**
 * Something the model can call. The types are those of the conversation: `Input` is what the model sends (what the schema
 * takes), `Output` is the result as JSON.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a list of tools mixes input and output types
export type Tool<Input = any, Output = any, Name extends string = string> = {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: Name;
  readonly description: string;
  /** Validates the arguments; null takes anything. */
  readonly input: Schema<unknown, Input> | null;
  /** What the model is told about the input; null for what is told from `input` once a model is called. */
  readonly inputSchema: JsonObject | null;
  /** Validates, and may transform, the result before anyone sees or stores it; null takes anything. */
  readonly output: Schema | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- called with what the input schema gives
  readonly needsApproval: (input: any, ctx: ToolContext) => ApprovalDecision | Promise<ApprovalDecision>;
  /** `idempotent` calls may be repeated when a reload interrupted them; others are recorded as interrupted. */
  readonly effects: 'once' | 'idempotent';
  /** Milliseconds; null is no limit. */
  readonly timeoutMs: number | null;
  /** What the model is told when a call fails. */
  readonly errorMessage: ((error: unknown) => string) | null;
  /** Null for a tool that the user interface answers: the call waits with the status `awaiting-output`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- called with what the input schema gives
  readonly execute: ((input: any, ctx: ToolContext) => unknown) | null;
  /** The plugin that brought it; set by the library. */
  readonly pluginId: string | null;
  /** Types only; never set. */
  readonly '~types'?: { readonly input: Input; readonly output: Output };
};

/** What `defineTool` takes. */
export type ToolInit<Name extends string, In extends Schema, Out extends Schema | undefined, Result> = {
  /** 1 to 64 letters, digits, `_` or `-`. */
  name: Name;
  /** Tells the model what it does and when to use it. */
  description: string;
  /** A Standard Schema of the input, e.g. of zod or zod/mini; the type of `execute`'s input comes from it. */
  input: In;
  /** JSON Schema for the model, when the schema has none of its own. */
  inputSchema?: JsonObject;
  /** Validates the result; what it gives is what model, messages and storage see. */
  output?: Out;
  /** Static, or computed from the input: see `ApprovalDecision`. Default: false. */
  needsApproval?:
    | boolean
    | ((input: NoInfer<SchemaOutput<In>>, ctx: ToolContext) => ApprovalDecision | Promise<ApprovalDecision>);
  /** `idempotent` when a call may be repeated after a reload that interrupted it. Default: `once`. */
  effects?: 'once' | 'idempotent';
  /** Milliseconds until the call is aborted and fails; Infinity is none. Default: none. */
  timeoutMs?: number;
  /** What the model is told when a call fails. Default: the error's message. */
  errorMessage?: (error: unknown) => string;
  /** Does the work. Without it the user interface answers the call, with `respond(toolCallId, output)`. */
  execute?: (input: SchemaOutput<In>, ctx: ToolContext) => Result | Promise<Result>;
};

type ResultOf<Out> = Out extends Schema ? SchemaInput<Out> : unknown;
type AnswerOf<Out, Result> = Out extends Schema ? JsonOf<SchemaOutput<Out>> : JsonOf<Result>;

/**
 * Something the model can call.
 * @example
 * const add = defineTool({ name: 'add', description: 'Adds', input: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b });
 * @throws AgentError `agent-invalid` for a name that providers refuse, a time limit that is no positive number, or a schema
 * without JSON Schema. What a schema of `zod/mini` holds that JSON Schema cannot say is told by the first run.
 */
export function defineTool<
  const Name extends string,
  In extends Schema,
  Result extends ResultOf<Out>,
  Out extends Schema | undefined = undefined,
>(init: ToolInit<Name, In, Out, Result>): Tool<SchemaInput<In>, AnswerOf<Out, Result>, Name> {
  const { name, description, input, needsApproval = false } = init;
  const owner = `Tool ${JSON.stringify(name)}`;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw errors.agentInvalid(`${owner}: use 1 to 64 letters, digits, "_" or "-" for its name.`);
  }
  const timeoutMs = checkedTimeLimit(init.timeoutMs, `${owner}: timeoutMs`);
  return {
    name,
    description,
    input: input as Schema<unknown, SchemaInput<In>>,
    inputSchema: init.inputSchema ?? ownJsonSchema(input, 'input', owner),
    output: init.output ?? null,
    needsApproval: typeof needsApproval === 'function' ? needsApproval : () => needsApproval,
    effects: init.effects ?? 'once',
    timeoutMs: timeoutMs === Infinity ? null : timeoutMs,
    errorMessage: init.errorMessage ?? null,
    execute: init.execute ?? null,
    pluginId: null,
  };
}
