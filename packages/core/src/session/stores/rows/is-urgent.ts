import type { AgentChange } from '../../../run/events.ts';

const urgent: ReadonlySet<string> = new Set([
  'tool-start',
  'tool-end',
  'approval-request',
  'approval-answer',
  'execution-end',
] satisfies AgentChange['type'][]);

/** True for events that need the strictest durability, because a tool waits for them or nothing follows. */
export function isUrgent(events: readonly AgentChange[]): boolean {
  return events.some(({ type }) => urgent.has(type));
}
