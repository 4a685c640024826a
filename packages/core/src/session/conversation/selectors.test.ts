import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { Schema } from '../../agent/schema.ts';
import { text } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import { runAgent } from '../../agent-loop/run-agent.ts';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';

const answer = z.object({ sum: z.number() }) as Schema;

/** A state after one run, parsed from JSON. The modules of this file made it, not those of a test. */
async function parseState(): Promise<AgentState> {
  const agent = scriptedAgent([{ text: '{"sum":6}', usage: { inputTokens: 7, outputTokens: 3 } }], {
    responseFormat: answer,
  });
  const { state } = await runAgent(agent, 'What is 3 + 3?');
  return JSON.parse(JSON.stringify(state)) as AgentState;
}

// The modules that a test imports are new ones, so nothing else has been loaded or called before.
beforeEach(() => vi.resetModules());

describe('selectors', () => {
  it('selectors read a state of plain JSON as the first thing that a process does', async () => {
    const state = await parseState();
    const { selectors } = await import('./selectors.ts');
    expect(selectors.title(state)).toBe('What is 3 + 3?');
    expect(selectors.messages(state).map(text)).toEqual(['What is 3 + 3?', '{"sum":6}']);
    expect(selectors.usage(state)).toMatchObject({ inputTokens: 7, outputTokens: 3 });
    expect(selectors.steps(state)).toHaveLength(1);
    expect(selectors.stopReason(state)).toBe('completed');
    expect(selectors.stopSignals(state).map(({ reason }) => reason)).toContain('completed');
    expect(selectors.output(state, answer)).toEqual({ partial: { sum: 6 }, final: { sum: 6 } });
    expect(selectors.pendingApprovals(state)).toEqual([]);
  });

  it('a session shows an initial state of plain JSON before and after its engine is loaded', async () => {
    const initialState = await parseState();
    const { createAgentSession } = await import('../create-agent-session.ts');
    const { selectors } = await import('./selectors.ts');
    const session = createAgentSession({ agent: scriptedAgent([]), initialState });
    const shown = (): unknown => {
      const snapshot = session.store.getState();
      const { steps } = selectors.budget(snapshot);
      const [asked, answered] = selectors.messages(snapshot.state).map(({ id }) => id);
      const { answers } = selectors.branches(snapshot)(asked ?? '');
      expect(answers).toEqual([answered]);
      return [snapshot.title, ...selectors.messages(snapshot.state).map(text), steps.spent];
    };
    expect(shown()).toEqual(['What is 3 + 3?', 'What is 3 + 3?', '{"sum":6}', 1]);
    await session.ready;
    expect(shown()).toEqual(['What is 3 + 3?', 'What is 3 + 3?', '{"sum":6}', 1]);
    await session.dispose();
  });

  it('a blank session keeps the reference of its snapshot and values when its engine is loaded', async () => {
    const { createAgentSession } = await import('../create-agent-session.ts');
    const { selectors } = await import('./selectors.ts');
    const session = createAgentSession({ agent: scriptedAgent([]) });
    const first = session.store.getState();
    const [messages, steps] = [selectors.messages(first.state), selectors.steps(first.state)];
    await session.ready;
    const next = session.store.getState();
    expect(next).toBe(first);
    expect(selectors.messages(next.state)).toBe(messages);
    expect(selectors.steps(next.state)).toBe(steps);
    await session.dispose();
  });
});
