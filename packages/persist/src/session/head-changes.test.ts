import { describe, expect, it, vi } from 'vitest';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { shownTexts } from '@vitrine/testing/internal/session.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

const agent = scriptedAgent([{ chunks: ['Once ', 'upon ', 'a time'], delayMs: 60 }]);

/** A device whose answer comes in, and another one that has the session open. */
async function twoDevices(): Promise<{ sessions: SessionStore; runner: AgentSession; other: AgentSession }> {
  const sessions = memorySessions();
  const open = (): AgentSession =>
    createAgentSession({ agent, sessions, sessionId: 'a', publish: 'immediate' });
  const [runner, other] = [open(), open()];
  await Promise.all([runner.ready, other.ready]);
  return { sessions, runner, other };
}

describe('a run while another device changes only the head of the session', () => {
  it.each([
    ['a draft', (other: AgentSession): void => other.setDraft('typed there'), { draft: 'typed there' }],
    ['a title', (other: AgentSession): void => void other.rename('Named there'), { title: 'Named there' }],
  ] as const)('the run goes on and the session takes %s of the other device', async (_what, change, head) => {
    const { sessions, runner, other } = await twoDevices();
    const asked = runner.sendMessage('Tell');
    await vi.waitFor(() => expect(runner.store.getState().status).toBe('streaming'), { interval: 5 });
    await runner.flush();
    change(other);
    await other.flush();
    await runner.flush();
    expect(await asked).toMatchObject({ status: 'done', outcome: 'completed', stored: true, forkedTo: null });
    expect(shownTexts(runner)).toEqual(['Tell', 'Once upon a time']);
    expect(loadedSession(await sessions.load('a'))).toMatchObject(head);
    expect(runner.store.getState()).toMatchObject(head);
    expect((await sessions.list()).sessions).toHaveLength(1);
  });

  it('the draft of the runner stays when both devices type', async () => {
    const { sessions, runner, other } = await twoDevices();
    const asked = runner.sendMessage('Tell');
    await vi.waitFor(() => expect(runner.store.getState().status).toBe('streaming'), { interval: 5 });
    runner.setDraft('typed here');
    other.setDraft('typed there');
    await other.flush();
    await runner.flush();
    expect(await asked).toMatchObject({ status: 'done', stored: true, forkedTo: null });
    expect(loadedSession(await sessions.load('a'))?.draft).toBe('typed here');
  });
});
