import { describe, expect, it } from 'vitest';
import { summarizeHistory } from '../agent/guards/summarize-history.ts';
import { defineHook } from '../agent/hook.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import * as AgentState from './agent-state.ts';
import { assistant, user } from '../graph/message.ts';
import { forNextExecution, withMessages } from '../graph/agent-state/transitions.ts';
import type { AgentState as State } from '../graph/types.ts';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import type { AgentEvent } from './events.ts';

const calling = (name: string, step: ScriptedStep = {}): ScriptedStep => ({
  toolCalls: [{ name, input: {} }],
  ...step,
});

describe('a model call that needs more than is left', () => {
  const large = fakeTool('read', 'word '.repeat(4000));

  it('a call behind a long result is not sent, and the run stops with the reason of the limit', async () => {
    const usage = { inputTokens: 20, outputTokens: 5 };
    const { state } = await expectRun([calling('read', { usage })], {
      tools: [large],
      budget: { maxTokens: 1000 },
    }).toEnd('stopped', 'token-limit-reached', { steps: 1, modelCalls: 1, tokens: 25 });
    expect(AgentState.stopSignal(state)).toMatchObject({
      source: 'budget',
      context: { refused: true, left: 975, totalTokens: 25, maxTokens: 1000 },
    });
    const { atLeast } = AgentState.stopSignal(state)!.context;
    expect(atLeast).toBeGreaterThan(1000);
    expect(atLeast).toBeLessThan(20_000 / 7);
  });

  it('a call whose money is not left is not sent', async () => {
    const { state } = await expectRun([calling('read', { usage: { inputTokens: 20, outputTokens: 5 } })], {
      tools: [large],
      budget: { maxCost: 0.001 },
      llmConfig: { model: 'm', prices: { m: { input: 1, output: 2 } } },
    }).toEnd('stopped', 'cost-limit-reached', { modelCalls: 1 });
    expect(AgentState.stopSignal(state)?.context).toMatchObject({ refused: true });
  });

  it('half of the measured ratio of tokens to bytes replaces the default of an eighth', async () => {
    // The request has 20,000 bytes, one token each. 8,000 tokens cover an eighth of it and not half.
    const script = [
      calling('read', { usage: { inputTokens: 20, outputTokens: 5 } }),
      calling('read', { usage: { inputTokens: 20_000, outputTokens: 5 } }),
    ];
    await expectRun(script, { tools: [large], budget: { maxTokens: 27_000 } }).toEnd(
      'stopped',
      'token-limit-reached',
      {
        modelCalls: 2,
      },
    );
  });
});

describe('the summary of a history', () => {
  const history = Array.from({ length: 40 }, (_, at) =>
    at % 2 ? assistant(`Answer ${at} `.repeat(40)) : user(`Question ${at} `.repeat(40)),
  );
  const long = (): State => withMessages(ask(), [...history, user('And now?')]);
  const agentOf = (maxTokens: number | null, summaries: string[]): AgentDefinition =>
    scriptedAgent([{ text: 'ok', usage: { inputTokens: 10, outputTokens: 1 } }], {
      budget: { maxTokens },
      hooks: [
        summarizeHistory({
          maxTokens: 500,
          summarize: ({ messages }) => {
            summaries.push(`${messages.length}`);
            return { text: 'Short.', usage: { inputTokens: 700, outputTokens: 20 } };
          },
        }),
      ],
    });

  it('a summary of the history is charged to the run', async () => {
    const summaries: string[] = [];
    const state = await createAgentLoop(agentOf(null, summaries)).execute(long());
    expect(summaries).toHaveLength(1);
    expect(AgentState.usage(state).totalTokens).toBe(731);
    expect(AgentState.fromJSON(AgentState.toJSON(state))).toEqual(state);
  });

  it('a summary of the history is not made when the remaining budget is too small', async () => {
    const summaries: string[] = [];
    const state = await createAgentLoop(agentOf(500, summaries)).execute(long());
    expect(summaries).toEqual([]);
    expect(AgentState.stopReason(state)).toBe('token-limit-reached');
    expect(AgentState.usage(state).totalTokens).toBe(0);
  });

  it('a model call of any hook is charged, also when it fails', async () => {
    const hook = (call: () => Promise<string>) =>
      defineHook({
        name: 'check',
        on: 'before-step',
        async run(_state, ctx) {
          await ctx.callModel({ input: 'x'.repeat(3000), call }).catch(() => undefined);
        },
      });
    for (const call of [() => Promise.resolve('fine'), () => Promise.reject(new Error('no'))]) {
      const agent = scriptedAgent([{ text: 'ok' }], { hooks: [hook(call)] });
      const state = await createAgentLoop(agent).execute(ask());
      expect(AgentState.usage(state)).toMatchObject({ isEstimated: true });
      expect(AgentState.usage(state).inputTokens).toBeGreaterThanOrEqual(1000);
    }
  });

  it('the spending of a hook is kept when its step never runs', async () => {
    const hook = defineHook({
      name: 'check',
      on: 'before-step',
      async run(_state, ctx) {
        await ctx.callModel({
          input: 'x',
          call: () => 'y',
          usageOf: () => ({ inputTokens: 90, outputTokens: 9 }),
        });
      },
    });
    const agent = scriptedAgent([{ text: 'ok' }], { hooks: [hook], budget: { maxTokens: 50 } });
    const state = await createAgentLoop(agent).execute(ask());
    expect([AgentState.stepCount(state), AgentState.usage(state).totalTokens]).toEqual([0, 99]);
    expect(AgentState.stopReason(state)).toBe('token-limit-reached');
  });
});

