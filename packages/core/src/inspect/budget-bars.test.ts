import { describe, expect, it } from 'vitest';
import { of as budgetOf } from '../graph/limits/execution-budget.ts';
import { createAgentLoop } from '../run/create-agent-loop.ts';
import { asked, scriptedAgent } from '../testing/fixtures.ts';
import { budgetBars } from './budget-bars.ts';

describe('the bars of a budget', () => {
  it('say what is spent of every limit but the deadline, and what is left', async () => {
    const agent = scriptedAgent([{ text: 'Hi', usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } }]);
    const state = await createAgentLoop(agent).execute(asked());
    const bars = budgetBars(state, budgetOf({ maxTokens: 10, deadline: 1 }));
    expect(bars.map(({ measure }) => measure)).toEqual(['steps', 'tokens', 'seconds', 'cost']);
    expect(bars[0]).toMatchObject({ spent: 1, limit: null, left: null });
    expect(bars[1]).toEqual({
      key: 'maxTokens',
      measure: 'tokens',
      label: 'Tokens',
      spent: 7,
      limit: 10,
      left: 3,
    });
  });
});
