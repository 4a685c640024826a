import { describe, expect, it, vi } from 'vitest';
import type { AgentSession, ConflictPolicy, SessionSettings } from './agent-session.ts';
import { scriptedAgent } from '../testing/fixtures.ts';
import { heldTool, said, storedState, texts } from '../testing/session.fixture.ts';
import { createAgentSession } from './create-agent-session.ts';
import { memorySessions } from './stores/memory/memory-sessions.ts';
import type { SessionStore } from './stores/session-store.ts';

const fast = { sessionId: 'a', publish: 'immediate' } as const;

/** A session whose last answer could not be stored: another writer was sooner. */
async function overtaken(
  sessions: SessionStore,
  onConflict: ConflictPolicy,
): Promise<{ loser: AgentSession; settings: SessionSettings }> {
  const held = heldTool('look');
  const script = [{ toolCalls: [{ name: 'look', input: 0 }] }, { text: 'found' }, { text: 'last' }];
  const settings = { agent: scriptedAgent(script, { tools: [held.tool] }), publish: 'immediate' } as const;
  const loser = createAgentSession({ ...settings, sessions, sessionId: 'a', onConflict });
  await loser.ready;
  const asked = loser.sendMessage('Look');
  await vi.waitFor(() => expect(held.runs).toHaveLength(1));
  await loser.flush();
  const record = await sessions.load('a');
  await sessions.save(record!, { expectedVersion: record!.version });
  held.end();
  expect((await asked).outcome).toBe('completed');
  return { loser, settings };
}

describe('two sessions of one id that know nothing of each other', () => {
  it('keep both histories: what the loser said stands behind what is stored, what it was answered in a fork', async () => {
    const sessions = memorySessions();
    const { loser } = await overtaken(sessions, 'rebase');
    expect(loser.store.getState().persistence).toMatchObject({
      status: 'degraded',
      error: { code: 'session-conflict' },
    });

    const turn = await loser.sendMessage('And now');
    expect(turn).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(said(loser)).not.toContain('found');
    expect(said(loser)).toContain('And now');
    const { forkedTo } = loser.store.getState().persistence;
    expect(texts(await storedState(sessions, forkedTo))).toEqual(['Look', '', 'found']);
    expect((await sessions.load(forkedTo!))?.parentId).toBe('a');
  });

  it('keep the stored one as it is when conflicts fork: all that the loser has goes to the fork', async () => {
    const sessions = memorySessions();
    const { loser } = await overtaken(sessions, 'fork');
    const turn = await loser.sendMessage('And now');
    expect(turn).toMatchObject({ status: 'refused', error: { code: 'session-conflict' } });
    expect(said(loser)).not.toContain('And now');
    const { forkedTo } = loser.store.getState().persistence;
    expect(texts(await storedState(sessions, forkedTo))).toEqual(['Look', '', 'found', 'And now']);
    expect((await sessions.list()).sessions).toHaveLength(2);
  });

  it('touch nothing when conflicts ask, until another policy is set and the turn is tried again', async () => {
    const sessions = memorySessions();
    const { loser, settings } = await overtaken(sessions, 'ask');
    const before = await sessions.load('a');
    const turn = await loser.sendMessage('And now');
    expect(turn).toMatchObject({ status: 'refused', error: { code: 'session-conflict' } });
    expect(loser.store.getState()).toMatchObject({ status: 'error', persistence: { status: 'degraded' } });
    expect(said(loser)).toEqual(['Look', '', 'found', 'And now']);
    expect(await sessions.load('a')).toEqual(before);
    expect((await sessions.list()).sessions).toHaveLength(1);

    loser.configure({ ...settings, onConflict: 'rebase' });
    expect(await loser.retry()).toMatchObject({ status: 'done', outcome: 'completed' });
    expect(said(loser)).toContain('And now');
    expect(said(loser)).not.toContain('found');
    const { forkedTo } = loser.store.getState().persistence;
    expect(texts(await storedState(sessions, forkedTo))).toEqual(['Look', '', 'found']);
    expect(texts(await storedState(sessions))).toEqual(said(loser));
  });

  it('make no fork of what is stored already', async () => {
    const sessions = memorySessions();
    const [one, two] = [0, 1].map(() =>
      createAgentSession({ agent: scriptedAgent([{ text: 'yes' }]), sessions, ...fast }),
    );
    await Promise.all([one!.ready, two!.ready]);
    await one!.sendMessage('first');
    await two!.sendMessage('second');
    await one!.sendMessage('third');
    expect(said(one!)).toEqual(['first', 'yes', 'second', 'yes', 'third', 'yes']);
    expect((await sessions.list()).sessions).toHaveLength(1);
  });
});
