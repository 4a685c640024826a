import type { Timestamp } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { AgentState } from '../graph/types.ts';
import type { ValueOf, ValuesOf } from '../kit/check.ts';
import type { eventFields, pluginValue, replacedRequest } from './event-shapes.ts';
import { stateAtPath } from './state-at.ts';

/** The events that change a state, by their types. `event-shapes.ts` tells what each means and holds. */
export type ChangeType = keyof typeof eventFields;

/** Every event that changes an agent's state, as plain JSON. */
export type AgentEventBody = {
  [Type in ChangeType]: Flat<{ readonly type: Type } & ValuesOf<(typeof eventFields)[Type]>>;
}[ChangeType];

/** The same type as one list of fields, as editors show it. */
type Flat<T> = { [Key in keyof T]: T[Key] };

/** The fields of a request that a hook replaced before the model call, and the hook. */
export type ReplacedRequest = ValueOf<typeof replacedRequest>;

/** The state of a plugin after a write; null forgets it. */
export type PluginValue = ValueOf<typeof pluginValue>;

/** An event for listeners only. It changes no state and is not stored. */
export type AgentSignalBody =
  /** A piece of the input of a tool call, as it streams. */
  | { readonly type: 'tool-call-delta'; readonly toolCallId: string; readonly delta: string }
  /** A hook has returned. */
  | { readonly type: 'hook-end'; readonly hook: string; readonly point: string; readonly durationMs: number }
  /** A hook has replaced a field that nothing reads at its point. */
  | { readonly type: 'hook-violation'; readonly hook: string; readonly point: string; readonly field: string }
  /** A file whose bytes are not in the store. The model is told that it is not available. */
  | {
      readonly type: 'attachment-missing';
      readonly messageId: string;
      readonly hash: string;
      readonly filename: string | null;
    }
  /** A model call has failed and is made again after `delayMs`. */
  | {
      readonly type: 'inference-retry';
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: ErrorInfo;
    };

type EventPlace = {
  readonly at: Timestamp;
  /** The ids of the tool executions between the root and the agent of the event; empty for the root. */
  readonly path: readonly string[];
};

/** One change of one agent. `seq` counts the events of that agent from 1. */
export type AgentChange = AgentEventBody & EventPlace & { readonly seq: number };
/** One signal; it has no `seq`. */
export type AgentSignal = AgentSignalBody & EventPlace & { readonly seq: null };
/** An event as listeners receive it: a closed union of plain JSON. */
export type AgentEvent = AgentChange | AgentSignal;
/** The types of all events, signals included. */
export type AgentEventType = AgentEvent['type'];
/** The event of one type, e.g. `AgentEventOf<'tool-end'>`. */
export type AgentEventOf<Type extends AgentEventType> = Extract<AgentEvent, { readonly type: Type }>;
/** A listener of each event with the root's state after it. Errors that it throws are reported. */
export type AgentEventListener = (event: AgentEvent, state: AgentState) => void;

/** The agent, execution and step that an event belongs to, derived from its path and the root's state after it. */
type EventAddress = {
  readonly agentId: string;
  readonly parentAgentId: string | null;
  readonly executionId: string | null;
  /** Counted from 1; null outside any step. */
  readonly stepNumber: number | null;
};

/** Returns the address of an event, or null when the agent at its path is no longer present. */
export function eventAddress(event: AgentEvent, state: AgentState): EventAddress | null {
  const agent = stateAtPath(state, event.path);
  if (agent === null) return null;
  const { agentId, parentAgentId, execution } = agent;
  const stepNumber = stepNumberOf(event, agent);
  return { agentId, parentAgentId, executionId: execution?.executionId ?? null, stepNumber };
}

/** The number of the step that an event of an agent belongs to, by the agent's state after it; null outside of steps. */
export function stepNumberOf(event: AgentEvent, { execution }: AgentState): number | null {
  if (event.type === 'continuation-evaluate') return event.evaluation.stepNumber;
  const finished = execution?.stepExecutions.length ?? 0;
  if (event.type === 'step-end') return finished;
  return execution?.currentStep ? finished + 1 : null;
}
