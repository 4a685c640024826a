import { expect, it, vi } from 'vitest';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { simulatedTabs } from '@vitrine/testing/internal/simulated-tabs.fixture';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';

const loaded = vi.hoisted(() => ({ links: 0, stores: 0 }));

vi.mock('../link/session-link.ts', async (original) => {
  loaded.links++;
  return original();
});

vi.mock('./create-persistence.ts', async (original) => {
  loaded.stores++;
  return original();
});

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('the parts of a store are loaded with one, and the link for a store that tabs share', async () => {
  const agent = scriptedAgent([{ text: 'yes' }, { text: 'yes' }]);
  const alone = createAgentSession({ agent });
  const stored = createAgentSession({ agent, sessions: { ...memorySessions(), tabs: null } });
  for (const [stores, session] of [alone, stored].entries()) {
    expect(await session.sendMessage('Hello')).toMatchObject({ status: 'done' });
    await session.dispose();
    expect(loaded).toEqual({ links: 0, stores });
  }
  const tabs = simulatedTabs([0], sleep).open().link;
  const shared = createAgentSession({ agent, sessions: { ...memorySessions(), tabs } });
  expect(await shared.sendMessage('Hello')).toMatchObject({ status: 'done' });
  expect(loaded.links).toBe(1);
  await shared.dispose();
});

it('a store keeps a session of another copy of this library, as of a bundle beside it', async () => {
  const sessions = memorySessions();
  vi.resetModules();
  const other = await import('@vitrine/core/internal/session/create-agent-session');
  const session = other.createAgentSession({
    agent: scriptedAgent([{ text: 'yes' }]),
    sessions,
    sessionId: 'one',
  });
  expect(await session.sendMessage('Hello')).toMatchObject({ status: 'done', stored: true });
  await session.dispose();
  expect((await sessions.list()).sessions.map(({ id }) => id)).toEqual(['one']);
  await expect(sessions.attach({})).rejects.toThrow('no session that a store can keep');
});
