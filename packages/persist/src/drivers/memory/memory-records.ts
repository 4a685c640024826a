import { systemEnv, type Timestamp } from '@vitrine/core/internal/graph/env';
import type { ExecutionState } from '@vitrine/core/internal/graph/types';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { assertSessionId } from '@vitrine/core/internal/kit/ids';
import { withItem } from '@vitrine/core/internal/kit/memoize';
import { holdsText, listSessions } from '../../rows/list-sessions.ts';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import { keptByWrite, summaryOf } from '@vitrine/core/internal/session/store/session-head';
import { tombstoneMs } from '@vitrine/core/internal/session/store/is-deleted';
import { conflict, isStaleEpoch, type WriteGround } from '../../rows/session-conflict.ts';
import type {
  FullSessionStore,
  SessionRecord,
  WriteOptions,
  WriterOptions,
} from '@vitrine/core/internal/session/store/session-store';
import {
  type OutboxCommand,
  removedSession,
  type SessionOutbox,
} from '@vitrine/core/internal/session/store/session-outbox';

type Entry = {
  readonly record: SessionRecord;
  readonly runs: readonly ExecutionState[];
  /** Events that were appended since the record was read. They join its tail when somebody reads it again. */
  readonly later: AgentChange[];
};

type MemoryRecords = Omit<FullSessionStore, 'durability' | 'attach' | 'subscribe' | 'warning' | 'tabs'>;

/** The tombstone of a removed session, or the epoch of one that is not saved yet. */
type Vacancy = { readonly epoch: number; readonly version: number; readonly removedAt: Timestamp | null };

/** The sessions, tombstones and epochs by id. */
function memoryPlaces() {
  const entries = new Map<string, Entry>();
  const vacancies = new Map<string, Vacancy>();

  function groundOf(id: string): WriteGround {
    const record = entries.get(id)?.record;
    return { version: record?.version ?? 0, epoch: record?.epoch ?? vacancyOf(id)?.epoch ?? 0 };
  }

  /** Returns the version and the epoch of a session. @throws conflict when another version is expected. */
  function groundAt(id: string, { expectedVersion }: Partial<WriteOptions> = {}): WriteGround {
    const stored = groundOf(id);
    if (expectedVersion !== undefined && expectedVersion !== stored.version)
      throw conflict(id, { ...stored, version: expectedVersion }, stored);
    return stored;
  }

  /** Returns the tombstone of an id; null when it has expired. */
  function vacancyOf(id: string): Vacancy | null {
    const found = vacancies.get(id);
    if (found === undefined || (found.removedAt ?? Infinity) + tombstoneMs > systemEnv.now())
      return found ?? null;
    vacancies.delete(id);
    return null;
  }

  function expect(id: string, { expectedVersion: version, epoch = 0 }: WriterOptions): void {
    const [expected, stored] = [{ version, epoch }, groundOf(id)];
    const isNew = epoch === 0 && !entries.has(id) && vacancyOf(id)?.removedAt != null;
    if (stored.version !== version || (isStaleEpoch(expected, stored) && !isNew))
      throw conflict(id, expected, stored);
  }

  function recordOf(id: string): SessionRecord | undefined {
    const entry = entries.get(id);
    if (entry === undefined || entry.later.length === 0) return entry?.record;
    const { journal } = entry.record;
    const record = { ...entry.record, journal: { ...journal, tail: journal.tail.concat(entry.later) } };
    entries.set(id, { ...entry, record, later: [] });
    return record;
  }

  function write(
    given: SessionRecord,
    { runs, later = [] }: { runs: readonly ExecutionState[]; later?: AgentChange[] },
    options: WriterOptions,
  ): number {
    const { epoch: _epoch, taken: _taken, writeId: _id, ...record } = given;
    const before = entries.get(record.id)?.record;
    const version = (before?.version ?? vacancyOf(record.id)?.version ?? 0) + 1;
    const kept = keptByWrite(before ?? { epoch: groundOf(record.id).epoch }, options);
    vacancies.delete(record.id);
    entries.set(record.id, { record: { ...record, ...kept, version }, runs, later });
    return version;
  }

  return { entries, vacancies, vacancyOf, groundOf, groundAt, expect, recordOf, write };
}

