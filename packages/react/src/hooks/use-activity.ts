'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/** What is going on, in one value: thinking, answering, which tool with its progress, which subagent, retrying, waiting for whom. */
export function useActivity(): AgentFields['activity'] {
  return useField('useActivity', 'activity');
}
