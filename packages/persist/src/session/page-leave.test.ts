import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

let page: EventTarget;
beforeEach(() => void vi.stubGlobal('window', (page = new EventTarget())));
afterEach(() => void vi.unstubAllGlobals());

/** An agent whose answer breaks off, as after a network failure. */
const breaking = scriptedAgent([
  { text: 'A long answer', chunks: 20, delayMs: 20, error: new TypeError('network error') },
]);
const open = (sessions: SessionStore): AgentSession =>
  createAgentSession({ agent: breaking, sessions, sessionId: 'a', publish: 'immediate' });
const statusOf = (session: AgentSession): string => session.store.getState().status;
const storedStatus = async (sessions: SessionStore): Promise<unknown> =>
  loadedSession(await sessions.load('a'))?.executionStatus;

it('a run whose request the browser cancelled for a leaving page is stored as interrupted', async () => {
  const sessions = memorySessions();
  const left = open(sessions);
  void left.sendMessage('Hi');
  await vi.waitFor(() => expect(statusOf(left)).toBe('streaming'));
  page.dispatchEvent(new Event('beforeunload'));
  await vi.waitFor(() => expect(statusOf(left)).toBe('error'));
  page.dispatchEvent(new Event('pagehide'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const reloaded = open(sessions);
  await reloaded.ready;
  expect(statusOf(reloaded)).toBe('interrupted');
});

it('a run that failed in a page that stayed is stored as failed', async () => {
  const sessions = memorySessions();
  const session = open(sessions);
  const turn = session.sendMessage('Hi');
  await vi.waitFor(() => expect(statusOf(session)).toBe('streaming'));
  page.dispatchEvent(new Event('beforeunload'));
  expect(await turn).toMatchObject({ outcome: 'failed' });
  expect(await storedStatus(sessions)).toBe('failed');
});
