import type { AgentState } from '@vitrine/core/internal/graph/types';
import { nothing } from '@vitrine/core/internal/kit/memoize';
import { type AgentEvent, stepNumberOf } from '@vitrine/core/internal/run/events';
import { mergePair } from '@vitrine/core/internal/run/merge-deltas';
import { callOf, stateAtPath } from '@vitrine/core/internal/run/state-at';
import type { JournalRecord, RecordedEvent, RecordedPage } from './journal-record.ts';

/** Limits of the record of one session. The oldest events are dropped when one of them is exceeded. */
export type RecordLimits = {
  /** Number of entries; consecutive deltas count as one. Default: 20,000. */
  readonly maxEvents: number;
  /** Steps of the agent and its subagents. Default: 500. */
  readonly maxSteps: number;
  /** Estimated size of the events' JSON, with a byte for each character of a text. Default: 32 MiB. */
  readonly maxBytes: number;
};

const defaults: RecordLimits = { maxEvents: 20_000, maxSteps: 500, maxBytes: 32 * 2 ** 20 };

/** A bounded log of the consecutive journals of one session. */
export type JournalLog = {
  readonly add: (event: AgentEvent, stateAfter: AgentState) => void;
  /** Begins a new journal in place of the former, whose record stays. */
  readonly goOn: (journalId: string, base: AgentState) => void;
  /** Returns the record: the same value until something was added. */
  readonly read: () => JournalRecord;
};

type Size = JournalRecord['dropped'];
const no: Size = { events: 0, steps: 0, bytes: 0 };

type OpenPage = {
  readonly journalId: string;
  readonly base: AgentState;
  readonly events: RecordedEvent[];
  steps: number;
  bytes: number;
};

/** Limits, and facts of the time before: events missed and dropped, and the runs that a store keeps. */
type JournalLogOptions = Partial<RecordLimits> &
  Partial<Pick<JournalRecord, 'missed' | 'stored' | 'dropped'>>;

/** Creates a log that begins with the given state. */
export function createJournalLog(
  firstJournal: string,
  base: AgentState,
  { missed = 0, stored = nothing, dropped: before = no, ...given }: JournalLogOptions = {},
): JournalLog {
  const limits = { ...defaults, ...given };
  const closed: { readonly page: RecordedPage; readonly steps: number; readonly bytes: number }[] = [];
  let open = openPage(firstJournal, base);
  let state = base;
  const size = { ...no };
  let dropped = before;
  let nextNumber = 1;
  let record: JournalRecord | null = null;

  function add(event: AgentEvent, stateAfter: AgentState): void {
    record = null;
    if (isPageFull(open, event, limits)) turnPage();
    const last = open.events.at(-1);
    const merged = last ? mergeRecorded(last.event, event) : null;
    const isMerged = last !== undefined && merged !== null;
    if (isMerged) open.events[open.events.length - 1] = { ...last, event: merged, count: last.count + 1 };
    else open.events.push(recordedEvent(nextNumber++, event, stateAfter));
    const steps = event.type === 'step-start' ? 1 : 0;
    const bytes = isMerged && 'delta' in event ? event.delta.length : sizeOf(event);
    open.steps += steps;
    open.bytes += bytes;
    grow(size, isMerged ? 0 : 1, steps, bytes);
    state = stateAfter;
    while (closed.length > 0 && isTooMuch(size, limits)) drop();
  }

  function turnPage(): void {
    const { journalId, base: before, events, steps, bytes } = open;
    closed.push({ page: { journalId, base: before, events }, steps, bytes });
    open = openPage(journalId, state);
  }

  function goOn(journalId: string, next: AgentState): void {
    record = null;
    // The base state of a run is worth a page, even without events.
    if (open.events.length > 0 || open.base.execution !== null) turnPage();
    state = next;
    open = openPage(journalId, next);
  }

  function drop(): void {
    const oldest = closed.shift();
    if (oldest === undefined) return;
    const { page, steps, bytes } = oldest;
    dropped = {
      events: page.events.reduce((sum, { count }) => sum + count, dropped.events),
      steps: dropped.steps + steps,
      bytes: dropped.bytes + bytes,
    };
    grow(size, -page.events.length, -steps, -bytes);
  }

  return {
    add,
    goOn,
    read: () =>
      (record ??= {
        pages: [
          ...closed.map(({ page }) => page),
          { journalId: open.journalId, base: open.base, events: open.events.slice() },
        ],
        state,
        stored,
        missed,
        dropped,
      }),
  };
}

function openPage(journalId: string, base: AgentState): OpenPage {
  return { journalId, base, events: [], steps: 0, bytes: 0 };
}

/** True when the page ends: before a step of the root, so that whole steps are dropped, or when it is large. */
function isPageFull({ events, bytes }: OpenPage, next: AgentEvent, limits: RecordLimits): boolean {
  if (events.length === 0) return false;
  if (next.type === 'step-start' && next.path.length === 0) return true;
  return events.length >= Math.min(500, limits.maxEvents / 4) || bytes >= limits.maxBytes / 4;
}

function grow(
  size: { -readonly [field in keyof Size]: Size[field] },
  events: number,
  steps: number,
  bytes: number,
): void {
  size.events += events;
  size.steps += steps;
  size.bytes += bytes;
}

function isTooMuch(size: Size, { maxEvents, maxSteps, maxBytes }: RecordLimits): boolean {
  return size.events > maxEvents || size.steps > maxSteps || size.bytes > maxBytes;
}

/** Estimates the length of the JSON: writing that of every event is most of what a closed panel costs. */
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value === 'number') return usualDigits;
  if (typeof value !== 'object' || value === null || depth > deepest) return 5;
  return sizeOfParts(value, depth + 1);
}

/** Apart from `sizeOf`, which compilers put in place; and a loop over names makes no list of them. */
function sizeOfParts(value: object, depth: number): number {
  let size = 2;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item, depth) + 1;
  else {
    const fields = value as Readonly<Record<string, unknown>>;
    for (const name in fields) size += name.length + 4 + sizeOf(fields[name], depth);
  }
  return size;
}

/** Maximum depth of an estimate; no document is deeper. */
const deepest = 1_000;

/** Number of digits of a time in milliseconds; most other numbers are shorter. */
const usualDigits = 13;

function recordedEvent(number: number, event: AgentEvent, stateAfter: AgentState): RecordedEvent {
  const agent = stateAtPath(stateAfter, event.path);
  const stepNumber = agent && stepNumberOf(event, agent);
  return { number, event, count: 1, stepNumber, toolName: toolNameOf(event, agent) };
}

function toolNameOf(event: AgentEvent, agent: AgentState | null): string | null {
  if ('toolName' in event && event.toolName !== undefined) return event.toolName;
  if (!('toolCallId' in event) || agent === null) return null;
  return callOf(agent, event.toolCallId)?.toolCall.name ?? null;
}

/** Merges two consecutive deltas, events or signals; null for other events. */
function mergeRecorded(last: AgentEvent, event: AgentEvent): AgentEvent | null {
  if (last.type !== event.type || !isSamePath(last.path, event.path)) return null;
  if (last.type !== 'tool-call-delta' || event.type !== 'tool-call-delta') return mergePair(last, event);
  return last.toolCallId === event.toolCallId ? { ...event, delta: last.delta + event.delta } : null;
}

function isSamePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
