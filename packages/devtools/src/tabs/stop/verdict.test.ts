import { AgentState, createAgentLoop, defineAgent, defineTool, StopReason, StopSignal } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { texts } from '../../texts.ts';
import { cutShort, decidingBranch, verdict } from './verdict.ts';

describe('the verdict of a run', () => {
  it('the verdict names the winning signal of core for every pair of reasons', () => {
    for (const first of StopReason.stopReasons) {
      for (const second of StopReason.stopReasons) {
        const state = AgentState.withExecutionCompleted(
          [first, second].reduce(
            (current, reason) => AgentState.withStopSignal(current, StopSignal.of(reason)),
            AgentState.create(),
          ),
        );
        const winner = AgentState.stopReason(state)!;
        expect(verdict(state, null, texts)).toContain(
          winner === 'completed' ? 'It finished' : texts.reasons[winner],
        );
        expect(decidingBranch(state, [])).toBe(winner === 'completed' ? 'nothing-left' : 'stop-signals');
      }
    }
  });

  it('the verdict is one sentence for every reason and end of a run', () => {
    const sentences = (status: 'completed' | 'stopped' | 'failed'): Record<string, string> =>
      Object.fromEntries(
        StopReason.stopReasons.map((reason) => {
          const signal = StopSignal.of(reason, { message: 'So it was.', source: 'hook:x' });
          const state = AgentState.withStopSignal(
            AgentState.withExecutionStatus(AgentState.create(), status),
            signal,
          );
          return [reason, verdict(state, null, texts)];
        }),
      );
    expect([sentences('stopped'), sentences('completed'), sentences('failed')]).toMatchInlineSnapshot(`
      [
        {
          "completed": "It finished after 0 steps: So it was (raised by hook:x).",
          "cost-limit-reached": "It was stopped after 0 steps because it reached its cost limit: So it was (raised by hook:x).",
          "error-forbade": "It was stopped after 0 steps because of an error: So it was (raised by hook:x).",
          "finish-reason-received": "It was stopped after 0 steps because of the finish reason of the model: So it was (raised by hook:x).",
          "retry-limit-reached": "It was stopped after 0 steps because it reached its limit of retries: So it was (raised by hook:x).",
          "steps-limit-reached": "It was stopped after 0 steps because it reached its limit of steps: So it was (raised by hook:x).",
          "stop-requested": "It was stopped after 0 steps because a hook or a tool asked for it: So it was (raised by hook:x).",
          "time-limit-reached": "It was stopped after 0 steps because it reached its time limit: So it was (raised by hook:x).",
          "token-limit-reached": "It was stopped after 0 steps because it reached its token limit: So it was (raised by hook:x).",
          "unknown": "It was stopped after 0 steps because of an unspecified reason: So it was (raised by hook:x).",
          "user-requested": "It was stopped after 0 steps because a person asked for it: So it was (raised by hook:x).",
        },
        {
          "completed": "It finished after 0 steps: So it was (raised by hook:x).",
          "cost-limit-reached": "It finished after 0 steps because it reached its cost limit: So it was (raised by hook:x).",
          "error-forbade": "It finished after 0 steps because of an error: So it was (raised by hook:x).",
          "finish-reason-received": "It finished after 0 steps because of the finish reason of the model: So it was (raised by hook:x).",
          "retry-limit-reached": "It finished after 0 steps because it reached its limit of retries: So it was (raised by hook:x).",
          "steps-limit-reached": "It finished after 0 steps because it reached its limit of steps: So it was (raised by hook:x).",
          "stop-requested": "It finished after 0 steps because a hook or a tool asked for it: So it was (raised by hook:x).",
          "time-limit-reached": "It finished after 0 steps because it reached its time limit: So it was (raised by hook:x).",
          "token-limit-reached": "It finished after 0 steps because it reached its token limit: So it was (raised by hook:x).",
          "unknown": "It finished after 0 steps because of an unspecified reason: So it was (raised by hook:x).",
          "user-requested": "It finished after 0 steps because a person asked for it: So it was (raised by hook:x).",
        },
        {
          "completed": "It finished after 0 steps: So it was (raised by hook:x).",
          "cost-limit-reached": "It failed after 0 steps because it reached its cost limit: So it was (raised by hook:x).",
          "error-forbade": "It failed after 0 steps because of an error: So it was (raised by hook:x).",
          "finish-reason-received": "It failed after 0 steps because of the finish reason of the model: So it was (raised by hook:x).",
          "retry-limit-reached": "It failed after 0 steps because it reached its limit of retries: So it was (raised by hook:x).",
          "steps-limit-reached": "It failed after 0 steps because it reached its limit of steps: So it was (raised by hook:x).",
          "stop-requested": "It failed after 0 steps because a hook or a tool asked for it: So it was (raised by hook:x).",
          "time-limit-reached": "It failed after 0 steps because it reached its time limit: So it was (raised by hook:x).",
          "token-limit-reached": "It failed after 0 steps because it reached its token limit: So it was (raised by hook:x).",
          "unknown": "It failed after 0 steps because of an unspecified reason: So it was (raised by hook:x).",
          "user-requested": "It failed after 0 steps because a person asked for it: So it was (raised by hook:x).",
        },
      ]
    `);
    expect(verdict(AgentState.withExecutionStatus(AgentState.create(), 'stopped'), null, texts)).toBe(
      'It ended after 0 steps without a signal.',
    );
  });

  it('every reason has its own words, which do not contain its id', () => {
    const words = Object.entries(texts.reasons);
    expect(new Set(words.map(([, text]) => text)).size).toBe(StopReason.stopReasons.length);
    for (const [reason, text] of words) expect(text).not.toContain(reason);
  });

  it('the verdict says that a run has not ended', () => {
    expect(verdict(AgentState.create(), null, texts)).toBe('It has not run yet.');
    expect(verdict(AgentState.withExecutionStatus(AgentState.create(), 'in-progress'), null, texts)).toMatch(
      /in progress/,
    );
  });

  it('the verdict says what a run waits for and how many calls wait', async () => {
    const tool = (name: string, more: object): ReturnType<typeof defineTool> =>
      defineTool({ name, description: '', input: z.object({}), ...more } as never);
    const pay = tool('pay', { needsApproval: true, execute: () => 'paid' });
    const ask = tool('ask', {});
    const waiting = async (...names: string[]): Promise<string> => {
      const toolCalls = names.map((name) => ({ name, input: {} }));
      const agent = defineAgent({
        name: 'a',
        tools: [pay, ask],
        inference: scriptedInference([{ toolCalls }]),
      });
      const state = AgentState.withUserMessage(AgentState.create(), 'Go');
      return verdict(await createAgentLoop(agent).execute(state), null, texts);
    };
    expect(await waiting('pay')).toBe('It waits for your approval of a tool call.');
    expect(await waiting('pay', 'pay')).toBe('It waits for your approval of 2 tool calls.');
    expect(await waiting('ask')).toBe('It waits for your answer to a tool call.');
    expect(await waiting('pay', 'ask', 'ask')).toBe(
      'It waits for your approval of a tool call, and your answer to 2 tool calls.',
    );
  });
});

