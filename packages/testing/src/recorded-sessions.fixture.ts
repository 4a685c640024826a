import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';
import type {
  SaveOptions,
  SessionAppend,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';

/** One write that a store received. */
export type RecordedWrite =
  | { readonly type: 'save'; readonly record: SessionRecord; readonly options: SaveOptions }
  | { readonly type: 'append'; readonly append: SessionAppend };

/** A memory store that records its writes; `fail` makes writes fail until it is called with null. */
export type RecordedSessions = SessionStore & {
  readonly writes: RecordedWrite[];
  readonly fail: (error: Error | null) => void;
};

export function recordedSessions(): RecordedSessions {
  const store = memorySessions();
  const writes: RecordedWrite[] = [];
  let failure: Error | null = null;
  return {
    ...store,
    writes,
    fail: (error) => void (failure = error),
    async save(record, options) {
      writes.push({ type: 'save', record, options });
      if (failure !== null) throw failure;
      return store.save(record, options);
    },
    async append(id, written) {
      writes.push({ type: 'append', append: written });
      if (failure !== null) throw failure;
      return store.append(id, written);
    },
  };
}

/** The event types of each write; `save` for a whole session. */
export function typesOf(writes: readonly RecordedWrite[]): string[][] {
  return writes.map((write) =>
    write.type === 'save' ? ['save'] : write.append.events.map(({ type }) => type),
  );
}
