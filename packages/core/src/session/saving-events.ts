import type { AgentEventType } from '../run/events.ts';

/** Events after which something is worth saving; deltas are not among them. */
export const savingEvents: ReadonlySet<AgentEventType> = new Set<AgentEventType>([
  'execution-start',
  'inference-end',
  'approval-request',
  'output-request',
  'tool-start',
  'tool-end',
  'call-settle',
  'step-end',
  'execution-pause',
  'execution-end',
]);
