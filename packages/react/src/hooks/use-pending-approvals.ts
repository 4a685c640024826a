'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/** Returns the tool calls that wait for a person. */
export function usePendingApprovals(): AgentFields['pendingApprovals'] {
  return useField('usePendingApprovals', 'pendingApprovals');
}
