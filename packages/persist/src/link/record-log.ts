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

/** The number of events that are kept for followers that rejoin. */
const maxEvents = 1000;

type Cut = { readonly state: AgentState; readonly n: number; readonly length: number };
type Records = { readonly to: number; readonly events: readonly AgentChange[] };

/** The last events of a session by the records that hold them, so that a follower rejoins at a cursor. */
export class RecordLog {
  #journalId = '';
  /** The number of records before the first of `records`, and their ends. */
  #first = 0;
  #records: readonly Records[] = [];
  #newest: StoredPlace | null = null;
  /** The events behind the newest record, and the writes that took the first of them. */
  #open: AgentChange[] = [];
  #cuts: readonly Cut[] = [];
  #branches: readonly SessionBranch[] | null = null;

  /** The cursor of the current state; null while events are not stored. */
  get current(): Cursor | null {
    if (this.#newest === null || this.#open.length > 0) return null;
    return { journalId: this.#journalId, record: this.#newest.record };
  }

  /** Begins a journal; cursors of another one are unknown. */
  begin({ id, base }: { readonly id: string; readonly base: AgentState }): void {
    this.#journalId = id;
    this.#open = [];
    this.#branches = null;
    this.clear();
    this.#cuts = [{ state: base, n: 0, length: 0 }];
  }

  onEvent(event: AgentEvent): void {
    if (event.seq === null) return;
    this.#open.push(event);
    // The records before hold the erased texts.
    if (event.type === 'section-change' && event.erased !== undefined) this.clear();
    // Nothing is stored for a long time: a follower needs the whole state then.
    if (this.#open.length <= 4 * maxEvents) return;
    this.#open = [];
    this.clear();
  }

  /** Notes that a write takes everything up to the message `n`. */
  cut({ state, n }: Omit<Cut, 'length'>, branches: readonly SessionBranch[]): void {
    if (this.#branches !== null && this.#branches !== branches) this.clear();
    this.#branches = branches;
    const earlier = this.#cuts.filter((cut) => cut.state !== state);
    this.#cuts = [...earlier, { state, n, length: this.#open.length }];
  }

  /** Takes over what the store holds. @returns the last message whose events are stored; null when that is unknown */
  settle(stored: Stored | null): StoredPlace | null {
    const isNew = stored?.journalId === this.#journalId && stored.records !== this.#newest?.record;
    const cut = isNew ? this.#cuts.find(({ state }) => state === stored.state) : undefined;
    if (stored !== null && cut !== undefined) this.#close(stored.records, cut);
    return this.#newest;
  }

  /** The events behind a cursor; null when they are not known. */
  since(cursor: Cursor): Missing | null {
    const [journalId, newest, records] = [this.#journalId, this.#newest, this.#records];
    if (newest === null || cursor.journalId !== journalId) return null;
    const at = records.findIndex(({ to }) => to > cursor.record);
    const from = at < 0 ? newest.record : at === 0 ? this.#first : (records[at - 1]?.to ?? this.#first);
    if (from !== cursor.record) return null;
    const missing = at < 0 ? [] : records.slice(at).flatMap(({ events }) => events);
    const preview = mergeDeltas(this.#open) as AgentChange[];
    return { at: { journalId, record: newest.record }, records: missing, preview };
  }

  /** Forgets all records: earlier states lack something that events do not tell. */
  clear(): void {
    this.#records = [];
    this.#cuts = [];
    this.#newest = null;
  }

  #close(to: number, { n, length }: Cut): void {
    const events = mergeDeltas(this.#open.slice(0, length)) as AgentChange[];
    this.#open = this.#open.slice(length);
    this.#cuts = this.#cuts.flatMap((cut) =>
      cut.length < length ? [] : [{ ...cut, length: cut.length - length }],
    );
    if (this.#newest === null) this.#first = to;
    else this.#records = [...this.#records, { to, events }];
    this.#newest = { journalId: this.#journalId, record: to, n };
    while (this.#records.reduce((sum, { events: own }) => sum + own.length, 0) > maxEvents) {
      this.#first = this.#records[0]?.to ?? this.#first;
      this.#records = this.#records.slice(1);
    }
  }
}
