import {
  AgentError,
  AgentState,
  isAgentError,
  loadedSession,
  PluginState,
  resolveRecord,
  type SessionRecord,
  type SessionStore,
  systemEnv,
} from '@vitrine/core';
import type { PluginReference } from '@vitrine/core/types';

/** Writes of others that one change gives way to. */
const mostConflicts = 30;
const mostWaitMs = 10_000;

/** A state that the sessions of a person share. */
export type SharedState<State> = {
  /** The state that was read or written last; undefined before. */
  readonly get: () => State | undefined;
  /** Listens to changes of this page, and of others where the store tells of them. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly read: () => Promise<State>;
  /** Writes what `change` makes of the present state. A change that was made under this id is not made again. */
  readonly change: (change: (state: State) => State, id?: string) => Promise<State>;
};

/**
 * Keeps the state of a plugin in a session of its own, named by the id of the plugin. A write names the version that was
 * read, so it is made again on what another session wrote meanwhile. What the store cannot do rejects with its error.
 */
export function sharedState<State>(store: SessionStore, plugin: PluginReference<State>): SharedState<State> {
  const { id } = plugin;
  const listeners = new Set<() => void>();
  let last: { readonly version: number; readonly state: State } | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  /** Waits for the calls before, so that a page has no conflicts with itself. */
  function inTurn(call: () => Promise<State>): Promise<State> {
    const called = turn.then(() => Promise.race([call(), untilLate()]));
    turn = called.catch(() => undefined);
    return called;
  }
  function show(version: number, state: State): State {
    const isNew = last?.version !== version;
    last = { version, state };
    if (isNew) for (const listener of listeners) listener();
    return state;
  }
  async function load(): Promise<readonly [SessionRecord, State]> {
    const stored = loadedSession(await store.load(id));
    const record = stored === null ? blankRecord(id) : resolveRecord(stored);
    // A deleted session is erased soon, and a restored one has its state.
    const kept = record.status === 'deleted' ? AgentState.create() : record.state;
    // Checked, because another version of the plugin may have written it.
    const checked = PluginState.set(AgentState.create(), plugin, PluginState.get(kept, plugin) as State);
    return [record, show(record.version, PluginState.get(checked, plugin) as State)];
  }
  async function write(change: (state: State) => State, changeId: string): Promise<State> {
    for (let [conflicts, failures] = [0, 0]; ;) {
      const [record, before] = await load();
      const after = record.taken?.includes(changeId) === true ? before : change(before);
      if (after === before) return before;
      if (record.status === 'deleted')
        throw new AgentError('session-deleted', `The session ${JSON.stringify(id)} was deleted.`);
      const state = PluginState.set(record.state, plugin, after);
      const journal = { id: systemEnv.id(), records: 0, tail: [] };
      const { version: expectedVersion, epoch = 0 } = record;
      try {
        const version = await store.save(
          { ...record, state, journal, updatedAt: Math.round(systemEnv.now()) },
          { expectedVersion, epoch, commands: [changeId], writeId: changeId },
        );
        return show(version, PluginState.get(state, plugin) as State);
      } catch (thrown) {
        // What is stored now says whether another write was first, or only the answer to this one was lost.
        if (isAgentError(thrown, 'session-conflict')) conflicts += 1;
        else failures += 1;
        if (failures > 1 || conflicts > mostConflicts) throw thrown;
      }
    }
  }
  const read = (): Promise<State> =>
    inTurn(async () => {
      const [head] = last === null ? [] : (await store.list({ id })).sessions;
      return head !== undefined && head.version === last?.version ? last.state : (await load())[1];
    });
  return {
    get: () => last?.state,
    subscribe(listener) {
      listeners.add(listener);
      const leave = store.subscribe?.((changed) => {
        if (changed === null || changed === id) void read().catch(() => undefined);
      });
      return () => {
        listeners.delete(listener);
        leave?.();
      };
    },
    read,
    change: (change, changeId = systemEnv.id()) => inTurn(() => write(change, changeId)),
  };
}

function blankRecord(id: string): SessionRecord {
  const state = AgentState.create();
  const { createdAt, updatedAt } = state;
  const title = `${id[0]?.toUpperCase()}${id.slice(1)}`;
  const head = { id, version: 0, title, agentName: id, parentId: null, createdAt, updatedAt, draft: '' };
  const journal = { id: systemEnv.id(), records: 0, tail: [] };
  const rest = { queue: [], branches: [], checkpoints: [], executionStatus: null };
  return { ...head, ...rest, status: 'active', state, journal };
}

/** Rejects when a store may never answer. What it does later counts by the id of its change. */
function untilLate(): Promise<never> {
  return new Promise((_resolve, reject) => {
    const message = `The store has not answered for ${mostWaitMs / 1000} seconds.`;
    const fail = (): void =>
      reject(new AgentError('session-storage', message, { data: { retryable: true } }));
    AbortSignal.timeout(mostWaitMs).addEventListener('abort', fail);
  });
}
