import type { Env } from '../../graph/env.ts';
import type { AgentState, ExecutionState } from '../../graph/types.ts';
import type { AgentChange } from '../../run/events.ts';
import { mergeDeltas } from '../../run/merge-deltas.ts';
import { type LiveRecord, replacedRun } from '../stores/live-record.ts';
import type { SessionStore } from '../stores/session-store.ts';

/** What a write takes along. */
export type Taken = {
  readonly journalId: string;
  readonly events: readonly AgentChange[];
  readonly state: AgentState;
  readonly newRuns: readonly ExecutionState[];
  readonly isErasing: boolean;
  /** Which journal and which erasure it is, in the order of their beginnings. */
  readonly line: number;
  readonly erasure: number;
};

/** What has happened in a session since what is stored. */
export type ChangeLog = {
  /** A journal begins: what happened before is in its base, or is gone. */
  readonly begin: (journal: { readonly id: string; readonly base: AgentState }) => void;
  readonly hear: (event: AgentChange, after: AgentState) => void;
  /** Messages were erased: nothing that stood before them is kept. */
  readonly erase: () => void;
  /** Takes up what a stored tail brings besides its state. */
  readonly restore: (live: LiveRecord) => void;
  /** Everything that waits. It is not taken out: a write may fail. */
  readonly take: (state: AgentState) => Taken;
  /** What was taken is stored; whatever came meanwhile waits on. */
  readonly settle: (taken: Taken, isSaved: boolean) => void;
  /** The characters of answers that wait, and since when (monotonic) the oldest of all that waits does. */
  readonly waiting: () => { readonly length: number; readonly since: number | null };
};

/** Remembers what its store can take: events that are appended, and runs. */
export function createChangeLog(env: Env, store: SessionStore | undefined): ChangeLog {
  const keepsEvents = store?.append !== undefined;
  let journalId = '';
  let state: AgentState | null = null;
  let events: readonly AgentChange[] = [];
  let fresh: AgentChange[] = [];
  let length = 0;
  let since: number | null = null;
  let runs: readonly ExecutionState[] = [];
  let isErasing = false;
  let line = 0;
  let erasure = 0;

  function note(before: AgentState, after: AgentState): void {
    const run = replacedRun(before, after);
    if (run !== null && store !== undefined) runs = [...runs, run];
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
    hear(event, after) {
      if (keepsEvents) fresh.push(event);
      since ??= env.monotonic();
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') length += event.delta.length;
      else if (state !== null) note(state, after);
      state = after;
    },
    erase() {
      runs = [];
      isErasing = true;
      erasure += 1;
    },
    restore(live) {
      runs = live.replacedRuns;
      isErasing = false;
    },
    take(current) {
      // What an earlier write may have stored, unknown to us, keeps its boundary: it is recognised by it.
      events = [...events, ...(mergeDeltas(fresh) as AgentChange[])];
      fresh = [];
      length = 0;
      since = null;
      const moment = { journalId, events, state: state ?? current, newRuns: runs };
      return { ...moment, isErasing, line, erasure };
    },
    settle(taken, isSaved) {
      if (taken.line === line) events = events.slice(taken.events.length);
      if (!isSaved) return;
      if (taken.erasure !== erasure) return;
      runs = runs.slice(taken.newRuns.length);
      isErasing = false;
    },
    waiting: () => ({ length, since }),
  };
}
