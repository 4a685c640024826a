'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/** The steps of the present execution, the one in flight last. */
export function useSteps(): AgentFields['steps'] {
  return useField('useSteps', 'steps');
}