describe('an answer that is not whole', () => {
  it.each([
    ['length', 'It ended after 1 step, but the answer was cut at the length limit of the model.'],
    ['content-filter', 'It ended after 1 step, but the provider held back the rest of the answer.'],
    ['error', 'It ended after 1 step, but the model broke off its answer with an error.'],
    ['other', 'It ended after 1 step, but the model does not say that its answer is whole.'],
  ] as const)('an answer that ended with %s is not called final', async (finishReason, sentence) => {
    const agent = defineAgent({ name: 'a', inference: scriptedInference([{ text: 'Half', finishReason }]) });
    const state = await createAgentLoop(agent).execute(AgentState.withUserMessage(AgentState.create(), 'Hi'));
    expect(AgentState.stopSignal(state)?.message).not.toContain('final');
    expect(verdict(state, null, texts)).toBe(sentence);
    expect(cutShort(state)).toBe(finishReason);
  });

  it('a whole answer is called final', async () => {
    const agent = defineAgent({ name: 'a', inference: scriptedInference([{ text: 'All' }]) });
    const state = await createAgentLoop(agent).execute(AgentState.withUserMessage(AgentState.create(), 'Hi'));
    expect(verdict(state, null, texts)).toBe('It finished after 1 step: The model gave its final answer.');
    expect(cutShort(state)).toBeNull();
  });
});
