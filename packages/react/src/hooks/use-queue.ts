'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/** Messages that wait for their turn, the next one first. */
export function useQueue(): AgentFields['queue'] {
  return useField('useQueue', 'queue');
}
