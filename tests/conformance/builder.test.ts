import { AgentState, createAgentLoop, Message, MessageStore, summarizeHistory } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import { asked, call, calls, expectRun, final, scripted } from './fixtures.ts';

describe('a cancellation', () => {
  it('194 during step 1 lets that step end, and step 2 never starts; the next run is free', async () => {
    const controller = new AbortController();
    const { state, events } = await expectRun(
      [calls('ok', 'ok')],
      { toolConcurrency: 1 },
      {
        signal: controller.signal,
        onEvent: ({ type }) => type === 'step-end' && controller.abort('cancelled'),
      },
    ).toEnd('stopped', 'user-requested', { steps: 1, modelCalls: 1 });
    expect(AgentState.steps(state)[0]?.toolExecutions.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
    expect(events.filter(({ type }) => type === 'step-start')).toHaveLength(1);
    expect(AgentState.stopSignals(state)).toMatchObject([{ message: 'cancelled' }]);
    await expectRun([final()], {}, { state }).toEnd('completed', 'completed', { steps: 1 });
  });

  it('194 during a call ends it as far as it came', async () => {
    const controller = new AbortController();
    const { state } = await expectRun(
      [calls('ok', 'bad')],
      { toolConcurrency: 1 },
      {
        signal: controller.signal,
        onEvent: ({ type }) => type === 'tool-start' && controller.abort(),
      },
    ).toEnd('stopped', 'user-requested', { steps: 1, modelCalls: 1 });
    const statuses = AgentState.steps(state)[0]?.toolExecutions.map(({ status }) => status);
    expect(statuses).toEqual(['interrupted', 'interrupted']);
  });
});

describe('a summary', () => {
  it('196 a summary is made of the old summary and the full buffer, which is emptied', async () => {
    const inputs: string[] = [];
    const hook = summarizeHistory({
      maxTokens: 2,
      maxBufferTokens: 1,
      countTokens: () => 1,
      summarize({ summary, messages }) {
        inputs.push(`${summary}+${messages.map(Message.text).join()}`);
        return `S${inputs.length}`;
      },
    });
    const loop = createAgentLoop(scripted([final('answer')], { hooks: [hook] }));
    const messages = ['1', '2', '3', '4'].map((text) => Message.user(text));
    const first = await loop.execute(AgentState.create({ messages }));
    const more = AgentState.withUserMessage(AgentState.withUserMessage(first, '5'), '6');
    const second = await loop.execute(more);
    expect(inputs).toEqual(['+1,2', 'S1+3,4,answer']);
    const { store } = second.context;
    expect(MessageStore.section(store, 'buffer')).toEqual([]);
    expect(MessageStore.section(store, 'summary').map(Message.text)).toEqual(['S2']);
  });
});

describe('a definition', () => {
  it('204 used twice gives two independent loops, and a copy may have another model', async () => {
    const agent = scripted([call(), final('one')]);
    const [a, b] = [createAgentLoop(agent), createAgentLoop(agent)];
    const first = await a.execute(asked());
    expect([AgentState.stepCount(first), AgentState.finalResponse(first)]).toEqual([2, 'one']);
    // A script is a model with a memory: what remains of it is the second loop's.
    const second = await b.execute(asked());
    expect([AgentState.status(second), AgentState.finalResponse(second)]).toEqual(['completed', 'one']);
    expect(second.agentId).not.toBe(first.agentId);
    expect(AgentState.messages(second)).toHaveLength(2);
    const other = { ...agent, inference: scripted([final('two')]).inference };
    const third = await createAgentLoop(other).execute(asked());
    expect(AgentState.finalResponse(third)).toBe('two');
    expect(AgentState.finalResponse(await createAgentLoop(agent).execute(asked()))).toBe('one');
  });
});
