import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../agent/define-agent.ts';
import { defineTool } from '../agent/tool.ts';
import { errors, pendingApprovals, status, stepCount, stopReason } from '../graph/agent-state/accessors.ts';
import { create } from '../graph/agent-state/create.ts';
import { withExecutionContinued } from '../graph/agent-state/transitions.ts';
import { assistant, text, user } from '../graph/message.ts';
import { compile } from '../graph/message-store.ts';
import { scriptedInference, type ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import { runAgent } from '../agent-loop/run-agent.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const answering = (...script: ScriptedEntry[]): { inference: ReturnType<typeof scriptedInference> } => ({
  inference: scriptedInference(script),
});
const callAdd = { toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] };

describe('an agent run by runAgent', () => {
  it('runAgent returns the answer and the state after it', async () => {
    const agent = defineAgent({ tools: [add], ...answering(callAdd, { text: 'It is 3' }) });
    const types: string[] = [];
    const { text: answer, state } = await runAgent(agent, 'Add', { onEvent: ({ type }) => types.push(type) });
    expect([answer, status(state), stepCount(state)]).toEqual(['It is 3', 'completed', 2]);
    expect([types[0], types.at(-1)]).toEqual(['execution-start', 'execution-end']);
  });

  it('runAgent tells the status of the run, and the error that ended it', async () => {
    const broken = { error: { code: 'provider-error', message: 'It is down.', retryable: false } };
    const failed = await runAgent(defineAgent(answering(broken)), 'Hi');
    expect(failed).toMatchObject({ text: '', status: 'failed', error: { message: 'It is down.' } });
    const recovered = await runAgent(
      defineAgent({
        tools: [add],
        ...answering({ toolCalls: [{ name: 'none', input: {} }] }, { text: 'Yes' }),
      }),
      'Hi',
    );
    expect(errors(recovered.state)).toHaveLength(1);
    expect(recovered).toMatchObject({ text: 'Yes', status: 'completed', error: null });
  });

  it('an address without a host is not tried again outside of a page, and the error says what to give', async () => {
    const { status: ended, error } = await runAgent(defineAgent({ name: 'a' }), 'Hi');
    expect([ended, error?.code]).toEqual(['failed', 'proxy-unreachable']);
    expect(error?.message).toMatch(
      /^\/api\/v1\/inference is not an address .*outside of a page give inference:/,
    );
  });

  it('runAgent continues a conversation, and takes messages unchanged', async () => {
    const agent = defineAgent(answering({ text: 'one' }, { text: 'two' }));
    const first = await runAgent(agent, [user('a'), assistant('b'), user('c')]);
    const { state } = await runAgent(agent, user('d'), { state: first.state });
    expect(compile(state.context.store).map(text)).toEqual(['a', 'b', 'c', 'one', 'd', 'two']);
  });

  it('runAgent begins a pending execution and counts it once', async () => {
    const agent = defineAgent(answering({ text: 'one' }));
    const pending = withExecutionContinued(create());
    const { state } = await runAgent(agent, 'a', { state: pending });
    expect(state.execution?.executionId).toBe(pending.execution?.executionId);
    expect([pending.executionCount, state.executionCount]).toEqual([1, 1]);
    expect((await runAgent(agent, 'b', { state })).state.executionCount).toBe(2);
  });

  it('runAgent returns data of the requested schema, also when that validates asynchronously', async () => {
    const responseFormat = z.object({ n: z.number() });
    const slow = z.object({ n: z.number().refine(async (n) => Promise.resolve(n > 0)) });
    const script = answering({ text: '```json\n{"n":5}\n```' });
    expect((await runAgent(defineAgent({ responseFormat, ...script }), 'x')).output).toEqual({ n: 5 });
    expect((await runAgent(defineAgent({ responseFormat: slow, ...script }), 'x')).output).toEqual({ n: 5 });
    const wrong = await runAgent(defineAgent({ responseFormat, ...answering({ text: '{"n":"x"}' }) }), 'x');
    expect('output' in wrong).toBe(false);
    expect('output' in (await runAgent(defineAgent(answering({ text: '{}' })), 'x'))).toBe(false);
  });

  it('runAgent returns errors in the state, and rejects only when there is nothing to answer', async () => {
    const failing = defineAgent(answering({ error: new Error('no') }));
    const { text: answer, state } = await runAgent(failing, 'x');
    expect([answer, status(state), errors(state)[0]?.message]).toEqual(['', 'failed', 'no']);
    for (const input of ['', '  ', []]) {
      await expect(runAgent(failing, input)).rejects.toMatchObject({ code: 'message-invalid' });
    }
  });

  it('runAgent ends when it is aborted, and when a call waits for a person', async () => {
    const stop = new AbortController();
    const agent = defineAgent(answering({ text: 'long', delayMs: 10_000 }));
    const running = runAgent(agent, 'x', { signal: stop.signal });
    stop.abort();
    expect(stopReason((await running).state)).toBe('user-requested');
    const choose = defineTool({ name: 'choose', description: '', input: z.object({}), needsApproval: true });
    const asking = defineAgent({
      tools: [choose],
      ...answering({ toolCalls: [{ name: 'choose', input: {} }] }),
    });
    const { state } = await runAgent(asking, 'x');
    expect([status(state), pendingApprovals(state).length]).toEqual(['in-progress', 1]);
  });
});
