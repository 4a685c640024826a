'use client';

import type { ErrorInfo, SessionSnapshot, SessionStatus } from '@vitrine/core';
import { shallow } from 'zustand/shallow';
import { useNearestSession } from '../agent-context.ts';
import { useSelection } from '../use-selection.ts';

/** The status, the error and the title of a session. */
export type AgentStatus = {
  readonly status: SessionStatus;
  /** The error of the last turn that failed or was refused, until the next turn or `clearError`. */
  readonly error: ErrorInfo | null;
  readonly title: string;
};

const select = ({ status, error, title }: SessionSnapshot): AgentStatus => ({ status, error, title });

/**
 * Returns the status of the session, its error and its title. `useActivity` returns the details of a run.
 */
export function useAgentStatus(): AgentStatus {
  return useSelection(useNearestSession('useAgentStatus').store, select, shallow);
}
