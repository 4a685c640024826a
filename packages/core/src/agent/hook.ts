import type { Env } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import type { InferenceResponse } from '../graph/inference-response.ts';
import type { AgentState, ToolCall, ToolExecution } from '../graph/types.ts';
import { checkedTimeLimit } from './check-init.ts';

/** Every moment of a run at which hooks are called, in order. */
export const hookPoints = [
  'before-execution',
  'before-step',
  'before-inference',
  'after-inference',
  'before-tool-use',
  'after-tool-use',
  'after-step',
  'on-stop',
  'after-execution',
  'on-error',
] as const;

/** A moment of a run at which hooks are called. */
export type HookPoint = (typeof hookPoints)[number];

/** What a hook may look at besides the state, and replace where its point allows it. */
export type HookFields = {
  readonly request: InferenceRequest;
  readonly response: InferenceResponse;
  readonly toolCall: ToolCall;
  /** Set to keep the call from running, with `stopBatch` also those after it; the model is told the reason. */
  readonly blocked: { readonly reason: string; readonly stopBatch?: boolean };
  readonly execution: ToolExecution;
  readonly errors: readonly ErrorInfo[];
};
/** The name of a field. */
export type HookField = keyof HookFields;

/** Which fields a hook may replace at which point; the state itself may be changed everywhere. */
export const mutableFields: { readonly [Point in HookPoint]: readonly HookField[] } = {
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
};

/** What a hook is told besides the state. */
export type HookContext = {
  readonly point: HookPoint;
  readonly agentName: string;
  /** The step that the point belongs to, counted from 1; null outside any step. */
  readonly stepNumber: number | null;
  /** Aborted when the run stops or the hook's time is up. */
  readonly signal: AbortSignal;
  readonly env: Env;
  /** What belongs to the point, with the replacements of earlier hooks. */
  readonly fields: Partial<HookFields>;
  readonly replace: <Field extends HookField>(field: Field, value: HookFields[Field]) => void;
  /** Short for `replace('blocked', { reason, … })`. */
  readonly block: (reason: string, options?: { readonly stopBatch?: boolean }) => void;
};

/** Code that runs at points of a run. */
export type Hook = {
  readonly name: string;
  readonly on: readonly HookPoint[];
  /** Higher runs first. */
  readonly priority: number;
  /** Milliseconds; Infinity is no limit, null the agent's `hookTimeoutMs`. */
  readonly timeoutMs: number | null;
  readonly run: (state: AgentState, ctx: HookContext) => AgentState | void | Promise<AgentState | void>;
};

/** What `defineHook` takes. */
export type HookInit = {
  name: string;
  /** One point, several, or `all`. */
  on: HookPoint | readonly HookPoint[] | 'all';
  /** Higher runs first; equal ones keep their order. Default: 0. */
  priority?: number;
  /** Milliseconds that it may take; Infinity is no limit. Default: the agent's `hookTimeoutMs`. */
  timeoutMs?: number;
  /** Returns the state as it should be; what others change meanwhile stays. Nothing means that it changes nothing. */
  run: Hook['run'];
};

/**
 * Code that runs at points of a run and may change the state there.
 * @throws AgentError `agent-invalid` for a time limit that is not above 0.
 */
export function defineHook(init: HookInit): Hook {
  const { name, priority = 0, run } = init;
  const on = init.on === 'all' ? hookPoints : typeof init.on === 'string' ? [init.on] : init.on;
  const timeoutMs = checkedTimeLimit(init.timeoutMs, `Hook ${JSON.stringify(name)}: timeoutMs`);
  return { name, on, priority, timeoutMs, run };
}
