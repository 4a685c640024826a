import { expect, it } from 'vitest';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { shownTexts } from '@vitrine/testing/internal/session.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { SessionRecord, SessionStore } from '@vitrine/core/internal/session/store/session-store';

const open = (sessions: SessionStore): AgentSession =>
  createAgentSession({
    agent: scriptedAgent([{ text: 'A', chunks: 1 }]),
    sessions,
    sessionId: 'a',
    publish: 'immediate',
  });

async function storedSession(): Promise<{ sessions: SessionStore; record: SessionRecord }> {
  const sessions = memorySessions();
  await open(sessions).sendMessage('Hi');
  return { sessions, record: loadedSession(await sessions.load('a'))! };
}

/** The stored session with another tail. */
async function withTail(
  change: (tail: readonly AgentChange[]) => readonly AgentChange[],
): Promise<SessionStore> {
  const { sessions, record } = await storedSession();
  const { journal, version } = record;
  await sessions.save(
    { ...record, journal: { ...journal, tail: change(journal.tail) } },
    { expectedVersion: version, epoch: record.epoch ?? 0 },
  );
  return sessions;
}

async function opened(sessions: SessionStore): Promise<AgentSession> {
  const session = open(sessions);
  await session.ready;
  return session;
}

it('a loaded session equals its snapshot with the events behind it', async () => {
  const { sessions, record } = await storedSession();
  expect(record.journal.tail.length).toBeGreaterThan(3);
  expect(shownTexts(await opened(sessions))).toEqual(['Hi', 'A']);
});

it('a session with an event of a later version is refused and stays unchanged', async () => {
  const sessions = await withTail((tail) => [
    ...tail,
    { ...tail.at(-1)!, type: 'mind-read', seq: tail.at(-1)!.seq + 1 } as never,
  ]);
  const before = loadedSession(await sessions.load('a'));
  const session = await opened(sessions);
  expect(session.store.getState().error).toMatchObject({ code: 'state-version-unsupported' });
  expect((await session.sendMessage('More')).status).toBe('refused');
  session.setDraft('typed');
  await session.flush();
  await session.dispose();
  expect(loadedSession(await sessions.load('a'))).toEqual(before);
});

it.each([
  ['an event is missing', (tail: readonly AgentChange[]) => tail.filter((_event, at) => at !== 2)],
  ['an event is stored twice', (tail: readonly AgentChange[]) => [...tail.slice(0, 2), ...tail.slice(1)]],
  [
    'an event names an unknown agent',
    (tail: readonly AgentChange[]) => tail.map((event) => ({ ...event, path: ['nobody'] })),
  ],
  [
    'an event cannot be applied',
    (tail: readonly AgentChange[]) =>
      tail.map((event) => (event.type === 'inference-end' ? { ...event, response: null as never } : event)),
  ],
])('a session is damaged when %s, and nothing overwrites it', async (_what, change) => {
  const sessions = await withTail(change);
  const before = loadedSession(await sessions.load('a'));
  const session = await opened(sessions);
  expect(session.store.getState().error).toMatchObject({ code: 'state-invalid' });
  session.setDraft('typed');
  await session.dispose();
  expect(loadedSession(await sessions.load('a'))).toEqual(before);
});
