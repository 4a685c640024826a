'use client';

import type { ErrorInfo, SessionSnapshot, SessionStatus } from '@vitrine/core';
import { shallow } from 'zustand/shallow';
import { useNearestSession } from '../agent-context.ts';
import { useSelection } from '../use-selection.ts';

/** How a session stands. */
export type AgentStatus = {
  readonly status: SessionStatus;
  /** What the last turn failed with or was refused for, until the next one or `clearError`. */
  readonly error: ErrorInfo | null;
  readonly title: string;
};

const select = ({ status, error, title }: SessionSnapshot): AgentStatus => ({ status, error, title });

/** How the session stands, its error and its title; details of what is going on gives `useActivity`. */
export function useAgentStatus(): AgentStatus {
  return useSelection(useNearestSession('useAgentStatus').store, select, shallow);
}
