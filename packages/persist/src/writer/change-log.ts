import type { Env } from '@vitrine/core/internal/graph/env';
import type { AgentState, ExecutionState } from '@vitrine/core/internal/graph/types';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { mergeDeltas } from '@vitrine/core/internal/run/merge-deltas';
import type { Message } from '@vitrine/core/internal/graph/message';
import { nothing } from '@vitrine/core/internal/kit/memoize';
import { callOf, stateAtPath } from '@vitrine/core/internal/run/state-at';
import { equalJson, type JsonValue } from '@vitrine/core/internal/kit/json';
import { type LiveRecord, replacedRun } from '@vitrine/core/internal/session/store/live-record';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

/** The changes that one write stores. */
export type Taken = {
  readonly journalId: string;
  readonly events: readonly AgentChange[];
  readonly state: AgentState;
  readonly newRuns: readonly ExecutionState[];
  /** The ids of the commands taken since the last write. */
  readonly commands: readonly string[];
  /** True when the snapshot and its tail hold texts that were erased since, so both are written again. */
  readonly isWhole: boolean;
  /** True when earlier runs may hold erased texts too, so the store removes them. */
  readonly isErasing: boolean;
  /** The counters of journals and of erasures when the changes were taken. */
  readonly line: number;
  readonly erasure: number;
};

/** The changes of a session since the last successful write. */
export type ChangeLog = {
  /** Begins a journal. Earlier changes are in its base, or are gone. */
  readonly begin: (journal: { readonly id: string; readonly base: AgentState }) => void;
  /** Records an event. @returns the messages whose former texts the event erased */
  readonly onEvent: (event: AgentChange, after: AgentState) => readonly Message[];
  /** Records the id of a command, which is stored with its effects. */
  readonly command: (id: string) => void;
  /** Marks all earlier messages as erased, so that nothing of them stays stored. */
  readonly erase: () => void;
  /** Takes over the replaced runs of a stored tail. */
  readonly restore: (live: LiveRecord) => void;
  /** Returns all unsaved changes. They stay in the log, since a write may fail. */
  readonly take: (state: AgentState) => Taken;
  /** Removes the changes that a write stored; later ones stay. */
  readonly settle: (taken: Taken, isSaved: boolean) => void;
  /** The number of unsaved characters of answers, and the monotonic time of the oldest unsaved change. */
  readonly waiting: () => { readonly length: number; readonly since: number | null };
};

/** The number of command ids that are stored; newer ones replace older ones. */
const maxCommands = 200;

/** Creates a change log. It keeps events only for a store that appends. */
export function createChangeLog(env: Env, store: SessionStore): ChangeLog {
  const keepsEvents = store.append !== undefined;
  let journalId = '';
  let state: AgentState | null = null;
  let events: readonly AgentChange[] = [];
  let fresh: AgentChange[] = [];
  let length = 0;
  let since: number | null = null;
  let runs: readonly ExecutionState[] = [];
  let commands: readonly string[] = [];
  let [isErasing, isWhole] = [false, false];
  let [line, erasure] = [0, 0];

  function note(before: AgentState, after: AgentState): void {
    const run = replacedRun(before, after);
    if (run !== null) runs = [...runs, run];
  }

  function fold(): void {
    isWhole = true;
    erasure += 1;
  }

  function erase(): void {
    runs = [];
    isErasing = true;
    fold();
  }

  return {
    begin(journal) {
      journalId = journal.id;
      state = journal.base;
      events = [];
      fresh = [];
      length = 0;
      line += 1;
    },
    onEvent(event, after) {
      if (keepsEvents) fresh.push(event);
      since ??= env.monotonic();
      const { erased, reach } = state === null ? nothingErased : erasureOf(state, event, after);
      if (reach === 'runs') erase();
      else if (reach === 'tail') fold();
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') length += event.delta.length;
      else if (state !== null) note(state, after);
      state = after;
      return erased;
    },
    command(id) {
      if (!commands.includes(id)) commands = [...commands, id].slice(-maxCommands);
    },
    erase,
    restore(live) {
      runs = live.replacedRuns;
      isErasing = isWhole = false;
    },
    take(current) {
      // A taken batch is not merged again: a stored write is recognised by its last events.
      events = [...events, ...(mergeDeltas(fresh) as AgentChange[])];
      fresh = [];
      length = 0;
      since = null;
      const moment = { journalId, events, state: state ?? current, newRuns: runs, commands };
      return { ...moment, isWhole, isErasing, line, erasure };
    },
    settle(taken, isSaved) {
      commands = commands.filter((id) => !taken.commands.includes(id));
      if (taken.line === line) events = events.slice(taken.events.length);
      if (!isSaved) return;
      if (taken.erasure !== erasure) return;
      runs = runs.slice(taken.newRuns.length);
      isErasing = false;
      isWhole = false;
    },
    waiting: () => ({ length, since }),
  };
}

