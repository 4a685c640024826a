import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { recordedSessions } from '@vitrine/testing/internal/recorded-sessions.fixture';
import { simulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import { createAgentSession } from '../create-agent-session.ts';
import { loadedSession } from '../store/loaded-session.ts';
import { loadParts } from '@vitrine/persist/internal/session/loaded-parts.fixture';

let page: EventTarget & { visibilityState: string };
beforeEach(async () => {
  page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  vi.stubGlobal('window', page);
  vi.stubGlobal('document', page);
  await loadParts();
});
afterEach(() => void vi.unstubAllGlobals());

it.each(['pagehide', 'visibilitychange'])('pending messages are written at %s', async (type) => {
  const time = simulatedTime();
  const sessions = recordedSessions();
  const agent = scriptedAgent([], {
    inference: {
      async *stream() {
        await time.sleep(50);
        yield { type: 'text-delta', delta: 'So far' };
        await new Promise(() => undefined);
      },
    },
  });
  const session = createAgentSession({
    agent,
    sessions,
    sessionId: 'a',
    publish: 'immediate',
    env: time.env(1),
  });
  const stored = async (): Promise<string> => JSON.stringify(loadedSession(await sessions.load('a')));
  void session.sendMessage('Hi');
  await time.until(
    () => session.store.getState().status === 'streaming',
    () => 'the answer',
  );
  await time.pass(100);
  expect(await stored()).not.toContain('So far');
  page.visibilityState = 'hidden';
  page.dispatchEvent(new Event(type));
  await time.pass(1);
  expect(await stored()).toContain('So far');
});

it.each(['focus', 'visibilitychange'])('a failed write is repeated at %s', async (type) => {
  const time = simulatedTime();
  const sessions = recordedSessions();
  const agent = scriptedAgent([{ text: 'A' }]);
  const session = createAgentSession({ agent, sessions, sessionId: 'a', env: time.env(1) });
  await session.ready;
  sessions.fail(new Error('full'));
  session.setDraft('typed');
  // Attempts after 1, 3, 7 and 15 seconds, and then after 31.
  await time.pass(16_000);
  sessions.fail(null);
  const { length } = sessions.writes;
  await time.pass(10_000);
  expect(sessions.writes).toHaveLength(length);
  page.dispatchEvent(new Event(type));
  await time.pass(1000);
  expect(sessions.writes).toHaveLength(length + 1);
  expect(loadedSession(await sessions.load('a'))?.draft).toBe('typed');
});
