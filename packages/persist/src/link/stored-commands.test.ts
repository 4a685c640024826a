import { describe, expect, it, vi } from 'vitest';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { shownTexts } from '@vitrine/testing/internal/session.fixture';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

const hello = { type: 'send', id: 'one', message: { text: 'Hello' }, options: {}, onBusy: 'queue' };

/** Opens a session over a store that links no tabs; `model` counts the calls. */
function open(
  sessions: SessionStore,
  resume: boolean,
): { session: AgentSession; model: ReturnType<typeof vi.fn> } {
  const model = vi.fn(() => ({ text: 'yes' }));
  const agent = scriptedAgent([model as unknown as ScriptedEntry]);
  const session = createAgentSession({ agent, sessions, sessionId: 'a', publish: 'immediate', resume });
  return { session, model };
}

describe('a command in the store of a session that cannot reach other tabs', () => {
  it('a message waits for the user on the device that opens the session next, and is answered once', async () => {
    const sessions = memorySessions();
    await sessions.outbox.put('a', hello);
    const { session, model } = open(sessions, false);
    await session.ready;
    await vi.waitFor(() => expect(session.store.getState().queue.map(({ text }) => text)).toEqual(['Hello']));
    expect(model).not.toHaveBeenCalled();
    await vi.waitFor(async () => expect(await sessions.outbox.take('a')).toEqual([]));
    expect(loadedSession(await sessions.load('a'))?.queue.map(({ text }) => text)).toEqual(['Hello']);
    expect(await session.resume()).toMatchObject({ status: 'done', stored: true });
    expect(shownTexts(session)).toEqual(['Hello', 'yes']);
  });

  it('a message that comes during a run is answered behind it', async () => {
    const sessions = memorySessions();
    const { session } = open(sessions, false);
    await session.ready;
    const asked = session.sendMessage('First');
    await sessions.outbox.put('a', hello);
    await asked;
    await vi.waitFor(() => expect(shownTexts(session)).toEqual(['First', 'yes', 'Hello', 'yes']));
  });

  it('the same command is done once when the page is reloaded before it has left the store', async () => {
    const sessions = memorySessions();
    await sessions.outbox.put('a', hello);
    await sessions.outbox.put('a', { type: 'rename', id: 'two', title: 'Named' });
    const { outbox } = sessions;
    // The page is gone before it can drop what it has taken.
    const dying = { ...sessions, outbox: { ...outbox, drop: () => new Promise<never>(() => undefined) } };
    const before = open(dying, true);
    await before.session.ready;
    await vi.waitFor(() => expect(shownTexts(before.session)).toEqual(['Hello', 'yes']));
    await before.session.flush();
    await before.session.rename('Named later');
    expect(await outbox.take('a')).toHaveLength(2);
    const after = open(sessions, true);
    await after.session.ready;
    await vi.waitFor(async () => expect(await outbox.take('a')).toEqual([]));
    await after.session.flush();
    expect(shownTexts(after.session)).toEqual(['Hello', 'yes']);
    expect(after.session.store.getState().title).toBe('Named later');
    expect([before.model.mock.calls.length, after.model.mock.calls.length]).toEqual([1, 0]);
  });
});
