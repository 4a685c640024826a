'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/** Spent, limit and left, per limit. */
export function useBudget(): AgentFields['budget'] {
  return useField('useBudget', 'budget');
}
