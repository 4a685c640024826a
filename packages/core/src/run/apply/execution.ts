import { spentWithoutExecution } from '../../graph/limits.ts';
import { addGrant } from '../../graph/grants.ts';
import { storeFields, withErrorRecorded } from '../../graph/agent-state/transitions.ts';
import { withContinuationRequested, withStopSignal } from '../../graph/execution-continuation.ts';
import { pendingAt } from '../../graph/execution-state.ts';
import { withSection } from '../../graph/message-store.ts';
import type { AgentState, ExecutionState } from '../../graph/types.ts';
import { present } from '../../kit/json.ts';
import { execution, type Handlers } from './handler.ts';

/** Changes the execution. An idle state gets a pending one of the given id first, which counts as one more. */
function begunExecution(
  state: AgentState,
  { executionId, at }: { readonly executionId?: string; readonly at: number },
  update: (execution: ExecutionState) => ExecutionState,
): Partial<AgentState> {
  const { execution: current, executionCount, agentId } = state;
  if (current !== null) return { execution: update(current), executionCount };
  return { execution: update(pendingAt(executionId ?? agentId, at)), executionCount: executionCount + 1 };
}

/** The waited time when a wait ends now. Time in which nobody ran the agent counts as waiting too. */
function waitedUntil(current: ExecutionState, since: number, at: number): number {
  return current.waitedMs + Math.max(0, at - (current.waitingSince ?? since));
}

export const executionHandlers = {
  'execution-start'(state, { executionId, at, forgottenPlugins, turnId, turnModel, by, limits }) {
    const pending = state.execution?.status === 'pending' ? state.execution : null;
    const base = pending ?? pendingAt(executionId, at);
    const kept = Object.entries(state.plugins).filter(([id]) => !forgottenPlugins.includes(id));
    return {
      executionCount: state.executionCount + (pending === null ? 1 : 0),
      spentBefore: pending === null ? spentWithoutExecution(state) : (state.spentBefore ?? null),
      execution: {
        ...base,
        executionId,
        status: 'in-progress',
        startedAt: at,
        completedAt: null,
        ...present({ turnId, turnModel, by, limits }),
      },
      plugins: kept.length === Object.keys(state.plugins).length ? state.plugins : Object.fromEntries(kept),
      context: { ...state.context, store: withSection(state.context.store, 'execution_buffer', []) },
      // No step refers to the texts and retained messages any more.
      texts: {},
      retained: {},
    };
  },

  'execution-pause': (state, { at, asleepMs = 0 }) =>
    execution(state, (current) => ({
      ...current,
      waitedMs: current.waitedMs + asleepMs,
      waitingSince: current.waitingSince ?? at,
    })),

  'execution-resume': (state, { at, limits }) =>
    execution(state, (current) => ({
      ...current,
      status: 'in-progress',
      completedAt: null,
      // Resuming a pending execution starts it.
      startedAt: current.status === 'pending' ? at : current.startedAt,
      // Nobody ran it since its end, or since the last change.
      waitedMs:
        current.status === 'pending' ? 0 : waitedUntil(current, current.completedAt ?? state.updatedAt, at),
      waitingSince: null,
      ...present({ limits }),
    })),

  'execution-end'(state, { at, status }) {
    const ended = execution(state, (current) => ({
      ...current,
      status,
      completedAt: at,
      waitedMs: current.waitingSince === null ? current.waitedMs : waitedUntil(current, at, at),
      waitingSince: null,
      breakHit: null,
      breakPassed: null,
      // The end is decided, so a continuation request comes too late.
      continuation: withContinuationRequested(current.continuation, false),
    }));
    // A run that was stopped may go on, and then its model needs the results of its calls.
    if (status === 'stopped') return ended;
    const store = withSection(state.context.store, 'execution_buffer', []);
    // A subagent that an older version began lacks the field.
    const { breakpoints = [] } = state;
    const kept = breakpoints.some(({ isOnce }) => isOnce)
      ? { breakpoints: breakpoints.filter(({ isOnce }) => !isOnce) }
      : {};
    // Steps keep the messages of the buffer that they were sent.
    return store === state.context.store
      ? { ...ended, ...kept }
      : { ...storeFields({ ...state, ...ended }, store), ...kept };
  },

  'stop-signal': (state, event) =>
    begunExecution(state, event, (current) => ({
      ...current,
      continuation: withStopSignal(current.continuation, event.signal),
    })),

  'continuation-request': (state, event) =>
    begunExecution(state, event, (current) => ({
      ...current,
      continuation: withContinuationRequested(current.continuation),
    })),

  'budget-grant': (state, { grant }) =>
    execution(state, (current) => ({ ...current, grants: addGrant(current.grants, grant) })),

  'error-record': (state, event) =>
    begunExecution(state, event, (current) => withErrorRecorded(current, event.error)),
} satisfies Partial<Handlers>;
