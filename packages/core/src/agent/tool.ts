import type { JsonObject, JsonValue } from '../kit/json.ts';
import { AgentError } from '../kit/agent-error.ts';
import type { PluginHandle, PluginReference } from './plugin-handle.ts';
import type { AgentState } from '../graph/types.ts';
import { type Schema, toJsonSchema } from './schema.ts';

/** What a call may use while it runs. */
export type ToolContext = {
  /** The state of the step that the call belongs to. */
  readonly state: AgentState;
  /** Aborted when the run stops, its time is up, or the tool's own time-out passes. */
  readonly signal: AbortSignal;
  readonly toolCallId: string;
  /** State of a plugin. Writes are staged, and committed when the call succeeds. */
  readonly plugin: <State>(plugin: PluginReference<State>) => PluginHandle<State>;
  /** State of the plugin that brought the tool. */
  readonly own: <State>() => PluginHandle<State>;
  /** Changes the agent's state when the call succeeds; updates of parallel calls are applied in call order. */
  readonly update: (update: (state: AgentState) => AgentState) => void;
  /** Tells listeners how far the call has come. */
  readonly report: (progress: JsonValue) => void;
};

/** Whether a call may run: at once, after the user's word (with the reason to show), or not at all. */
export type ApprovalDecision =
  | boolean
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly reason?: string }
  | { readonly kind: 'deny'; readonly reason: string };

// oxlint-disable-next-line typescript/no-explicit-any -- a list of tools mixes input and output types
export type Tool<Input = any, Output = any> = {
  readonly name: string;
  readonly description: string;
  readonly input: Schema<Input> | null;
  /** What the model is told about the input. */
  readonly inputSchema: JsonObject;
  readonly output: Schema<Output> | null;
  readonly needsApproval: (input: Input, ctx: ToolContext) => ApprovalDecision | Promise<ApprovalDecision>;
  /** `idempotent` calls may be repeated when a reload interrupted them; others are recorded as interrupted. */
  readonly effects: 'once' | 'idempotent';
  readonly timeoutMs: number | null;
  /** What the model is told when a call fails. */
  readonly errorMessage: ((error: unknown) => string) | null;
  readonly execute: (input: Input, ctx: ToolContext) => Output | Promise<Output>;
  /** The plugin that brought it; set by the library. */
  readonly pluginId: string | null;
};

export type ToolInit<In extends Schema, Out extends Schema | undefined, Result> = {
  name: string;
  description: string;
  /** A Standard Schema of the input; the type of `execute`'s input comes from it. */
  input: In;
  /** JSON Schema for the model, when the schema has none of its own. */
  inputSchema?: JsonObject;
  output?: Out;
  /** Static, or computed from the input. Default: false. */
  needsApproval?:
    | boolean
    | ((
        input: NoInfer<StandardOutput<In>>,
        ctx: ToolContext,
      ) => ApprovalDecision | Promise<ApprovalDecision>);
  /** Default: `once`. */
  effects?: 'once' | 'idempotent';
  /** Milliseconds until the call is aborted and fails. Default: none. */
  timeoutMs?: number;
  errorMessage?: (error: unknown) => string;
  execute: (input: StandardOutput<In>, ctx: ToolContext) => Result | Promise<Result>;
};

type StandardOutput<S> = S extends Schema<infer Output> ? Output : never;
type ResultOf<Out> = Out extends Schema ? NonNullable<Out['~standard']['types']>['input'] : unknown;

/**
 * Something the model can call.
 * @example
 * const add = defineTool({ name: 'add', description: 'Adds', input: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b });
 * @throws AgentError `agent-invalid` for a name that providers refuse, or a schema without JSON Schema.
 */
export function defineTool<
  In extends Schema,
  Result extends ResultOf<Out>,
  Out extends Schema | undefined = undefined,
>(init: ToolInit<In, Out, Result>): Tool<StandardOutput<In>, Result> {
  const { name, description, input, needsApproval = false } = init;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw new AgentError(
      'agent-invalid',
      `Tool name ${JSON.stringify(name)}: use 1 to 64 letters, digits, "_" or "-".`,
    );
  }
  return {
    name,
    description,
    input: input as Schema<StandardOutput<In>>,
    inputSchema: init.inputSchema ?? toJsonSchema(input, 'input', `Tool ${name}`),
    output: (init.output ?? null) as Schema<Result> | null,
    needsApproval: typeof needsApproval === 'function' ? needsApproval : () => needsApproval,
    effects: init.effects ?? 'once',
    timeoutMs: init.timeoutMs ?? null,
    errorMessage: init.errorMessage ?? null,
    execute: init.execute,
    pluginId: null,
  };
}
