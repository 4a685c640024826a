import * as errors from '../../kit/errors.ts';
import type { JsonValue } from '../../kit/json.ts';
import { checkedList, type Refused } from '../check-init.ts';
import type { Hook } from '../hook.ts';
import type { AgentState, ToolCall } from '../../graph/types.ts';
import type { InferenceEvent, InferenceRequest } from '../../model/inference-client.ts';
import type { Schema } from '../schema.ts';
import type { Tool } from '../tool.ts';
import type { PluginHandle } from '../plugin-handle.ts';
import { plainStateOf } from './plugin-entry.ts';

/** The context of `prepare`, which runs before every model call. */
export type PrepareContext<State> = PluginHandle<State> & {
  readonly agentState: AgentState;
  /** The step that is being prepared, counted from 1. */
  readonly stepNumber: number;
  readonly signal: AbortSignal;
};

/** A piece of knowledge for the model under its name, such as the time or the page in view. */
export type ContextItem = { readonly name: string; readonly content: string };

/** The contribution of a plugin to the next model call. */
export type Prepared<T extends Tool = Tool> = {
  /** Tools offered in this call, besides the static ones. A change costs a cache as one of instructions does. */
  readonly tools?: readonly T[];
  /**
   * Pieces of knowledge. The model is told what is new, changed or gone at the end of the conversation, so what moves in
   * each step costs its own tokens only.
   */
  readonly context?: readonly ContextItem[];
  /** Instructions behind the system prompt. A change costs a provider's cache the whole request. */
  readonly instructions?: string;
};

/**
 * Tools, hooks and instructions that share validated state. `OwnTool` is the union of its tools, those of `prepare`
 * included.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a list of plugins mixes state types
export type Plugin<State = any, Id extends string = string, OwnTool extends Tool = Tool> = {
  readonly id: Id;
  /** Version of the state's schema, from 1. */
  readonly version: number;
  readonly state: Schema<State>;
  /** Returns the state before the first write, always the same; null when there is none. */
  readonly initial: (() => State) | null;
  readonly migrate: { readonly [fromVersion: number]: (data: JsonValue) => JsonValue };
  readonly persist: 'session' | 'execution' | 'none';
  readonly tools: readonly Tool[];
  readonly hooks: readonly Hook[];
  readonly prepare: ((ctx: PrepareContext<State>) => Prepared | void | Promise<Prepared | void>) | null;
  /** The features of the loop that it needs: its own layers, and what asks it before a call of the model. */
  readonly features: readonly ((run: never) => object)[];
  /** Types only; never set. */
  readonly '~types'?: { readonly tool: OwnTool };
};

/** A call of the model, as a layer around it sees it. */
type LayeredCall = {
  /** The request as the client receives it. It cannot be changed here: a hook at `before-inference` does that. */
  readonly request: InferenceRequest;
  readonly agentState: AgentState;
  /** The step in flight, counted from 1. */
  readonly stepNumber: number;
  readonly signal: AbortSignal;
};

/** A layer around the model: it yields the events of `next()`, others in their place, or its own without calling it. */
type AroundModel = (
  call: LayeredCall,
  next: () => AsyncIterable<InferenceEvent>,
) => AsyncIterable<InferenceEvent>;

/** A layer around a tool at work: it returns what `next()` resolves with, something else, or its own without calling it. */
type AroundTool = (
  call: Omit<LayeredCall, 'request'> & { readonly toolCall: ToolCall },
  next: () => Promise<JsonValue>,
) => unknown;

/** Options of `definePlugin`. `Other` is what it refuses in place of a list with a sentence. */
export type PluginInit<
  S extends Schema,
  Id extends string = string,
  T extends Tool = Tool,
  PT extends Tool = Tool,
  Other = never,
