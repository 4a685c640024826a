'use client';

import type { AgentFields } from '../fields.ts';
import { useField } from '../use-field.ts';

/** Returns all stop signals in effect; the deciding one is `AgentState.stopSignal(state)`. */
export function useStopSignals(): AgentFields['stopSignals'] {
  return useField('useStopSignals', 'stopSignals');
}
