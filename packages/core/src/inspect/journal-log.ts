import type { AgentState } from '../graph/types.ts';
import { eventAddress } from '../run/event-address.ts';
import type { AgentEvent } from '../run/events.ts';
import { callOf, stateAt } from '../run/state-at.ts';
import type { JournalRecord, RecordedEvent, RecordedPage } from './journal-record.ts';
import { mergeRecorded } from './merge-recorded.ts';

/** How much is kept of one journal; when one of them is exceeded the oldest events make room. */
export type RecordLimits = {
  /** Entries; deltas in a row are one. Default: 20,000. */
  readonly maxEvents: number;
  /** Steps of the agent and its subagents. Default: 5,000. */
  readonly maxSteps: number;
  /** Of the events' JSON, roughly: a character counts as one. Default: 16 MiB. */
  readonly maxBytes: number;
};

const defaults: RecordLimits = { maxEvents: 20_000, maxSteps: 5_000, maxBytes: 16 * 2 ** 20 };

/** Writes down one journal, bounded. */
export type JournalLog = {
  readonly add: (event: AgentEvent, stateAfter: AgentState) => void;
  /** The same value until something was added. */
  readonly read: () => JournalRecord;
};

type OpenPage = { readonly base: AgentState; readonly events: RecordedEvent[]; steps: number; bytes: number };

/** A log that begins on the given state; `missed` says how many events came before. */
export function createJournalLog(
  journalId: string,
  base: AgentState,
  { missed = 0, ...given }: Partial<RecordLimits> & { readonly missed?: number } = {},
): JournalLog {
  const limits = { ...defaults, ...given };
  const closed: { readonly page: RecordedPage; readonly steps: number; readonly bytes: number }[] = [];
  let open = openPage(base);
  let state = base;
  let size = { events: 0, steps: 0, bytes: 0 };
  let dropped = { events: 0, steps: 0, bytes: 0 };
  let nextNumber = 1;
  let record: JournalRecord | null = null;

  function add(event: AgentEvent, stateAfter: AgentState): void {
    record = null;
    if (isPageFull(open, event, limits)) turnPage();
    const last = open.events.at(-1);
    const merged = last ? mergeRecorded(last.event, event) : null;
    const isMerged = last !== undefined && merged !== null;
    if (isMerged) open.events[open.events.length - 1] = { ...last, event: merged, count: last.count + 1 };
    else open.events.push({ number: nextNumber++, event, count: 1, ...describe(event, stateAfter) });
    const steps = event.type === 'step-start' ? 1 : 0;
    const bytes = isMerged && 'delta' in event ? event.delta.length : sizeOf(event);
    open.steps += steps;
    open.bytes += bytes;
    size = plus(size, { events: isMerged ? 0 : 1, steps, bytes });
    state = stateAfter;
    while (closed.length > 0 && isTooMuch(size, limits)) drop();
  }

  function turnPage(): void {
    closed.push({ page: { base: open.base, events: open.events }, steps: open.steps, bytes: open.bytes });
    open = openPage(state);
  }

  function drop(): void {
    const oldest = closed.shift();
    if (oldest === undefined) return;
    const { page, steps, bytes } = oldest;
    dropped = plus(dropped, {
      events: page.events.reduce((sum, { count }) => sum + count, 0),
      steps,
      bytes,
    });
    size = plus(size, { events: -page.events.length, steps: -steps, bytes: -bytes });
  }

  return {
    add,
    read: () =>
      (record ??= {
        journalId,
        pages: [...closed.map(({ page }) => page), { base: open.base, events: open.events.slice() }],
        state,
        missed,
        dropped,
      }),
  };
}

type Size = JournalRecord['dropped'];

function openPage(base: AgentState): OpenPage {
  return { base, events: [], steps: 0, bytes: 0 };
}

/** A step of the root begins a page, so that what makes room are whole steps; a large one has several pages. */
function isPageFull({ events, bytes }: OpenPage, next: AgentEvent, limits: RecordLimits): boolean {
  if (events.length === 0) return false;
  if (next.type === 'step-start' && next.path.length === 0) return true;
  return events.length >= Math.min(500, limits.maxEvents / 4) || bytes >= limits.maxBytes / 4;
}

function isTooMuch(size: Size, { maxEvents, maxSteps, maxBytes }: RecordLimits): boolean {
  return size.events > maxEvents || size.steps > maxSteps || size.bytes > maxBytes;
}

function plus(a: Size, b: Size): Size {
  return { events: a.events + b.events, steps: a.steps + b.steps, bytes: a.bytes + b.bytes };
}

function sizeOf(event: AgentEvent): number {
  return JSON.stringify(event).length;
}

function describe(event: AgentEvent, state: AgentState): Pick<RecordedEvent, 'stepNumber' | 'toolName'> {
  return { stepNumber: eventAddress(event, state)?.stepNumber ?? null, toolName: toolNameOf(event, state) };
}

function toolNameOf(event: AgentEvent, state: AgentState): string | null {
  if ('toolName' in event && event.toolName !== undefined) return event.toolName;
  if (!('toolCallId' in event)) return null;
  const agent = stateAt(state, event.path);
  return agent === null ? null : (callOf(agent, event.toolCallId)?.toolCall.name ?? null);
}