> = {
  /** The key of the state in sessions: keep it when the plugin changes. */
  id: Id;
  /** Version of the state's schema. Default: 1. */
  version?: number;
  /** Schema of the state; `z.unknown()` when the plugin keeps none. */
  state: S;
  /** The state before the first write, or a function that creates it and always returns the same. */
  initial?: StateOf<S> | (() => StateOf<S>);
  /** One step per older version: `{ 1: (data) => dataOfVersion2 }`. */
  migrate?: { readonly [fromVersion: number]: (data: JsonValue) => JsonValue };
  /** Lifetime of the state: the session (default), one run, or this page. */
  persist?: 'session' | 'execution' | 'none';
  tools?: readonly T[] | Other;
  hooks?: readonly Hook[] | Other;
  /** Runs before every model call: the state determines the model's context and its tools. */
  prepare?: (ctx: PrepareContext<StateOf<S>>) => Prepared<PT> | void | Promise<Prepared<PT> | void>;
  /**
   * A layer around each call of the model, attempts counted one by one. Layers of earlier plugins are outside. It calls
   * `next` at most once; an answer without it costs nothing. A recorded answer passes no layer.
   * @example
   * async *aroundModel({ stepNumber }, next) {
   *   for await (const event of next()) yield event;
   * }
   */
  aroundModel?: AroundModel;
  /**
   * A layer around each tool at work: its arguments are checked and approved, its result is not yet kept. It calls `next`
   * at most once. An error that it throws ends the call, and the model receives its message.
   */
  aroundTool?: AroundTool;
  /**
   * Opens what the plugin needs for the life of a session (a connection, a timer, a subscription) before its first run in
   * this page or process, and returns the function that closes it. That one is called once, when the session is closed or
   * deleted. The time of `open` is limited by `hookTimeoutMs`.
   * @example
   * open({ sessionId }) {
   *   const socket = new WebSocket(`/prices?session=${sessionId}`);
   *   return () => socket.close();
   * }
   */
  open?: (life: {
    /** The id of the session; null for a run without one. */
    readonly sessionId: string | null;
    /** Aborted when the session is closed or deleted. */
    readonly signal: AbortSignal;
  }) => Close | Promise<Close>;
};

/** Closes what a plugin has opened; nothing when there is nothing to close. */
type Close = (() => unknown) | void;

export type StateOf<S> = S extends Schema<infer State> ? State : never;

/** Creates a plugin without features. @throws AgentError as `definePlugin` does */
export function createPlugin<S extends Schema>(
  init: PluginInit<S, string, Tool, Tool, Refused['byName']>,
): Plugin<StateOf<S>> {
  const { id, version = 1, initial } = init;
  assertPluginId(id);
  if (!Number.isInteger(version) || version < 1) {
    const message = `Plugin ${JSON.stringify(id)}: its version is ${version}; give a whole number of 1 or more.`;
    throw errors.agentInvalid(message);
  }
  const owner = `Plugin ${JSON.stringify(id)}`;
  const tools = checkedList<Tool>(init.tools, `${owner}: tools`, 'needsApproval', 'defineTool');
  if (typeof initial !== 'function') plainStateOf(id, initial ?? null);
  return {
    id,
    version,
    state: init.state as unknown as Schema<StateOf<S>>,
    initial: toFunction(initial),
    migrate: init.migrate ?? {},
    persist: init.persist ?? 'session',
    tools: tools.map((tool) => ({ ...tool, pluginId: id })),
    hooks: checkedList<Hook>(init.hooks, `${owner}: hooks`, 'run', 'defineHook'),
    prepare: init.prepare ?? null,
    features: [],
  };
}

function toFunction<Value>(initial: Value | (() => Value) | undefined): (() => Value) | null {
  if (initial === undefined) return null;
  return typeof initial === 'function' ? (initial as () => Value) : () => initial;
}

/** The prefixes under which the library keeps its own data beside the state of plugins. */
const reservedPrefixes = ['vitrine:', 'quarantine:'];

/**
 * Checks a plugin id. State is kept by id in a plain object.
 * @throws AgentError `agent-invalid` for an id that is empty, used by the library, or a property of every object
 * (`constructor`, `__proto__`, `toString` …).
 */
function assertPluginId(id: string): void {
  const prefix = reservedPrefixes.find((candidate) => id.startsWith(candidate));
  if (id !== '' && id !== 'prototype' && !(id in Object.prototype) && prefix === undefined) return;
  const why = id === '' ? 'is empty' : prefix ? `begins with the reserved "${prefix}"` : 'is reserved';
  throw errors.agentInvalid(`Plugin id ${JSON.stringify(id)} ${why}; give it another one.`);
}