/** The messages whose texts an event erased, and the part of the stored session that may hold those texts. */
type Erasure = { readonly erased: readonly Message[]; readonly reach: 'none' | 'tail' | 'runs' };

const nothingErased: Erasure = { erased: nothing, reach: 'none' };
const tailErased: Erasure = { erased: nothing, reach: 'tail' };

function erasureOf(before: AgentState, event: AgentChange, after: AgentState): Erasure {
  // A call that was still to run kept its input until now.
  if (event.type === 'step-end') return changesCalls(before, event, after) ? tailErased : nothingErased;
  if (event.type === 'call-change') return replacesCall(before, event, after) ? tailErased : nothingErased;
  if (event.type !== 'section-change' || event.erased === undefined) return nothingErased;
  const agent = stateAtPath(before, event.path);
  const erased = agent === null ? nothing : messagesOf(agent, new Set(event.erased));
  const executionId = before.execution?.executionId;
  // Messages of the current run are in no earlier run.
  const isOwn =
    event.path.length > 0 || erased.every(({ metadata }) => metadata['execution_id'] === executionId);
  return { erased, reach: isOwn ? 'tail' : 'runs' };
}

function messagesOf({ context }: AgentState, ids: ReadonlySet<string>): readonly Message[] {
  return context.store.sections.flatMap(({ messages }) => messages.filter(({ id }) => ids.has(id)));
}

function changesCalls(before: AgentState, { path }: AgentChange, after: AgentState): boolean {
  const inFlight = stateAtPath(before, path)?.execution?.currentStep?.toolExecutions ?? nothing;
  const archived = stateAtPath(after, path)?.execution?.stepExecutions.at(-1)?.step.toolExecutions;
  return inFlight.some(({ toolCall }, index) => archived?.[index]?.toolCall !== toolCall);
}

/** True when a call had another input, result or error before: the stored tail may hold its text. */
function replacesCall(
  before: AgentState,
  { path, toolCallId }: AgentChange & { readonly type: 'call-change' },
  after: AgentState,
): boolean {
  const [old, now] = [before, after].map((state) => callOf(stateAtPath(state, path) ?? state, toolCallId));
  if (!old || !now) return false;
  const isOther = (one: unknown, other: unknown): boolean =>
    one !== undefined && one !== null && !equalJson(one as JsonValue, (other ?? null) as JsonValue);
  return (
    isOther(old.toolCall, now.toolCall) || isOther(old.result, now.result) || isOther(old.error, now.error)
  );
}

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
type Waiting = {
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

/** The first and the longest pause before a failed read or write is repeated, in milliseconds. */
export const retryMs = { first: 1000, longest: 30_000 };

/** The single timer of a saver. */
export type SaveClock = {
  /**
   * Schedules a write after `ms` milliseconds unless an earlier one is set. While a retry is pending, it does
   * nothing.
   */
  readonly request: (ms: number) => void;
  /** Schedules a write as `request` does, even while a retry is pending. */
  readonly hurry: (ms: number) => void;
  /** Schedules a retry; the pause doubles with every failure in a row. */
  readonly retry: () => void;
  /** Resets the count of failures after a successful write. */
  readonly noteSuccess: () => void;
  /** Cancels the timer because a write begins now. */
  readonly began: () => void;
  readonly isSet: () => boolean;
  /** The time since the last write began, in milliseconds. */
  readonly sinceWriteMs: () => number;
  readonly stop: () => void;
};

export function createSaveClock({ monotonic, schedule }: Env, write: () => void): SaveClock {
  let timer: { readonly due: number; readonly cancel: () => void } | null = null;
  let failures = 0;
  let lastWrite = -Infinity;

  let isRetrying = false;

  function stop(): void {
    timer?.cancel();
    timer = null;
    isRetrying = false;
  }

  function start(ms: number): void {
    const due = monotonic() + ms;
    if (timer !== null && timer.due <= due) return;
    stop();
    const cancel = schedule(ms, () => {
      stop();
      write();
    });
    timer = { due, cancel };
  }

  return {
    request(ms) {
      if (!isRetrying) start(ms);
    },
    hurry: start,
    stop,
    retry() {
      start(Math.min(retryMs.longest, retryMs.first * 2 ** failures++));
      isRetrying = true;
    },
    noteSuccess() {
      failures = 0;
    },
    began() {
      stop();
      lastWrite = monotonic();
    },
    isSet: () => timer !== null,
    sinceWriteMs: () => monotonic() - lastWrite,
  };
}
