import type { Env } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { InferenceClient, InferenceRequest } from '../model/inference-client.ts';
import type { InferenceResponse } from '../graph/inference-response.ts';
import type { AgentState, ToolCall, ToolExecution } from '../graph/types.ts';
import type { Usage } from '../graph/usage.ts';
import { checkedTimeLimit } from './check-init.ts';

/** Values that a hook may read besides the state, and replace where its point allows it. */
export type HookFields = {
  readonly request: InferenceRequest;
  readonly response: InferenceResponse;
  readonly toolCall: ToolCall;
  /** Set it to keep the call from running, with `stopBatch` also those after it; the model receives the reason. */
  readonly blocked: { readonly reason: string; readonly stopBatch?: boolean };
  readonly execution: ToolExecution;
  readonly errors: readonly ErrorInfo[];
};
/** The name of a field. */
export type HookField = keyof HookFields;

/** The points of a run at which hooks are called, in order, with the fields that a hook may replace there. */
const points = {
  'before-execution': [],
  'before-step': [],
  'before-inference': ['request'],
  'after-inference': ['response'],
  'before-tool-use': ['toolCall', 'blocked', 'execution', 'errors'],
  'after-tool-use': ['execution'],
  'after-step': [],
  'on-stop': [],
  'after-execution': [],
  'on-error': ['errors'],
} as const satisfies { readonly [point: string]: readonly HookField[] };

/** A point of a run at which hooks are called. */
export type HookPoint = keyof typeof points;

/** The points in their order. */
export const hookPoints = Object.keys(points) as readonly HookPoint[];

/** The fields that a hook may replace at each point; the state itself may be changed everywhere. */
export const mutableFields: { readonly [Point in HookPoint]: readonly HookField[] } = points;

/** A model call made by a hook. */
export type HookModelCall<Result> = {
  /** The input of the call. Its bytes are held while the call runs, and charged when no usage is reported. */
  readonly input: unknown;
  /** Makes the call; the signal is aborted with the hook's. */
  readonly call: (signal: AbortSignal) => Result | PromiseLike<Result>;
  /** Reads the usage from the result. Default: none, so that it is estimated. */
  readonly usageOf?: (result: Result) => Partial<Usage> | undefined;
  /** The model whose price applies. Default: that of the agent. */
  readonly model?: string | null;
  /** Most output tokens. Default: the size of the largest answer so far. */
  readonly maxOutputTokens?: number;
  /** Time limit in milliseconds. Default: that of the hook. */
  readonly timeoutMs?: number;
};

/** The context of a hook besides the state. */
export type HookContext = {
  readonly point: HookPoint;
  readonly agentName: string;
  /** The step that the point belongs to, counted from 1; null outside any step. */
  readonly stepNumber: number | null;
  /** Aborted when the run stops or the hook's time is up. */
  readonly signal: AbortSignal;
  readonly env: Env;
  /** The model client of the agent, for `callModel`. */
  readonly inference: InferenceClient;
  /** The fields of the point, with the replacements of earlier hooks. */
  readonly fields: Partial<HookFields>;
  readonly replace: <Field extends HookField>(field: Field, value: HookFields[Field]) => void;
  /** Shorthand for `replace('blocked', { reason, … })`. */
  readonly block: (reason: string, options?: { readonly stopBatch?: boolean }) => void;
  /**
   * Makes a model call under the budgets of the run. It waits for room and is charged to the run, also when it fails;
   * a replay answers it from the recording. The result has to be JSON.
   * @throws AgentStopError of a limit that is reached or has too little left; the call is not made then.
   */
  readonly callModel: <Result>(call: HookModelCall<Result>) => Promise<Result>;
};

/** Code that runs at points of a run. */
export type Hook = {
  readonly name: string;
  readonly on: readonly HookPoint[];
  /** Higher runs first. */
  readonly priority: number;
  /** Time limit in milliseconds; Infinity is no limit, null the agent's `hookTimeoutMs`. */
  readonly timeoutMs: number | null;
  /** True when messages that the hook removes or rewrites stay readable in the steps that were sent them. */
  readonly keepsSent?: boolean;
  /** `once` for a hook with effects outside of the run, which forks leave out. */
  readonly effects?: 'once';
  /** Codes of the findings about it that are meant. */
  readonly expects?: readonly string[];
  readonly run: (state: AgentState, ctx: HookContext) => AgentState | void | Promise<AgentState | void>;
};

/** Options of `defineHook`. */
export type HookInit = {
  name: string;
  /** One point, several, or `all`. */
  on: HookPoint | readonly HookPoint[] | 'all';
  /** Higher runs first; equal priorities keep their order. Default: 0. */
  priority?: number;
  /** Time limit in milliseconds; Infinity is no limit. Default: the agent's `hookTimeoutMs`. */
  timeoutMs?: number;
  /**
   * Set it for a hook that shortens the history: messages that it removes or rewrites stay readable in the steps that
   * were sent them. Default: false, and their former texts are erased from the session and its store.
   */
  keepsSent?: boolean;
  /** Set it for a hook with effects outside of the run, such as a mail: forks leave it out. Default: it has none. */
  effects?: 'once';
  /** Codes of findings that are meant, e.g. `['tool-result-changed']`: such hints are folded. Default: none. */
  expects?: readonly string[];
  /** Returns the new state; concurrent changes of others are kept. Returning nothing changes nothing. */
  run: Hook['run'];
};

/**
 * Defines code that runs at points of a run and may change the state there.
 * @throws AgentError `agent-invalid` for a time limit that is not above 0.
 */
export function defineHook(init: HookInit): Hook {
  const { name, priority = 0, keepsSent = false, effects, expects, run } = init;
  const on = init.on === 'all' ? hookPoints : typeof init.on === 'string' ? [init.on] : init.on;
  const timeoutMs = checkedTimeLimit(init.timeoutMs, `Hook ${JSON.stringify(name)}: timeoutMs`);
  return {
    name,
    on,
    priority,
    timeoutMs,
    ...(keepsSent ? { keepsSent } : {}),
    ...(effects && { effects }),
    ...(expects && { expects }),
    run,
  };
}

/** Hooks in the order in which they run. */
export type HookStack = readonly Hook[];

/** Sorts by priority, higher first; equal priorities keep their order. */
export function of(hooks: readonly Hook[]): HookStack {
  return [...hooks].sort((a, b) => b.priority - a.priority);
}

/** The hooks of one point, in order. */
export function at(stack: HookStack, point: HookPoint): HookStack {
  return stack.filter((hook) => hook.on.includes(point));
}
