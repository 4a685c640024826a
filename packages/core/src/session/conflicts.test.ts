import { describe, expect, it, vi } from 'vitest';
import { scriptedAgent } from '../testing/fixtures.ts';
import { heldTool, said, storedState, texts } from '../testing/session.fixture.ts';
import { createAgentSession } from './create-agent-session.ts';
import { memorySessions } from './stores/memory-sessions.ts';

const fast = { sessionId: 'a', publish: 'immediate' } as const;

describe('two sessions of one id that know nothing of each other', () => {
  it('keep both histories: what the loser said stands behind what is stored, what it was answered in a fork', async () => {
    const sessions = memorySessions();
    const held = heldTool('look');
    const script = [{ toolCalls: [{ name: 'look', input: 0 }] }, { text: 'found' }, { text: 'last' }];
    const loser = createAgentSession({
      agent: scriptedAgent(script, { tools: [held.tool] }),
      sessions,
      ...fast,
    });
    await loser.ready;
    const asked = loser.sendMessage('Look');
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    await loser.flush();
    const record = await sessions.load('a');
    await sessions.save(record!, { expectedVersion: record!.version });
    held.end();
    expect((await asked).outcome).toBe('completed');
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
