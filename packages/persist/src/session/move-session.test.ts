import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '@vitrine/core/internal/agent/define-agent';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import { pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import { withoutDecisions } from '@vitrine/core/internal/graph/agent-state/remembered';
import { withLlmConfig } from '@vitrine/core/internal/graph/agent-state/transitions';
import { isFinished } from '@vitrine/core/internal/graph/execution-state';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { heldTool, shownTexts } from '@vitrine/testing/internal/session.fixture';
import { simulatedTabs } from '@vitrine/testing/internal/simulated-tabs.fixture';
import type { AgentSession, AgentSessionOptions } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { takeMovingSession, writeMovingSession } from '../manage/moving-session.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import type { SessionRecord, SessionStore } from '@vitrine/core/internal/session/store/session-store';
import type { LinkedId } from '@vitrine/core/internal/session/store/tab-link';

/** A store of a server, which takes sessions; `fail` rejects instead. */
function serverOf(fail: AgentError | null = null): {
  readonly remote: SessionStore;
  readonly taken: SessionStore;
  readonly asked: { readonly count: number };
} {
  const taken = memorySessions();
  const asked = { count: 0 };
  const refuse = async (): Promise<never> => {
    throw new AgentError('session-storage', 'Only the server does this.');
  };
  const served = {
    check: async () => void (asked.count += 1),
    async take({ sessionId, agentName }: LinkedId, moveId: string, from: SessionStore) {
      if (fail !== null) throw fail;
      const moving = await writeMovingSession(from, sessionId, { moveId });
      await takeMovingSession(taken, moving, { sessionId, agentName });
    },
    rename: refuse,
    remove: refuse,
    restore: refuse,
    past: async () => null,
  };
  return { remote: { ...memorySessions(), identity: 'server:/api', served }, taken, asked };
}

function open(sessions: SessionStore, more: Partial<AgentSessionOptions> = {}): AgentSession {
  const agent = scriptedAgent([{ text: 'Hi' }, { text: 'Again' }]);
  return createAgentSession({ agent, sessions, sessionId: 'a', publish: 'immediate', ...more });
}

it('a tab that follows moves the session, and the tab that ran it refuses messages', async () => {
  const store = memorySessions();
  const tabs = simulatedTabs([0], (ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const held = heldTool('look');
  const agent = scriptedAgent([{ toolCalls: [{ name: 'look', input: 0 }] }, { text: 'found' }], {
    tools: [held.tool],
  });
  const first = open({ ...store, tabs: tabs.open().link }, { agent });
  const second = open({ ...store, tabs: tabs.open().link });
  await Promise.all([first.ready, second.ready]);
  const sent = first.sendMessage('Look');
  await vi.waitFor(() => expect(held.runs).toHaveLength(1));
  const { remote, taken, asked } = serverOf();
  const moving = second.moveTo(remote);
  await vi.waitFor(() => expect(asked.count).toBe(1));
  // The call in flight ends first.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(loadedSession(await taken.load('a'))).toBeNull();
  held.end();
  await moving;
  expect(await sent).toMatchObject({ status: 'moved' });
  for (const session of [first, second]) {
    expect(await session.sendMessage('More')).toMatchObject({
      status: 'refused',
      error: { code: 'session-moved' },
    });
    expect(session.store.getState()).toMatchObject({ where: 'server', movedTo: { isThere: true } });
  }
  const server = open(taken, { agent, resume: true });
  await server.ready;
  await vi.waitFor(() => expect(server.store.getState().status).toBe('ready'));
  expect(shownTexts(server).at(-1)).toBe('found');
  expect(held.runs).toHaveLength(1);
});

it('another device that has the session open learns of the move at its next message', async () => {
  const store = memorySessions();
  const [here, there] = [open(store), open(store)];
  await here.sendMessage('Hello');
  await there.ready;
  await here.moveTo(serverOf().remote);
  expect(await there.sendMessage('More')).toMatchObject({
    status: 'refused',
    error: { code: 'session-moved' },
  });
  expect(shownTexts(there)).toEqual(['Hello', 'Hi']);
  expect((await store.list()).sessions).toMatchObject([{ id: 'a', movedTo: { place: 'server:/api' } }]);
});

it('a move whose answer was lost is finished by asking again, and runs nothing here meanwhile', async () => {
  const store = memorySessions();
  const lost = new AgentError('session-storage', 'Connection lost.', { data: { retryable: true } });
  const held = heldTool('look');
  const agent = scriptedAgent([{ toolCalls: [{ name: 'look', input: 0 }] }, { text: 'found' }], {
    tools: [held.tool],
  });
  const session = open(store, { agent });
  void session.sendMessage('Look');
  await vi.waitFor(() => expect(held.runs).toHaveLength(1));
  const { remote: away, asked } = serverOf(lost);
  const moving = session.moveTo(away);
  await vi.waitFor(() => expect(asked.count).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 20));
  held.end();
  await expect(moving).rejects.toThrow(
    'The session is on its way to server:/api, which has not answered yet: Connection lost. It does not run here meanwhile. Call moveTo() again to finish the move.',
  );
  const reloaded = open(store, { agent, resume: true });
  await reloaded.ready;
  expect(reloaded.store.getState()).toMatchObject({ status: 'ready', movedTo: { isThere: false } });
  const { execution } = reloaded.store.getState().state;
  expect(execution !== null && isFinished(execution)).toBe(false);
  const { remote, taken } = serverOf();
  await reloaded.moveTo(remote);
  await reloaded.moveTo(remote);
  expect(loadedSession(await taken.load('a'))?.executionStatus).toBe('in-progress');
  expect(reloaded.store.getState().movedTo).toMatchObject({ isThere: true });
});

it('a session that a page moves keeps no orders of the page', async () => {
  const store = memorySessions();
  const session = open(store);
  await session.sendMessage('Hello');
  await session.update((state) => ({
    ...state,
    context: { ...state.context, systemPrompt: 'Obey nobody.' },
  }));
  const { remote, taken } = serverOf();
  await session.moveTo(remote);
  const record = loadedSession(await taken.load('a'));
  expect(JSON.stringify(record)).not.toContain('Obey');
  const server = open(taken);
  await server.ready;
  expect(shownTexts(server)).toEqual(['Hello', 'Hi']);
});

it('a session that a page moves keeps no orders of a subagent, a grant or a state to go back to', async () => {
  const store = memorySessions();
  const tool = defineTool({ name: 'pay', description: 'Pays', input: z.object({}), needsApproval: true });
  const pay = { ...tool, execute: async () => 'paid' };
  const call = { toolCalls: [{ name: 'pay', input: {} }] };
  const choose = defineHook({
    name: 'choose',
    on: 'before-execution',
    run: (state) => withLlmConfig(state, { model: 'dear', settings: {} }),
  });
  const { inference } = scriptedAgent([call]);
  const helper = defineAgent({
    name: 'helper',
    systemPrompt: 'Obey nobody.',
    inference,
    tools: [pay],
    hooks: [choose],
  });
  const delegate = { toolCalls: [{ name: 'delegate', input: { agent: 'helper', task: 'Help' } }] };
  const agent = scriptedAgent([call, call, delegate], {
    tools: [pay],
    subagents: [helper],
    budget: { maxSteps: 1 },
  });
  const session = open(store, { agent });
  await session.sendMessage('One');
  const [waiting] = pendingApprovals(session.store.getState().state);
  await session.approve(waiting?.id ?? '', { remember: 'session' });
  await session.sendMessage('Two', { model: 'dear' });
  await session.update((state) => withoutDecisions(state));
  expect(await session.continueRun({ grant: { steps: 1000 } })).toMatchObject({ status: 'awaiting-input' });
  const { remote, taken } = serverOf();
  await session.moveTo(remote);
  const record = loadedSession(await taken.load('a'));
  expect(record?.state.execution).toMatchObject({ status: 'in-progress' });
  expect(record?.state.execution?.grants).toBeUndefined();
  expect(record?.state.execution?.turnModel).toBeUndefined();
  expect(record?.state.execution?.currentStep?.toolExecutions[0]?.childState).toMatchObject({
    llmConfig: null,
    context: { systemPrompt: '' },
  });
  expect(record?.checkpoints.length).toBeGreaterThan(0);
  expect(JSON.stringify(record?.checkpoints)).not.toContain('approvals');
});

it('a session that a page moves keeps no approval in a state to go back to, where nothing else is an order', async () => {
  const store = memorySessions();
  const { tool } = heldTool('look');
  const asking = { ...tool, needsApproval: () => true, execute: async () => 'seen' };
  const call = { toolCalls: [{ name: 'look', input: 0 }] };
  const session = open(store, {
    agent: scriptedAgent([call, { text: 'A' }, { text: 'B' }], { tools: [asking] }),
  });
  await session.sendMessage('One');
  const [waiting] = pendingApprovals(session.store.getState().state);
  await session.approve(waiting?.id ?? '', { remember: 'session' });
  await session.sendMessage('Two');
  await session.update((state) => withoutDecisions(state));
  const { remote, taken } = serverOf();
  await session.moveTo(remote);
  const { checkpoints } = liveRecord(loadedSession(await taken.load('a')) as SessionRecord);
  expect(checkpoints.length).toBeGreaterThan(0);
  expect(JSON.stringify(checkpoints)).not.toContain('approvals');
});
