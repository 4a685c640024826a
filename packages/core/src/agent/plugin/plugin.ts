import type { JsonValue } from '../../kit/json.ts';
import { AgentError } from '../../kit/agent-error.ts';
import type { Hook } from '../hook.ts';
import type { AgentState } from '../../graph/types.ts';
import type { Schema } from '../schema.ts';
import type { Tool } from '../tool.ts';
import type { PluginHandle } from '../plugin-handle.ts';

/** What `prepare` sees: it runs before every model call. */
export type PrepareContext<State> = PluginHandle<State> & {
  readonly agentState: AgentState;
  /** The step that is being prepared, counted from 1. */
  readonly stepNumber: number;
  readonly signal: AbortSignal;
};

/** A piece of knowledge for the model, put behind the system prompt under its name. */
export type ContextItem = { readonly name: string; readonly content: string };

/** What a plugin contributes to the next model call. */
export type Prepared = {
  readonly tools?: readonly Tool[];
  readonly context?: readonly ContextItem[];
  readonly instructions?: string;
};

// oxlint-disable-next-line typescript/no-explicit-any -- a list of plugins mixes state types
export type Plugin<State = any> = {
  readonly id: string;
  readonly version: number;
  readonly state: Schema<State>;
  readonly initial: (() => State) | null;
  readonly migrate: { readonly [fromVersion: number]: (data: JsonValue) => JsonValue };
  readonly persist: 'session' | 'execution' | 'none';
  readonly tools: readonly Tool[];
  readonly hooks: readonly Hook[];
  readonly prepare: ((ctx: PrepareContext<State>) => Prepared | void | Promise<Prepared | void>) | null;
};

export type PluginInit<S extends Schema> = {
  id: string;
  /** Version of the state's schema. Default: 1. */
  version?: number;
  /** `z.unknown()` when the plugin keeps no state. */
  state: S;
  /** The state before the first write, or a function that makes it. */
  initial?: StateOf<S> | (() => StateOf<S>);
  /** One step per older version: `{ 1: (data) => dataOfVersion2 }`. */
  migrate?: { readonly [fromVersion: number]: (data: JsonValue) => JsonValue };
  /** How long the state lives: with the session (default), for one run, or not beyond this page. */
  persist?: 'session' | 'execution' | 'none';
  tools?: readonly Tool[];
  hooks?: readonly Hook[];
  prepare?: (ctx: PrepareContext<StateOf<S>>) => Prepared | void | Promise<Prepared | void>;
};

type StateOf<S> = S extends Schema<infer State> ? State : never;

/**
 * Tools, hooks and instructions that share a piece of validated state.
 * @throws AgentError `agent-invalid` for an empty id or a version that is not a positive integer.
 */
export function definePlugin<S extends Schema>(init: PluginInit<S>): Plugin<StateOf<S>> {
  const { id, version = 1, initial } = init;
  if (id === '' || !Number.isInteger(version) || version < 1) {
    throw new AgentError(
      'agent-invalid',
      `Plugin ${JSON.stringify(id)}: it needs an id and a version of 1 or more (${version}).`,
    );
  }
  return {
    id,
    version,
    state: init.state as unknown as Schema<StateOf<S>>,
    initial: toFunction(initial),
    migrate: init.migrate ?? {},
    persist: init.persist ?? 'session',
    tools: (init.tools ?? []).map((tool) => ({ ...tool, pluginId: id })),
    hooks: init.hooks ?? [],
    prepare: init.prepare ?? null,
  };
}

function toFunction<Value>(initial: Value | (() => Value) | undefined): (() => Value) | null {
  if (initial === undefined) return null;
  return typeof initial === 'function' ? (initial as () => Value) : () => initial;
}
