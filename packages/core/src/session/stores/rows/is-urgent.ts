import type { AgentChange } from '../../../run/events.ts';

const urgent: ReadonlySet<string> = new Set([
  'tool-start',
  'tool-end',
  'approval-request',
  'approval-answer',
  'execution-end',
] satisfies AgentChange['type'][]);

/** True when events have to be as safe as the storage can make them: effects wait for them, or nothing follows. */
export function isUrgent(events: readonly AgentChange[]): boolean {
  return events.some(({ type }) => urgent.has(type));
}
