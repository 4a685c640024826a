import type { AgentChange } from '../../run/events.ts';

/** Text is written when so many milliseconds have passed since the last write … */
const textMs = 500;
/** … and so many characters wait, … */
const textLength = 512;
/** … or when it waits for so many milliseconds. */
const longestMs = 2000;

/** What would cost more than a moment if it were lost. */
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

/** What waits to be written. */
export type Waiting = {
  /** Characters of answers. */
  readonly length: number;
  /** For how long the oldest of it waits, in milliseconds. */
  readonly ageMs: number;
  /** How long ago the last write began, in milliseconds. */
  readonly sinceWriteMs: number;
};

/** In how many milliseconds what waits is to be written, once the event has come. */
export function writeDue(event: AgentChange, { length, ageMs, sinceWriteMs }: Waiting): number {
  if (isAtOnce(event)) return 0;
  return Math.max(0, length >= textLength ? textMs - sinceWriteMs : longestMs - ageMs);
}

/** True when an event may have to be written sooner than what waited before it; asked for every delta. */
export function isSooner(event: AgentChange, lengthBefore: number, length: number): boolean {
  return (lengthBefore < textLength && length >= textLength) || isAtOnce(event);
}

function isAtOnce(event: AgentChange): boolean {
  return atOnce.has(event.type) || (event.type === 'message-add' && event.source === 'user');
}
