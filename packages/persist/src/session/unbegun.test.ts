import { expect, it, vi } from 'vitest';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { shownTexts } from '@vitrine/testing/internal/session.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

/** A store whose page dies as soon as the first write of a message is done. */
function dying(store: SessionStore): { readonly store: SessionStore; readonly isWritten: () => boolean } {
  let isWritten = false;
  const save: SessionStore['save'] = async (record, options) => {
    await store.save(record, options);
    isWritten = true;
    return new Promise(() => undefined);
  };
  return { store: { ...store, save }, isWritten: () => isWritten };
}

const open = (sessions: SessionStore, resume: boolean): AgentSession =>
  createAgentSession({
    agent: scriptedAgent([{ text: 'An answer' }]),
    sessions,
    sessionId: 'a',
    resume,
    publish: 'immediate',
  });

async function dieBeforeTheRun(): Promise<SessionStore> {
  const sessions = memorySessions();
  const { store, isWritten } = dying(sessions);
  void open(store, false).sendMessage('A question');
  await vi.waitFor(() => expect(isWritten()).toBe(true));
  return sessions;
}

it('a message whose page died before its run began is answered once by the page that resumes', async () => {
  const sessions = await dieBeforeTheRun();
  const session = open(sessions, true);
  await session.ready;
  await vi.waitFor(() => expect(shownTexts(session)).toEqual(['A question', 'An answer']));
  await session.flush();
  const again = open(sessions, true);
  await again.ready;
  expect(shownTexts(again)).toEqual(['A question', 'An answer']);
  expect(again.store.getState().queue).toEqual([]);
});

it('such a message waits in the queue of a page without automatic resume, and resume() sends it', async () => {
  const session = open(await dieBeforeTheRun(), false);
  await session.ready;
  const { queue, status } = session.store.getState();
  expect([queue.map(({ text }) => text), status, shownTexts(session)]).toEqual([['A question'], 'ready', []]);
  expect((await session.resume())?.outcome).toBe('completed');
  expect(shownTexts(session)).toEqual(['A question', 'An answer']);
  await session.flush();
});
