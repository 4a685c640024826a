import { describe, expect, it } from 'vitest';
import { withUserMessage } from '@vitrine/core/internal/graph/agent-state/transitions';
import { of as budgetOf } from '@vitrine/core/internal/graph/execution-budget';
import { createAgentLoop } from '@vitrine/core/internal/agent-loop/create-agent-loop';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { budgetBars } from './budget-bars.ts';

describe('the bars of a budget', () => {
  it('budget bars show the spent and remaining amount of every limit but the deadline', async () => {
    const agent = scriptedAgent([{ text: 'Hi', usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } }]);
    const ended = await createAgentLoop(agent).execute(ask());
    // A run of an earlier version has no limits of its own.
    const state = { ...ended, execution: { ...ended.execution!, limits: undefined } };
    const bars = budgetBars(state, budgetOf({ maxTokens: 10, deadline: 1 }));
    expect(bars.map(({ measure }) => measure)).toEqual(['steps', 'tokens', 'seconds', 'cost']);
    expect(bars[0]).toMatchObject({ spent: 1, limit: null, left: null });
    expect(bars[1]).toEqual({
      key: 'maxTokens',
      measure: 'tokens',
      unit: 'tokens',
      label: 'Tokens',
      spent: 7,
      limit: 10,
      left: 3,
    });
  });

  it('budget bars end with the limits of all agents and of the session, where there are any', async () => {
    const agent = scriptedAgent([{ text: 'Hi', usage: { inputTokens: 5, outputTokens: 2, cost: 0.5 } }], {
      sessionBudget: { tokens: 20, cost: 2 },
      subagentPolicy: { maxTotalSteps: 9 },
    });
    const loop = createAgentLoop(agent);
    const state = await loop.execute(withUserMessage(await loop.execute(ask()), 'Again'));
    expect(budgetBars(state, agent.budget, agent).slice(4)).toMatchObject([
      { key: 'maxTotalSteps', measure: 'steps of all agents', spent: 1, limit: 9, left: 8 },
      { key: 'sessionTokens', measure: 'tokens of the session', spent: 14, limit: 20, left: 6 },
      { key: 'sessionCost', unit: 'money', spent: 1, limit: 2, left: 1 },
    ]);
    const { execution } = state;
    expect(
      budgetBars({ ...state, execution: { ...execution!, limits: {} } }, agent.budget, agent),
    ).toHaveLength(4);
  });

  it('budget bars show an earlier run by its own limits with its grants, whatever the agent has today', async () => {
    const agent = scriptedAgent([{ text: 'Hi', usage: { inputTokens: 5, outputTokens: 2, cost: 0.5 } }], {
      budget: { maxSteps: 3, maxCost: 1 },
      subagentPolicy: { maxTotalSteps: 9 },
    });
    const ended = await createAgentLoop(agent).execute(ask());
    const state = { ...ended, execution: { ...ended.execution!, grants: { steps: 2, cost: 0.25 } } };
    const today = scriptedAgent([], { budget: { maxSteps: 50, maxTokens: 1 } });
    expect(budgetBars(state, today.budget, today)).toMatchObject([
      { key: 'maxSteps', spent: 1, limit: 5 },
      { key: 'maxTokens', spent: 7, limit: null },
      { key: 'maxSeconds', limit: null },
      { key: 'maxCost', spent: 0.5, limit: 1.25, left: 0.75 },
      { key: 'maxTotalSteps', limit: 11 },
    ]);
  });
});
