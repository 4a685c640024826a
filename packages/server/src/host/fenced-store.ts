import { AgentError, isAgentError, type SessionStore } from '@vitrine/core';
import type { SessionLoad } from '@vitrine/persist';

/**
 * Wraps a store for the holder of a lease, which the first conflict ends. Every later call rejects with
 * `session-conflict`, at which a session aborts its run and falls silent.
 */
export function fencedStore(
  store: SessionStore,
  ending: AbortController,
  onFirstLoad: (load: SessionLoad) => Promise<void>,
): SessionStore {
  const { signal } = ending;
  let isLoaded = false;

  async function guardWork<Value>(work: () => Promise<Value>): Promise<Value> {
    if (signal.aborted) throw endedError();
    try {
      const value = await work();
      // An outcome that came after the end belongs to nobody.
      if (signal.aborted) throw endedError();
      return value;
    } catch (thrown) {
      if (!isAgentError(thrown, 'session-conflict')) throw thrown;
      ending.abort();
      throw endedError();
    }
  }

  return {
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
    append: (id, written) => guardWork(() => store.append(id, written)),
  };
}

function endedError(): AgentError {
  return new AgentError(
    'session-conflict',
    'The lease of this session has ended: another run writes it now.',
  );
}
