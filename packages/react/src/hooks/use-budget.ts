'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/** Returns the spent amount, the limit and the remainder of each limit. */
export function useBudget(): AgentFields['budget'] {
  return useField('useBudget', 'budget');
}
