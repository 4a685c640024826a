'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/** Returns the usage of the current run, including subagents. */
export function useUsage(): AgentFields['usage'] {
  return useField('useUsage', 'usage');
}
