'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/** What the present execution has spent, subagents included. */
export function useUsage(): AgentFields['usage'] {
  return useField('useUsage', 'usage');
}
