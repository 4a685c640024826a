import {
  AgentError,
  AgentState,
  createAgentSession,
  defineAgent,
  defineTool,
  type SessionStore,
} from '@vitrine/core';
import { deleteSession, localStorageSessions, type SessionLoad } from '@vitrine/persist';
import type { LinkPosition } from '@vitrine/persist/internal/link/link-json';
import { scriptedInference } from '@vitrine/testing';
import { fakeStorage } from '@vitrine/testing/internal/session.fixture';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { readMissing } from './read-document.ts';
import { createRunnerLink, type RunnerMessage, runnerText } from './runner-link.ts';

type Act = 'talk' | 'pay' | 'fail' | 'approve' | 'edit' | 'draft' | 'rename' | 'delete';
const course = fc.array(
  fc.constantFrom<Act>('talk', 'talk', 'pay', 'pay', 'fail', 'approve', 'edit', 'draft', 'rename', 'delete'),
  { minLength: 2, maxLength: 7 },
);

const agent = defineAgent({
  name: 'clerk',
  budget: { maxSteps: 9 },
  tools: [
    defineTool({
      name: 'pay',
      description: 'Pays',
      input: z.object({}),
      needsApproval: true,
      execute: () => 'paid',
    }),
  ],
  inference: scriptedInference([
    ({ messages }) => {
      const last = messages.at(-1);
      const said = JSON.stringify(last?.parts);
      if (said.includes('fail')) return { error: { message: 'The model is away', retryable: false } };
      return said.includes('pay') && last?.role === 'user'
        ? { toolCalls: [{ name: 'pay', input: {} }] }
        : { text: 'Well' };
    },
  ]),
});

/** The loads of a store after every write of a session. */
async function play(acts: readonly Act[]): Promise<{ store: SessionStore; loads: readonly SessionLoad[] }> {
  const store = localStorageSessions({ storage: fakeStorage() });
  const loads: SessionLoad[] = [await store.load('a')];
  const noted = async <Value>(written: Promise<Value>): Promise<Value> => {
    const value = await written;
    loads.push(await store.load('a'));
    return value;
  };
  const sessions: SessionStore = {
    ...store,
    tabs: null,
    save: (...given) => noted(store.save(...given)),
    append: (...given) => noted(store.append(...given)),
    takeEpoch: (...given) => noted(store.takeEpoch(...given)),
  };
  const session = createAgentSession({ agent, sessions, sessionId: 'a', publish: 'immediate' });
  await session.ready;
  for (const [at, act] of acts.entries()) {
    const { state } = session.store.getState();
    if (act === 'talk' || act === 'pay' || act === 'fail')
      void session.sendMessage(`${act} ${at}`).catch(() => 0);
    else if (act === 'approve')
      AgentState.pendingApprovals(state).forEach(({ id }) => void session.approve(id).catch(() => 0));
    else if (act === 'edit')
      void session.edit(AgentState.messages(state)[0]?.id ?? '', `edit ${at}`).catch(() => 0);
    else if (act === 'draft') session.setDraft(`draft ${at}`);
    else if (act === 'rename') void session.rename(`title ${at}`).catch(() => 0);
    else await deleteSession(sessions, 'a').catch(() => undefined);
    while (!session.isSettled()) await new Promise((resolve) => setImmediate(resolve));
  }
  await session.dispose();
  return { store, loads };
}

/** The message of a session that has opened what is stored and leads, as it answers a follower. */
async function toldByLeader(
  store: SessionStore,
  load: SessionLoad,
  { have, goesOn }: Asked,
): Promise<string> {
  const messages: RunnerMessage[] = [];
  const link = createRunnerLink((message) => void messages.push(message));
  link.began(load);
  const sessions = {
    ...store,
    tabs: link.tabs,
    load: async () => load,
    outbox: { ...store.outbox, take: async () => [] },
  };
  const session = createAgentSession({ agent, sessionId: 'a', sessions });
  await session.ready;
  link.greet('reader', { have, seen: null });
  const message = messages.find(({ type }) => type === 'document' || type === 'records');
  void session.dispose();
  if (message === undefined || !('view' in message)) throw new Error('The leader did not answer');
  const view = goesOn ? { ...message.view, goesOn } : message.view;
  return runnerText({ ...message, view, n: 3 } as RunnerMessage, 7, true);
}

type Asked = Pick<LinkPosition, 'have'> & { readonly goesOn: boolean };

/** The cursor of a stored session; null for none. */
const cursorOf = (load: SessionLoad | undefined): LinkPosition['have'] =>
  load?.kind === 'there'
    ? { journalId: load.session.journal.id, record: load.session.journal.records }
    : null;

/** The message without the times of what the reader itself has changed, and without numbers that only a leader counts. */
const plain = (text: string): unknown =>
  JSON.parse(text.replaceAll(/"(at|updatedAt)":\d+/g, '"$1":0'), (key, value: unknown) =>
    key === 'n' ? 0 : value,
  );

it(
  'what a follower reads of a stored session is what a session that has opened it would tell',
  { timeout: 3_000_000 },
  async () => {
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(course, fc.nat(), async (acts, seed) => {
        const { store, loads } = await play(acts);
        for (const [at, load] of loads.entries()) {
          const earlier = loads[seed % (at + 1)];
          for (const have of [null, cursorOf(load), cursorOf(earlier), { journalId: 'another', record: 1 }]) {
            const isAwake = (seed + at) % 2 === 0;
            const read = await readMissing(
              agent,
              'a',
              { ...store, load: async () => load },
              { have, isAwake },
            );
            const text = read.textAt({ epoch: 7, n: 3 }, true);
            const goesOn = read.isOpen && isAwake;
            expect(plain(text)).toEqual(plain(await toldByLeader(store, load, { have, goesOn })));
            kinds.add(text.includes('"type":"records"') ? 'records' : 'document');
          }
        }
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 5), endOnFailure: true },
    );
    expect([...kinds].toSorted()).toEqual(['document', 'records']);
  },
);

it('a follower is shown nothing while the store cannot answer, and a damaged session as one that cannot be read', async () => {
  const { store } = await play(['talk']);
  const away = new AgentError('session-storage', 'away');
  const asked = { have: null, isAwake: false };
  const silent = { ...store, load: async () => ({ kind: 'unknown', error: away }) as const };
  await expect(readMissing(agent, 'a', silent, asked)).rejects.toBe(away);
  const damaged = { ...store, load: () => Promise.reject(new AgentError('state-invalid', 'damaged')) };
  const read = await readMissing(agent, 'a', damaged, asked);
  expect(read.textAt({ epoch: 1, n: 1 }, true)).toMatch(
    /"phase":"unreadable".*"error":\{[^}]*"code":"state-invalid"/,
  );
});
