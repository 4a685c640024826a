import { AgentState, type SessionStore } from '@vitrine/core';
import { indexedDBSessions, localStorageSessions } from '@vitrine/persist';
import { median } from '../report.ts';
import { addMessage, benchId, makeRun, record, withHistory } from '../bench-session.ts';

export type StoresParams = { readonly messages: number };

/** Medians, in milliseconds. */
export type StoresResult = { readonly saveMs: number; readonly appendMs: number; readonly loadMs: number };

const times = 30;

const stores: Readonly<Record<string, () => SessionStore>> = {
  indexedDB: () => indexedDBSessions(),
  localStorage: () => localStorageSessions(),
};

/** Writes and reads a session of so many messages in a storage of the browser. */
export async function runStores(
  name: string,
  { messages }: StoresParams,
): Promise<() => Promise<StoresResult>> {
  const open = stores[name];
  if (!open) throw new Error(`There is no store ${name}.`);
  const store = open();
  let state = withHistory(await makeRun(), messages);
  let version = await store.save(record(state), { expectedVersion: 0 });
  let written = 0;
  return async () => {
    const saveMs = await timed(async (clock) => {
      state = AgentState.withUserMessage(state, 'One more message of some words.');
      const next = record(state);
      version = await clock(() => store.save(next, { expectedVersion: version }));
    });
    const appendMs = await timed(async (clock) => {
      const events = [addMessage(written + 1)];
      const options = { expectedVersion: version, journalId: 'journal', record: written++, events };
      version = await clock(() => store.append?.(benchId, options) ?? Promise.resolve(version));
    });
    // A new store has nothing of the session in memory.
    const loadMs = await timed(async (clock) => void (await clock(() => open().load(benchId))));
    return { saveMs, appendMs, loadMs };
  };
}

type Clock = <Value>(act: () => Promise<Value>) => Promise<Value>;

async function timed(round: (clock: Clock) => Promise<void>): Promise<number> {
  const taken: number[] = [];
  for (let at = 0; at < times; at++) {
    await round(async (act) => {
      const startedAt = performance.now();
      const value = await act();
      taken.push(performance.now() - startedAt);
      return value;
    });
  }
  return median(taken);
}
