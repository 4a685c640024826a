'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/**
 * Returns the current activity: thinking, answering, a running tool with its progress, a subagent,
 * retrying, or waiting for a person.
 */
export function useActivity(): AgentFields['activity'] {
  return useField('useActivity', 'activity');
}
