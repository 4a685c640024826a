'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/** Returns the queued messages, the next one first. */
export function useQueue(): AgentFields['queue'] {
  return useField('useQueue', 'queue');
}