/** Creates the records of a memory store; `notify` is called with every change. */
export function memoryRecords(notify: (id: string) => void): MemoryRecords {
  const { entries, vacancies, vacancyOf, groundOf, groundAt, expect, recordOf, ...places } = memoryPlaces();
  const write: typeof places.write = (record, kept, options) => {
    const version = places.write(record, kept, options);
    notify(record.id);
    return version;
  };
  const outbox = memoryOutbox(notify, (id) => !entries.has(id) && vacancyOf(id)?.removedAt != null);

  return {
    async load(id) {
      const session = recordOf(id);
      if (session !== undefined) return { kind: 'there', session };
      const { removedAt = null, epoch = 0 } = vacancyOf(id) ?? {};
      return { kind: 'absent', removedAt, epoch };
    },
    async takeEpoch(id, options) {
      assertSessionId(id);
      const { version, epoch: before } = groundAt(id, options);
      const epoch = before + 1;
      const entry = entries.get(id);
      if (entry !== undefined) entries.set(id, { ...entry, record: { ...entry.record, epoch } });
      else vacancies.set(id, { version: 0, removedAt: null, ...vacancyOf(id), epoch });
      notify(id);
      return { epoch, version };
    },
    outbox,
    async save(record, options) {
      const { newRuns = [], isErasing = false } = options;
      assertSessionId(record.id);
      expect(record.id, options);
      const runs = isErasing ? [] : (entries.get(record.id)?.runs ?? []);
      return write(record, { runs: [...runs, ...newRuns] }, options);
    },
    async append(id, options) {
      const { journalId, events, head } = options;
      expect(id, options);
      const entry = entries.get(id);
      const expected = { version: options.expectedVersion, epoch: options.epoch ?? 0 };
      if (entry === undefined) throw conflict(id, expected, groundOf(id));
      const { record, runs, later } = entry;
      const { journal } = record;
      if (journal.id !== journalId) throw conflict(id, expected, groundOf(id));
      const records = journal.records + (events.length === 0 ? 0 : 1);
      const { deletedAt: _before, ...kept } = record;
      const next = head === undefined ? record : { ...kept, ...head };
      for (const event of events) later.push(event);
      return write({ ...next, journal: { ...journal, records } }, { runs, later }, options);
    },
    async remove(id, options) {
      const { version, epoch } = groundAt(id, options);
      outbox.clear(id);
      const vacancy = vacancyOf(id);
      // A session that was never stored, or was removed before, leaves no new tombstone.
      if (!entries.has(id) && vacancy?.removedAt !== null) return;
      vacancies.set(id, {
        epoch,
        version: Math.max(version, vacancy?.version ?? 0),
        removedAt: Math.round(systemEnv.now()),
      });
      entries.delete(id);
      notify(id);
    },
    async list(query = {}) {
      const { search } = query;
      const records = [...entries.keys()].flatMap((id) => recordOf(id) ?? []);
      const found = records.filter(
        (record) => search === undefined || holdsText(record.title, liveRecord(record).state, search),
      );
      return listSessions(found.map(summaryOf), query);
    },
    async runs(id) {
      const record = recordOf(id);
      if (record === undefined) return [];
      return [...(entries.get(id)?.runs ?? []), ...liveRecord(record).replacedRuns];
    },
  };
}

function memoryOutbox(
  notify: (id: string) => void,
  isRemoved: (id: string) => boolean,
): SessionOutbox & { readonly clear: (id: string) => void } {
  const waiting = new Map<string, readonly OutboxCommand[]>();

  function set(id: string, commands: readonly OutboxCommand[]): void {
    if (commands.length === 0) waiting.delete(id);
    else waiting.set(id, commands);
    notify(id);
  }

  return {
    async put(id, command) {
      assertSessionId(id);
      if (isRemoved(id)) throw removedSession(id);
      const commands = waiting.get(id) ?? [];
      const at = commands.findIndex((entry) => entry.id === command.id);
      set(id, withItem(commands, at === -1 ? commands.length : at, command));
    },
    take: async (id) => waiting.get(id) ?? [],
    async drop(id, commandIds) {
      const commands = waiting.get(id) ?? [];
      set(
        id,
        commands.filter((command) => !commandIds.includes(command.id)),
      );
    },
    clear: (id) => void waiting.delete(id),
  };
}
