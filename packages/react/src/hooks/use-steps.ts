'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/** Returns the steps of the current run; the step in progress is last. */
export function useSteps(): AgentFields['steps'] {
  return useField('useSteps', 'steps');
}
