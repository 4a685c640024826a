import { AgentError, isAgentError, type SessionStore } from '@vitrine/core';
import type { SessionLoad } from '@vitrine/persist';

type FenceOptions = {
  /** Called with the first answer of the store. */
  readonly onFirstLoad: (load: SessionLoad) => Promise<void> | void;
  /** Called once, at the first conflict. */
  readonly onConflict: () => void;
};

/** A store that a lease opens, and the function that closes it. */
export type FencedStore = { readonly store: SessionStore; readonly close: () => void };

/**
 * Wraps a store so that only the holder of a lease writes: the first conflict, or `close`, ends it. Every later call
 * rejects with `session-conflict`, at which a session over a fenced store aborts its run and falls silent.
 */
export function fencedStore(store: SessionStore, { onFirstLoad, onConflict }: FenceOptions): FencedStore {
  let isClosed = false;
  let isLoaded = false;

  async function guardWork<Value>(work: () => Promise<Value>): Promise<Value> {
    if (isClosed) throw endedError();
    try {
      const value = await work();
      // An outcome that came after the end belongs to nobody.
      if (isClosed) throw endedError();
      return value;
    } catch (thrown) {
      if (!isAgentError(thrown, 'session-conflict')) throw thrown;
      isClosed = true;
      onConflict();
      throw endedError();
    }
  }

  const { append } = store;
  return {
    close: () => void (isClosed = true),
    store: {
      ...store,
      fence: 'end',
      // One process writes, so a change notice of the store tells only of its own writes.
      subscribe: () => () => undefined,
      load: (id) =>
        guardWork(async () => {
          const load = await store.load(id);
          if (!isLoaded && load.kind !== 'unknown') {
            isLoaded = true;
            await onFirstLoad(load);
          }
          return load;
        }),
      save: (record, options) => guardWork(() => store.save(record, options)),
      takeEpoch: (id, options) => guardWork(() => store.takeEpoch(id, options)),
      remove: (id, options) => guardWork(() => store.remove(id, options)),
      ...(append === undefined ? {} : { append: (id, written) => guardWork(() => append(id, written)) }),
    },
  };
}

function endedError(): AgentError {
  return new AgentError(
    'session-conflict',
    'The lease of this session has ended: another run writes it now.',
  );
}
