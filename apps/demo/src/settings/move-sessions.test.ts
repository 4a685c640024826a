import {
  createAgentSession,
  defineAgent,
  exportSession,
  memorySessions,
  type SessionStore,
  systemEnv,
} from '@vitrine/react';
import { scriptedInference } from '@vitrine/testing';
import { expect, it } from 'vitest';
import { moveSessions } from './move-sessions.ts';

const env = { ...systemEnv, now: () => 1 };

async function storeWith(...ids: string[]): Promise<SessionStore> {
  const store = memorySessions();
  for (const sessionId of ids) {
    const agent = defineAgent({
      name: 'a',
      inference: scriptedInference([{ text: `Answer to ${sessionId}` }]),
    });
    const session = createAgentSession({ agent, sessions: store, sessionId });
    await session.sendMessage(sessionId);
    await session.dispose();
  }
  return store;
}
const idsIn = async (store: SessionStore): Promise<string[]> =>
  (await store.list()).sessions.map(({ id }) => id).toSorted();

it('all sessions are moved with their ids and removed from the old store', async () => {
  const [from, to] = [await storeWith('one', 'two'), memorySessions()];
  const before = await exportSession(from, 'one', { env });
  expect(await moveSessions({ from, to, exportOne: (id) => exportSession(from, id) })).toEqual({
    moved: 2,
    stayed: [],
  });
  expect([await idsIn(from), await idsIn(to)]).toEqual([[], ['one', 'two']]);
  const after = await exportSession(to, 'one', { env });
  expect(after).toEqual(before);
});

it('a session that cannot be moved stays, and is reported with the reason', async () => {
  const [from, to] = [await storeWith('one', 'two'), memorySessions()];
  const exportOne = (id: string): Promise<unknown> =>
    id === 'one' ? Promise.reject(new Error('It is damaged.')) : exportSession(from, id);
  expect(await moveSessions({ from, to, exportOne })).toEqual({
    moved: 1,
    stayed: ['“one” was not moved: It is damaged.'],
  });
  expect([await idsIn(from), await idsIn(to)]).toEqual([['one'], ['two']]);
});
