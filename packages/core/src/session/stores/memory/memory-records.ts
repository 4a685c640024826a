import type { ExecutionState } from '../../../graph/types.ts';
import { holdsText, listSessions } from '../list-sessions.ts';
import { liveRecord } from '../live-record.ts';
import { conflict } from '../session-conflict.ts';
import type { FullSessionStore, SessionRecord } from '../session-store.ts';
import { summaryOf } from '../summary-of.ts';

type Entry = { readonly record: SessionRecord; readonly runs: readonly ExecutionState[] };

/** A store of what is in memory; `tell` hears of every change. */
export function memoryRecords(
  tell: (id: string) => void,
): Omit<FullSessionStore, 'durability' | 'subscribe' | 'warning' | 'tabs'> {
  const entries = new Map<string, Entry>();

  function expect(id: string, expectedVersion: number): void {
    const storedVersion = entries.get(id)?.record.version ?? 0;
    if (storedVersion !== expectedVersion) throw conflict(id, expectedVersion, storedVersion);
  }

  function write(record: SessionRecord, runs: readonly ExecutionState[]): number {
    const version = record.version + 1;
    entries.set(record.id, { record: { ...record, version }, runs });
    tell(record.id);
    return version;
  }

  return {
    load: async (id) => entries.get(id)?.record ?? null,
    async save(record, { expectedVersion, newRuns = [], isErasing = false }) {
      expect(record.id, expectedVersion);
      const runs = isErasing ? [] : (entries.get(record.id)?.runs ?? []);
      return write({ ...record, version: expectedVersion }, [...runs, ...newRuns]);
    },
    async append(id, { expectedVersion, journalId, record: number, events, head }) {
      expect(id, expectedVersion);
      const entry = entries.get(id);
      if (entry === undefined) throw conflict(id, expectedVersion, 0);
      const { record, runs } = entry;
      const { journal } = record;
      if (journal.id !== journalId || journal.records !== number)
        throw conflict(id, expectedVersion, record.version);
      const records = events.length === 0 ? number : number + 1;
      const longer = { ...journal, records, tail: [...journal.tail, ...events] };
      const { deletedAt: _before, ...kept } = record;
      const next = head === undefined ? record : { ...kept, ...head };
      return write({ ...next, version: expectedVersion, journal: longer }, runs);
    },
    async remove(id, { expectedVersion } = {}) {
      if (expectedVersion !== undefined) expect(id, expectedVersion);
      if (entries.delete(id)) tell(id);
    },
    async list(query = {}) {
      const { search } = query;
      const records = [...entries.values()].map(({ record }) => record);
      const found = records.filter(
        (record) => search === undefined || holdsText(record.title, liveRecord(record).state, search),
      );
      return listSessions(found.map(summaryOf), query);
    },
    async runs(id) {
      const entry = entries.get(id);
      return entry === undefined ? [] : [...entry.runs, ...liveRecord(entry.record).replacedRuns];
    },
  };
}
