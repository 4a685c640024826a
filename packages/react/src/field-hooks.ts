'use client';

import type { ErrorInfo, SessionSnapshot, SessionStatus } from '@vitrine/core';
import { useCallback } from 'react';
import { shallow } from 'zustand/shallow';
import { useNearestSession } from './agent-context.ts';
import { type AgentFields, type Field, fields } from './fields.ts';
import { noteErrorReader } from './development.ts';
import { useSelection } from './use-selection.ts';

function useField<Name extends keyof AgentFields>(hook: string, name: Name): AgentFields[Name] {
  const session = useNearestSession(hook);
  const { select, equal }: Field<AgentFields[Name]> = fields[name];
  const selectWithAgent = useCallback(
    (snapshot: SessionSnapshot) => select(snapshot, session.settings().agent),
    [select, session],
  );
  return useSelection(session.store, selectWithAgent, equal ?? Object.is);
}

/**
 * Returns the current activity: thinking, answering, a running tool with its progress, a subagent,
 * retrying, or waiting for a person.
 */
export function useActivity(): AgentFields['activity'] {
  return useField('useActivity', 'activity');
}

/** Returns the steps of the current run; the step in progress is last. */
export function useSteps(): AgentFields['steps'] {
  return useField('useSteps', 'steps');
}

/** Returns the usage of the current run, including subagents. */
export function useUsage(): AgentFields['usage'] {
  return useField('useUsage', 'usage');
}

/** Returns the spent amount, the limit and the remainder of each limit. */
export function useBudget(): AgentFields['budget'] {
  return useField('useBudget', 'budget');
}

/** Returns the tool calls that wait for a person. */
export function usePendingApprovals(): AgentFields['pendingApprovals'] {
  return useField('usePendingApprovals', 'pendingApprovals');
}

/** Returns the queued messages, the next one first. */
export function useQueue(): AgentFields['queue'] {
  return useField('useQueue', 'queue');
}

/** Returns all stop signals in effect; the deciding one is `AgentState.stopSignal(state)`. */
export function useStopSignals(): AgentFields['stopSignals'] {
  return useField('useStopSignals', 'stopSignals');
}

type AgentStatus = {
  readonly status: SessionStatus;
  /** The error of the last turn that failed or was refused, until the next turn or `clearError`. */
  readonly error: ErrorInfo | null;
  readonly title: string;
};

const select = ({ status, error, title }: SessionSnapshot): AgentStatus => ({ status, error, title });

/** Returns the status of the session, its error and its title. `useActivity` returns the details of a run. */
export function useAgentStatus(): AgentStatus {
  const { store } = useNearestSession('useAgentStatus');
  noteErrorReader(store);
  return useSelection(store, select, shallow);
}