describe('the steps of a whole tree of agents', () => {
  const look = fakeTool('look', 'nothing');
  const child = scriptedAgent([calling('look')], { name: 'child', tools: [look], budget: { maxSteps: 50 } });
  const delegate = { name: 'delegate', input: { agent: 'child', task: 'x' } };
  const stepsIn = (state: State): number =>
    AgentState.steps(state).reduce(
      (sum, { toolExecutions }) =>
        toolExecutions.reduce(
          (below, { childState }) => below + (childState ? stepsIn(childState) : 0),
          sum + 1,
        ),
      0,
    );

  it.each([1, 2, 5, 9])(
    'a tree with maxTotalSteps %d takes exactly that many steps, side by side',
    async (most) => {
      const agent = scriptedAgent([{ toolCalls: [delegate, delegate, delegate] }], {
        subagents: [child],
        subagentPolicy: { maxTotalSteps: most },
      });
      const state = await createAgentLoop(agent).execute(ask());
      expect(stepsIn(state)).toBe(most);
      expect(AgentState.stopSignal(state)).toMatchObject({
        reason: 'steps-limit-reached',
        source: 'ledger',
        context: { totalSteps: most, maxTotalSteps: most },
      });
    },
  );

  it('each agent counts its own steps without maxTotalSteps', async () => {
    const agent = scriptedAgent([{ toolCalls: [delegate] }, { text: 'ok' }], {
      subagents: [
        scriptedAgent([calling('look')], { name: 'child', tools: [look], budget: { maxSteps: 4 } }),
      ],
      budget: { maxSteps: 2 },
    });
    const state = await createAgentLoop(agent).execute(ask());
    expect([AgentState.status(state), stepsIn(state)]).toEqual(['completed', 6]);
  });

  it('a resumed run continues with the remaining steps', async () => {
    const agent = scriptedAgent([calling('look')], { tools: [look], subagentPolicy: { maxTotalSteps: 4 } });
    let state = ask();
    for await (const between of createAgentLoop(agent).iterate(state)) {
      state = between;
      if (AgentState.stepCount(state) === 2) break;
    }
    const read = AgentState.fromJSON(AgentState.toJSON(state));
    const end = await createAgentLoop(agent).execute(read);
    expect(AgentState.stepCount(end)).toBe(4);
    const again = await createAgentLoop(agent).execute(AgentState.withUserMessage(end, 'Again'));
    expect(AgentState.stepCount(again)).toBe(4);
  });

  it.each(['inference-start', 'inference-end', 'tool-start'])(
    'a run that a reload cuts in its second step, at %s, counts that step once',
    async (cut) => {
      const agent = scriptedAgent([calling('look')], {
        tools: [look],
        subagentPolicy: { maxTotalSteps: 4 },
      });
      const states: State[] = [];
      const onEvent = ({ type }: AgentEvent, state: State): void => {
        if (type === cut) states.push(state);
      };
      await createAgentLoop(agent, { onEvent }).execute(ask());
      const read = AgentState.fromJSON(AgentState.toJSON(states[1]!));
      const end = await createAgentLoop(agent).execute(read);
      expect([AgentState.stepCount(end), AgentState.stopSignal(end)?.context]).toEqual([
        4,
        { totalSteps: 4, maxTotalSteps: 4 },
      ]);
    },
  );
});

describe('the budget of a session', () => {
  const look = fakeTool('look', 'nothing');
  const step = calling('look', { usage: { inputTokens: 9, outputTokens: 1, cost: 0.01 } });
  const agent = scriptedAgent([step], {
    tools: [look],
    budget: { maxSteps: 3 },
    sessionBudget: { tokens: 70 },
  });

  it('all runs of a session share its budget, and a run without a rest names the budget as the source', async () => {
    let state = ask();
    const ends: unknown[] = [];
    for (let run = 0; run < 4; run++) {
      state = await createAgentLoop(agent).execute(state);
      const { reason, source } = AgentState.stopSignal(state)!;
      ends.push([reason, source, AgentState.stepCount(state)]);
      // Saves and loads the state, or drops its runs, as a stored session does.
      state = AgentState.fromJSON(AgentState.toJSON(run === 0 ? forNextExecution(state) : state));
      state = AgentState.withUserMessage(state, 'Go on');
    }
    expect(ends).toEqual([
      ['steps-limit-reached', 'budget', 3],
      ['steps-limit-reached', 'budget', 3],
      ['token-limit-reached', 'session-budget', 1],
      ['token-limit-reached', 'session-budget', 0],
    ]);
  });

  it('the money of a session is limited the same way, and counts prices that were unknown before', async () => {
    const dear = { ...agent, sessionBudget: { tokens: null, cost: 0.05 } };
    let state = await createAgentLoop(dear).execute(ask());
    state = await createAgentLoop(dear).execute(AgentState.withUserMessage(state, 'Go on'));
    expect([AgentState.stopReason(state), AgentState.stepCount(state)]).toEqual(['cost-limit-reached', 2]);
    const unpriced = scriptedAgent([{ text: 'x', usage: { inputTokens: 1, outputTokens: 1 } }], {
      sessionBudget: { cost: 5 },
    });
    const first = await createAgentLoop(unpriced).execute(ask());
    expect(AgentState.status(first)).toBe('completed');
    const second = await createAgentLoop(unpriced).execute(AgentState.withUserMessage(first, 'Again'));
    expect(AgentState.stopSignal(second)).toMatchObject({
      reason: 'cost-limit-reached',
      source: 'session-budget',
    });
  });
});
