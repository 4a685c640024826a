import type { Env } from '../graph/env.ts';
import { AgentError } from '../kit/agent-error.ts';
import { type ErrorInfo, errorInfo } from '../graph/error-info.ts';
import type { AgentEvent } from '../run/agent-event.ts';
import { memoize } from '../kit/memoize.ts';
import type { Plugin } from '../agent/plugin/plugin.ts';
import { user, type Message } from '../graph/message.ts';
import { errors, messages, status, stopReason } from '../graph/agent-state/accessors.ts';
import { withMessages } from '../graph/agent-state/context-transitions.ts';
import type { AgentState, PluginStates } from '../graph/types.ts';
import type { OutgoingMessage, TurnResult } from './agent-session.ts';

const none: readonly string[] = [];
const transientIds = memoize((plugins: readonly Plugin[]): readonly string[] => {
  const ids = plugins.filter((plugin) => plugin.persist === 'none').map((plugin) => plugin.id);
  return ids.length === 0 ? none : ids;
});
const stripped = new WeakMap<AgentState, AgentState>();

/** The state as it is saved: without the state of plugins that keep theirs for this page only. */
export function withoutTransientPlugins(state: AgentState, plugins: readonly Plugin[]): AgentState {
  const ids = transientIds(plugins);
  if (!ids.some((id) => id in state.plugins)) return state;
  const known = stripped.get(state);
  if (known) return known;
  const kept: PluginStates = Object.fromEntries(
    Object.entries(state.plugins).filter(([id]) => !ids.includes(id)),
  );
  const next = { ...state, plugins: kept };
  stripped.set(state, next);
  return next;
}

/** Drops an answer that broke off, because the same question is about to be answered again. */
export function withoutIncompleteAnswer(state: AgentState, env: Env): AgentState {
  const all = messages(state);
  const kept = all.filter((message) => message.metadata['incomplete'] !== true);
  return kept.length === all.length ? state : withMessages(state, kept, env);
}

/** True for a run that was begun and is not over: a reload, or a question to the user, stands in between. */
export function isInterrupted(state: AgentState): boolean {
  return status(state) === 'in-progress';
}

export function turnResult(state: AgentState): TurnResult {
  return { status: status(state), stopReason: stopReason(state) };
}

/** The error of a run that failed, or whose attempts were used up: the user should see it and may retry. */
export function runError(state: AgentState): ErrorInfo | null {
  if (status(state) !== 'failed' && stopReason(state) !== 'retry-limit-reached') return null;
  return (
    errors(state).at(-1) ??
    errorInfo(new AgentError('inference-failed', 'The run failed without saying why.'))
  );
}

export function toUserMessage({ text, files = [], metadata = {} }: OutgoingMessage, env: Env): Message {
  return user([{ type: 'text', text }, ...files], { metadata }, env);
}

/** Events after which something is worth saving; deltas are not among them. */
export const savingEvents: ReadonlySet<AgentEvent['type']> = new Set([
  'execution-start',
  'inference-end',
  'approval-request',
  'tool-end',
  'step-end',
  'execution-pause',
  'execution-end',
]);

/** Events with which an answer begins to show. */
export const answerEvents: ReadonlySet<AgentEvent['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-call-start',
  'tool-call',
]);
