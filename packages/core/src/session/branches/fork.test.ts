import { describe, expect, it, vi } from 'vitest';
import { lastStep, stepExecutions } from '../../graph/agent-state/accessors.ts';
import { set } from '../../agent/plugin/plugin-state.ts';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { askingTool } from '@vitrine/testing/internal/session.fixture';
import type { AgentSession } from '../agent-session.ts';
import { diarist, idOf, lineOf, notesOf, wordsOf } from './branches.fixture.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';
import type { SessionStore } from '../store/session-store.ts';
import { loadedSession } from '../store/loaded-session.ts';
import * as z from 'zod';
import { definePlugin } from '../../features/define-plugin.ts';

async function chat(words: readonly string[], sessions?: SessionStore): Promise<AgentSession> {
  const session = createAgentSession({
    agent: diarist(),
    publish: 'immediate',
    sessions,
    sessionId: 'source',
  });
  for (const text of words) await session.sendMessage(text);
  return session;
}

async function opened(sessions: SessionStore, sessionId: string): Promise<AgentSession> {
  const session = createAgentSession({ agent: diarist(), publish: 'immediate', sessions, sessionId });
  await session.ready;
  return session;
}

describe('a fork of a session', () => {
  it('a fork is a session of its own with the messages up to one and leaves its source unchanged', async () => {
    const sessions = memorySessions();
    const source = await chat(['note a', 'note b'], sessions);
    const { state } = source.store.getState();
    const id = await source.fork({ messageId: idOf(source, 'answer 1') });
    const record = loadedSession(await sessions.load(id));
    expect(record).toMatchObject({ parentId: 'source', title: 'note a', status: 'active', version: 1 });
    expect(record?.state.execution).toBeNull();
    expect(record?.state.agentId).not.toBe(state.agentId);
    expect(source.store.getState().state).toBe(state);
    const fork = await opened(sessions, id);
    expect([wordsOf(fork), notesOf(fork)]).toEqual([['note a', 'answer 1'], ['note a 1']]);
    expect(lineOf(fork)).toEqual(lineOf(source).slice(0, lineOf(fork).length));
    await fork.sendMessage('note c');
    await fork.edit(idOf(fork, 'note a'), 'note z');
    expect(notesOf(fork)).toEqual(['note z 1']);
    expect(wordsOf(source)).toEqual(['note a', 'answer 1', 'note b', 'answer 2']);
  });

  it('a fork after a step has the plugin state of that step and no call without its result', async () => {
    const sessions = memorySessions();
    const source = await chat(['note twice', 'plain'], sessions);
    const calls = lineOf(source).filter(
      ({ role, parts }) => role === 'assistant' && parts[0]?.type === 'tool-call',
    );
    const notes: unknown[] = [];
    for (const { id, metadata } of calls) {
      const byStep = await opened(sessions, await source.fork({ stepId: String(metadata['step_id']) }));
      const byMessage = await opened(sessions, await source.fork({ messageId: id }));
      expect(lineOf(byMessage)).toEqual(lineOf(byStep));
      expect(lineOf(byStep).at(-1)?.role).toBe('tool');
      notes.push([notesOf(byStep), notesOf(byMessage)]);
    }
    expect(notes).toEqual([
      [['note twice 1'], ['note twice 1']],
      [
        ['note twice 1', 'note twice 2'],
        ['note twice 1', 'note twice 2'],
      ],
    ]);
    const last = lastStep(source.store.getState().state)?.id ?? '';
    expect(wordsOf(await opened(sessions, await source.fork({ stepId: last })))).toEqual(wordsOf(source));
  });

  it('a fork at a user message ends with it and has the plugin state before the turn', async () => {
    const sessions = memorySessions();
    const source = await chat(['note a', 'note b'], sessions);
    const fork = await opened(sessions, await source.fork({ messageId: idOf(source, 'note b') }));
    expect([wordsOf(fork), notesOf(fork)]).toEqual([['note a', 'answer 1', 'note b'], ['note a 1']]);
    await fork.regenerate();
    expect(notesOf(fork)).toEqual(['note a 1', 'note b 1']);
  });

  it('a fork during a run has the finished messages and does not disturb the run', async () => {
    const sessions = memorySessions();
    const agent = diarist({ delayMs: 15 });
    const source = createAgentSession({ agent, publish: 'immediate', sessions, sessionId: 'source' });
    const turn = source.sendMessage('note a');
    await vi.waitFor(() => expect(stepExecutions(source.store.getState().state)).toHaveLength(1));
    await vi.waitFor(() => expect(source.store.getState().status).toBe('streaming'));
    const fork = await opened(sessions, await source.fork());
    expect(lineOf(fork).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect((await turn).outcome).toBe('completed');
  });

  it('a fork leaves out a step whose calls wait, even when its message is named', async () => {
    const sessions = memorySessions();
    const pay = askingTool('pay');
    const agent = scriptedAgent([{ toolCalls: [{ name: 'pay', input: 1 }] }], { tools: [pay.tool] });
    const source = createAgentSession({ agent, publish: 'immediate', sessions, sessionId: 'source' });
    expect((await source.sendMessage('pay')).status).toBe('awaiting-input');
    expect(lineOf(source)).toHaveLength(2);
    for (const point of [{}, { messageId: lineOf(source)[1]?.id ?? '' }])
      expect(wordsOf(await opened(sessions, await source.fork(point)))).toEqual(['pay']);
  });

  it('a fork leaves out plugin state with persist none', async () => {
    const page = definePlugin({ id: 'page', state: z.string(), persist: 'none' });
    const sessions = memorySessions();
    const agent = scriptedAgent([{ text: 'fine' }], { plugins: [page] });
    const source = createAgentSession({ agent, publish: 'immediate', sessions, sessionId: 'source' });
    await source.sendMessage('one');
    await source.update((state) => set(state, page, 'here'));
    await source.sendMessage('two');
    await source.edit(lineOf(source)[2]?.id ?? '', 'three');
    expect(source.store.getState().state.plugins['page']?.data).toBe('here');
    const fork = loadedSession(
      await sessions.load(await source.fork({ messageId: lineOf(source)[1]?.id ?? '' })),
    );
    await source.flush();
    const stored = loadedSession(await sessions.load('source'));
    expect(stored?.branches).toHaveLength(1);
    expect(stored?.checkpoints.length).toBeGreaterThan(2);
    for (const { plugins } of [
      fork?.state,
      ...(stored?.branches.map(({ state }) => state) ?? []),
      ...(stored?.checkpoints ?? []),
    ].flatMap((entry) => entry ?? []))
      expect(plugins).not.toHaveProperty('page');
  });

  it('a fork rejects for an unknown message and without a store', async () => {
    const source = await chat(['one'], memorySessions());
    await expect(source.fork({ messageId: 'nobody' })).rejects.toMatchObject({ code: 'message-not-found' });
    await expect(source.fork({ stepId: 'none' })).rejects.toMatchObject({ code: 'message-not-found' });
    const homeless = await chat(['one']);
    await expect(homeless.fork()).rejects.toMatchObject({ code: 'session-storage' });
    await homeless.dispose();
    await expect(homeless.fork()).rejects.toMatchObject({ code: 'session-disposed' });
  });
});
