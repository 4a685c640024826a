import { createListeners } from '../../kit/listeners.ts';
import { conflict } from './session-conflict.ts';
import type { SessionRecord, SessionStore, SessionSummary } from './session-store.ts';

/** Keeps sessions for as long as the page lives. */
export function memorySessions(): SessionStore {
  const records = new Map<string, SessionRecord>();
  const listeners = createListeners<string | null>();
  return {
    durability: 'none',
    load: async (id) => records.get(id) ?? null,
    async save(record, { expectedVersion }) {
      const storedVersion = records.get(record.id)?.version ?? 0;
      if (storedVersion !== expectedVersion) throw conflict(record.id, expectedVersion, storedVersion);
      const saved = { ...record, version: storedVersion + 1 };
      records.set(record.id, saved);
      listeners.notify(record.id);
      return saved;
    },
    async remove(id) {
      if (records.delete(id)) listeners.notify(id);
    },
    list: async () => [...records.values()].map(toSummary).sort((a, b) => b.updatedAt - a.updatedAt),
    subscribe: listeners.add,
  };
}

function toSummary({
  state: _state,
  queue: _queue,
  draft: _draft,
  ...summary
}: SessionRecord): SessionSummary {
  return summary;
}
