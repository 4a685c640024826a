import type { AgentChange } from '../../run/events.ts';

/** The shortest time between two writes of text, in milliseconds, when enough text is pending. */
const textMs = 500;
/** The number of pending characters that is enough. */
const textLength = 512;
/** The longest time that text stays unsaved, in milliseconds. */
const longestMs = 2000;

/** The events that are written at once, because losing them costs more than a moment of text. */
const atOnce: ReadonlySet<AgentChange['type']> = new Set<AgentChange['type']>([
  'execution-start',
  'execution-pause',
  'execution-resume',
  'execution-end',
  'step-end',
  'approval-request',
  'approval-answer',
  'approval-remember',
  'output-request',
  'tool-start',
  'tool-end',
  'call-settle',
  'subagent-start',
  'subagent-end',
]);

/** The unsaved changes. */
export type Waiting = {
  /** The number of unsaved characters of answers. */
  readonly length: number;
  /** The age of the oldest unsaved change, in milliseconds. */
  readonly ageMs: number;
  /** The time since the last write began, in milliseconds. */
  readonly sinceWriteMs: number;
};

/** Returns the delay of the next write after an event, in milliseconds. */
export function writeDue(event: AgentChange, { length, ageMs, sinceWriteMs }: Waiting): number {
  if (isAtOnce(event)) return 0;
  return Math.max(0, length >= textLength ? textMs - sinceWriteMs : longestMs - ageMs);
}

/** True when an event may need an earlier write than those before it. Called for every delta. */
export function isSooner(event: AgentChange, lengthBefore: number, length: number): boolean {
  return (lengthBefore < textLength && length >= textLength) || isAtOnce(event);
}

function isAtOnce(event: AgentChange): boolean {
  return atOnce.has(event.type) || (event.type === 'message-add' && event.source === 'user');
}
