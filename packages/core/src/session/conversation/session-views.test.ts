import { beforeEach, describe, expect, it, vi } from 'vitest';
import { create } from '../../graph/agent-state/create.ts';
import { user } from '../../graph/message.ts';
import { text } from '../../graph/message-text.ts';
import { scriptedAgent } from '../../testing/fixtures.ts';

// Every test has a page of its own, which has loaded nothing yet.
beforeEach(() => vi.resetModules());

describe('the views of a session', () => {
  it('views show a state that AgentState has made at once', async () => {
    const AgentState = await import('../../faces/agent-state.ts');
    const { createAgentSession } = await import('../create-agent-session.ts');
    const { sessionViews } = await import('./session-views.ts');
    const made = AgentState.create({ messages: [user('Hello')] });
    const read = AgentState.fromJSON(await Promise.resolve(AgentState.toJSON(made)));
    for (const initialState of [made, read]) {
      const session = createAgentSession({ agent: scriptedAgent([]), initialState });
      const { state, title } = session.store.getInitialState();
      expect([title, ...sessionViews(state).messages(state).map(text)]).toEqual(['Hello', 'Hello']);
    }
  });

  it('views show a state of plain data once the engine is loaded', async () => {
    const { createAgentSession } = await import('../create-agent-session.ts');
    const { sessionViews } = await import('./session-views.ts');
    const initialState = create({ messages: [user('Hello')] });
    const session = createAgentSession({ agent: scriptedAgent([]), initialState });
    const told = vi.fn();
    session.store.subscribe(told);
    expect(sessionViews(initialState).messages(initialState)).toEqual([]);
    await session.ready;
    expect(told).toHaveBeenCalledTimes(1);
    const { state, title } = session.store.getState();
    expect([title, ...sessionViews(state).messages(state).map(text)]).toEqual(['Hello', 'Hello']);
  });

  it('views of a blank session keep their reference', async () => {
    const { createAgentSession } = await import('../create-agent-session.ts');
    const { sessionViews } = await import('./session-views.ts');
    const session = createAgentSession({ agent: scriptedAgent([]) });
    const first = session.store.getState();
    const before = sessionViews(first.state);
    await session.ready;
    expect(sessionViews(first.state)).toBe(before);
    expect(session.store.getState()).toBe(first);
  });
});
