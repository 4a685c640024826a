import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentChange, AgentEvent } from '@vitrine/core/internal/run/events';
import { mergeDeltas } from '@vitrine/core/internal/run/merge-deltas';
import type { SessionBranch } from '@vitrine/core/internal/session/store/session-store';
import type { Stored } from '../writer/plan-write.ts';
import type { Cursor, StoredPlace } from '@vitrine/core/internal/session/machine/session-model';

/** The events that a follower at a cursor lacks. */
export type Missing = {
  readonly at: Cursor;
  /** The events of the stored records behind the cursor. */
  readonly records: readonly AgentChange[];
  /** The events that are not stored yet. */
  readonly preview: readonly AgentChange[];
};

/** The last events of a session by the records that hold them, so that a follower rejoins at a cursor. */
export type RecordLog = {
  /** Begins a journal; cursors of another one are unknown. */
  readonly begin: (journal: { readonly id: string; readonly base: AgentState }) => void;
  readonly onEvent: (event: AgentEvent) => void;
  /** Notes that a write takes everything up to the message `n`. */
  readonly cut: (cut: {
    readonly state: AgentState;
    readonly n: number;
    readonly branches: readonly SessionBranch[];
  }) => void;
  /** Takes over what the store holds. @returns the last message whose events are stored; null when that is unknown */
  readonly settle: (stored: Stored | null) => StoredPlace | null;
  /** The events behind a cursor; null when they are not known. */
  readonly since: (cursor: Cursor) => Missing | null;
  /** The cursor of the current state; null while events are not stored. */
  readonly current: () => Cursor | null;
  /** Forgets all records: earlier states lack something that events do not tell. */
  readonly clear: () => void;
};

/** The number of events that are kept for followers that rejoin. */
const maxEvents = 1000;

type Cut = { readonly state: AgentState; readonly n: number; readonly length: number };
type Records = { readonly to: number; readonly events: readonly AgentChange[] };

export function createRecordLog(): RecordLog {
  let journalId = '';
  /** The number of records before the first of `records`, and their ends. */
  let first = 0;
  let records: readonly Records[] = [];
  let newest: StoredPlace | null = null;
  /** The events behind the newest record, and the writes that took the first of them. */
  let open: AgentChange[] = [];
  let cuts: readonly Cut[] = [];
  let branches: readonly SessionBranch[] | null = null;

  function clear(): void {
    records = [];
    cuts = [];
    newest = null;
  }

  /** Moves the events up to a cut into a record. */
  function close(to: number, { n, length }: Cut): void {
    const events = mergeDeltas(open.slice(0, length)) as AgentChange[];
    open = open.slice(length);
    cuts = cuts.flatMap((cut) => (cut.length < length ? [] : [{ ...cut, length: cut.length - length }]));
    if (newest === null) first = to;
    else records = [...records, { to, events }];
    newest = { journalId, record: to, n };
    for (let count = sumOf(records); count > maxEvents && records.length > 0; count = sumOf(records)) {
      first = records[0]?.to ?? first;
      records = records.slice(1);
    }
  }

  return {
    begin({ id, base }) {
      journalId = id;
      open = [];
      branches = null;
      clear();
      cuts = [{ state: base, n: 0, length: 0 }];
    },
    onEvent(event) {
      if (event.seq === null) return;
      open.push(event);
      // The records before hold the erased texts.
      if (event.type === 'section-change' && event.erased !== undefined) clear();
      // Nothing is stored for a long time: a follower needs the whole state then.
      if (open.length <= 4 * maxEvents) return;
      open = [];
      clear();
    },
    cut({ state, n, branches: now }) {
      if (branches !== null && branches !== now) clear();
      branches = now;
      cuts = [...cuts.filter((cut) => cut.state !== state), { state, n, length: open.length }];
    },
    settle(stored) {
      if (stored === null || stored.journalId !== journalId || stored.records === newest?.record)
        return newest;
      const cut = cuts.find(({ state }) => state === stored.state);
      if (cut !== undefined) close(stored.records, cut);
      return newest;
    },
    since(cursor) {
      if (newest === null || cursor.journalId !== journalId) return null;
      const at = records.findIndex(({ to }) => to > cursor.record);
      const from = at < 0 ? newest.record : at === 0 ? first : (records[at - 1]?.to ?? first);
      if (from !== cursor.record) return null;
      const missing = at < 0 ? [] : records.slice(at).flatMap(({ events }) => events);
      const { record } = newest;
      return { at: { journalId, record }, records: missing, preview: mergeDeltas(open) as AgentChange[] };
    },
    current: () => (newest === null || open.length > 0 ? null : { journalId, record: newest.record }),
    clear,
  };
}

function sumOf(records: readonly Records[]): number {
  return records.reduce((sum, { events }) => sum + events.length, 0);
}
