import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../agent/define-agent.ts';
import * as Budget from '../graph/limits/execution-budget.ts';
import { AgentStopError } from '../graph/agent-stop-error.ts';
import * as StopSignal from '../graph/stop-signal.ts';
import type { AgentEvent } from './events.ts';
import { guard } from '../agent/guards/guard.ts';
import { defineHook } from '../agent/hook.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { scriptedInference, type ScriptedEntry } from '../testing/scripted-inference.ts';
import * as Message from '../graph/message.ts';
import * as AgentState from '../faces/agent-state.ts';
import * as AgentStep from '../graph/agent-step.ts';
import { asked, collect, scriptedAgent } from '../testing/fixtures.ts';
import { defineTool, type Tool } from '../agent/tool.ts';
import { createAgentLoop } from './create-agent-loop.ts';
import { type EventAddress, eventAddress } from './event-address.ts';

const ok = defineTool({ name: 'ok', description: 'Answers ok', input: z.object({}), execute: () => 'ok' });
const bad = defineTool({
  name: 'bad',
  description: 'Fails',
  input: z.object({}),
  execute: () => Promise.reject(new Error('bad')),
});
const call = (name = 'ok', input = {}): ScriptedEntry => ({ toolCalls: [{ name, input }] });
const final = (text = 'done'): ScriptedEntry => ({ text });
const tools = [ok, bad];

describe('a run', () => {
  it('case 43: ends with the final answer', async () => {
    const state = await createAgentLoop(scriptedAgent([final('Hello')])).execute(asked());
    expect([
      AgentState.status(state),
      AgentState.stepCount(state),
      AgentState.lastStepType(state),
      AgentState.stopReason(state),
    ]).toEqual(['completed', 1, 'final-response', 'completed']);
    expect(state.executionCount).toBe(1);
  });

  it('case 44: hands the result of a tool to the next step', async () => {
    const requests: InferenceRequest[] = [];
    const script: ScriptedEntry[] = [call(), (request) => (requests.push(request), final() as never)];
    const state = await createAgentLoop(scriptedAgent(script, { tools })).execute(asked());
    expect(AgentState.steps(state).map(AgentStep.type)).toEqual(['tool-execution', 'final-response']);
    expect(requests[0]?.messages.at(-1)?.parts[0]).toMatchObject({
      type: 'tool-result',
      output: 'ok',
      outcome: 'completed',
    });
  });

  it('case 45: yields a state after every step', async () => {
    const states = await collect(
      createAgentLoop(scriptedAgent([call(), call(), final()], { tools })).iterate(asked()),
    );
    expect(states.map(AgentState.stepCount)).toEqual([1, 2, 3]);
    expect(states.map(AgentState.status)).toEqual(['in-progress', 'in-progress', 'completed']);
    expect(states.map(AgentState.currentStep)).toEqual([null, null, null]);
  });

  it('case 47: that is cancelled beforehand never calls the model', async () => {
    const model = vi.fn(final);
    const loop = createAgentLoop(scriptedAgent([model as never]));
    const states = await collect(loop.iterate(asked(), { signal: AbortSignal.abort() }));
    expect(states).toHaveLength(1);
    expect([
      AgentState.status(states[0]!),
      AgentState.stepCount(states[0]!),
      AgentState.stopReason(states[0]!),
    ]).toEqual(['stopped', 0, 'user-requested']);
    expect(model).not.toHaveBeenCalled();
  });

  it('case 49: after a finished one is a new execution', async () => {
    const loop = createAgentLoop(scriptedAgent([final()]));
    const first = await loop.execute(asked());
    const second = await loop.execute(AgentState.withUserMessage(first, 'Again'));
    expect(second.execution?.executionId).not.toBe(first.execution?.executionId);
    expect([AgentState.stepCount(second), second.executionCount]).toEqual([1, 2]);
    expect(AgentState.messages(second)).toHaveLength(4);
  });

  it('case 51: stops at once on a signal that stands already', async () => {
    const pending = AgentState.withStopSignal(asked(), StopSignal.userRequested());
    const state = await createAgentLoop(scriptedAgent([final()])).execute(pending);
    expect([AgentState.status(state), AgentState.stepCount(state)]).toEqual(['stopped', 0]);
    expect(state.execution?.executionId).toBe(pending.execution?.executionId);
  });

  it("case 56 and 57: uses the definition's model unless the state has its own", async () => {
    const models: (string | null)[] = [];
    const script: ScriptedEntry[] = [(request) => (models.push(request.model), final() as never)];
    const loop = createAgentLoop(scriptedAgent(script, { llmConfig: { model: 'd' } }));
    const state = await loop.execute(asked());
    await loop.execute(AgentState.withLlmConfig(asked(), { model: 'state-model', settings: {} }));
    expect(models).toEqual(['d', 'state-model']);
    expect(state.llmConfig).toBeNull();
  });

  it('case 181: that was left in the middle goes on under the same id', async () => {
    const loop = createAgentLoop(scriptedAgent([call(), call(), final()], { tools }));
    for await (const state of loop.iterate(asked())) {
      const restored = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
      const ended = await loop.execute(restored);
      expect(AgentState.stepCount(ended)).toBe(3);
      expect(ended.execution?.executionId).toBe(state.execution?.executionId);
      expect(ended.executionCount).toBe(1);
      break;
    }
  });

  it('keeps what has come in of an answer when it is stopped', async () => {
    const controller = new AbortController();
    const agent = scriptedAgent([{ text: 'abcdef', chunks: 6, delayMs: 5 }]);
    const loop = createAgentLoop(agent, {
      onEvent: (event) => event.type === 'text-delta' && event.delta === 'c' && controller.abort('enough'),
    });
    const state = await loop.execute(asked(), { signal: controller.signal });
    expect([AgentState.status(state), AgentState.stopReason(state), AgentState.stepCount(state)]).toEqual([
      'stopped',
      'user-requested',
      1,
    ]);
    const last = AgentState.messages(state).at(-1)!;
    expect(Message.text(last)).toBe('abc');
    expect(last.metadata['incomplete']).toBe(true);
  });

  it('leaves a client behind that ignores its signal', async () => {
    const hanging = {
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) }),
    };
    const agent = defineAgent({
      name: 'a',
      systemPrompt: '',
      inference: hanging,
      budget: { maxSeconds: 0.05 },
    });
    const state = await createAgentLoop(agent).execute(asked());
    expect([AgentState.status(state), AgentState.stopReason(state)]).toEqual([
      'stopped',
      'time-limit-reached',
    ]);
  });
});

describe('a request to go on', () => {
  it('case 58: brings two steps more', async () => {
    let asks = 0;
    const hook = defineHook({
      name: 'more',
      on: 'after-step',
      run: (state) => (asks++ < 2 ? AgentState.withExecutionContinued(state) : state),
    });
    const state = await createAgentLoop(scriptedAgent([final()], { hooks: [hook] })).execute(asked());
    expect([AgentState.stepCount(state), AgentState.status(state)]).toEqual([3, 'completed']);
  });

  it('case 60: comes too late when the run is stopping', async () => {
    const hook = defineHook({
      name: 'late',
      on: 'on-stop',
      run: (state) => AgentState.withExecutionContinued(state),
    });
    const state = await createAgentLoop(scriptedAgent([final()], { hooks: [hook] })).execute(asked());
    expect(AgentState.stepCount(state)).toBe(1);
  });

  it('case 63: lets a step run whose signal it overrides, once', async () => {
    const hook = defineHook({
      name: 'both',
      on: 'before-step',
      run: (state) =>
        AgentState.withExecutionContinued(AgentState.withStopSignal(state, StopSignal.stopRequested())),
    });
    const state = await createAgentLoop(scriptedAgent([final()], { hooks: [hook] })).execute(asked());
    expect([AgentState.stepCount(state), AgentState.status(state)]).toEqual([1, 'completed']);
    expect(state.execution?.continuation.isContinuationRequested).toBe(false);
    expect(state.execution?.continuation.overridden).toHaveLength(1);
  });

  it('does not outlast an abort', async () => {
    const controller = new AbortController();
    const hook = defineHook({
      name: 'always',
      on: 'after-step',
      run: (state) => AgentState.withExecutionContinued(state),
    });
    const agent = scriptedAgent([final()], { hooks: [hook], budget: {} });
    const loop = createAgentLoop(agent, {
      onEvent: (event, current) => eventAddress(event, current)?.stepNumber === 5 && controller.abort(),
    });
    expect(AgentState.stopReason(await loop.execute(asked(), { signal: controller.signal }))).toBe(
      'user-requested',
    );
  });
});

describe('errors', () => {
  it('case 64: of the model fail the run', async () => {
    const events: AgentEvent[] = [];
    const onError = vi.fn((state: ReturnType<typeof asked>) => state);
    const agent = scriptedAgent([{ error: new Error('boom') }], {
      hooks: [defineHook({ name: 'e', on: 'on-error', run: onError })],
    });
    const state = await createAgentLoop(agent, { onEvent: (event) => events.push(event) }).execute(asked());
    expect(AgentState.status(state)).toBe('failed');
    expect(events.find((event) => event.type === 'error-record')).toMatchObject({
      error: { message: 'boom' },
    });
    expect(onError).toHaveBeenCalledTimes(1);
    expect(events.at(-1)).toMatchObject({ type: 'execution-end', status: 'failed' });
  });

  it('case 69 and 77: from which the model may recover leave the run as it ends', async () => {
    const limited = await createAgentLoop(
      scriptedAgent([call('bad')], { tools, budget: { maxSteps: 2 } }),
    ).execute(asked());
    expect([
      AgentState.status(limited),
      AgentState.stopReason(limited),
      AgentState.hasErrors(limited),
    ]).toEqual(['stopped', 'steps-limit-reached', true]);
    let asks = 0;
    const hook = defineHook({
      name: 'on',
      on: 'after-step',
      run: (state) => (asks++ < 1 ? AgentState.withExecutionContinued(state) : state),
    });
    const recovered = await createAgentLoop(
      scriptedAgent([{ error: new Error('x') }, final()], { hooks: [hook] }),
    ).execute(asked());
    expect([
      AgentState.status(recovered),
      AgentState.stepCount(recovered),
      AgentState.hasErrors(recovered),
    ]).toEqual(['completed', 2, true]);
  });

  it.each([
    [
      'case 72: a stop exception brings its own signal',
      new AgentStopError(StopSignal.of('user-requested', { message: 'm', context: { a: 1 }, source: 's' })),
      { reason: 'user-requested', message: 'm', context: { a: 1 }, source: 's' },
    ],
    ['case 76: without one it is stop-requested', new AgentStopError(), { reason: 'stop-requested' }],
  ])('%s', async (_title, error, signal) => {
    const hook = defineHook({ name: 'stop', on: 'before-step', run: () => Promise.reject(error) });
    const state = await createAgentLoop(scriptedAgent([final()], { hooks: [hook] })).execute(asked());
    expect(AgentState.stopSignal(state)).toMatchObject(signal);
    expect([AgentState.status(state), AgentState.stepCount(state)]).toEqual(['stopped', 0]);
  });

  it('case 73: a stop exception without words says its reason', () => {
    expect(new AgentStopError(StopSignal.userRequested()).message).toBe('user-requested');
  });

  it('are retried before the first delta, and then given up with a reason', async () => {
    const retry = { maxAttempts: 2, baseDelayMs: 1, maxDelayMs: 1 };
    const failing = { error: { message: 'busy', retryable: true } };
    const saved = await createAgentLoop(scriptedAgent([failing, final()], { retry })).execute(asked());
    expect(AgentState.status(saved)).toBe('completed');
    const lost = await createAgentLoop(scriptedAgent([failing], { retry })).execute(asked());
    expect([AgentState.status(lost), AgentState.stopReason(lost)]).toEqual([
      'stopped',
      'retry-limit-reached',
    ]);
  });
});

describe('budgets', () => {
  it.each([
    ['case 80: no steps', { maxSteps: 0 }, 0, 'steps-limit-reached'],
    ['case 82: ten tokens', { maxTokens: 10 }, 2, 'token-limit-reached'],
    ['case 82: eleven tokens', { maxTokens: 11 }, 3, 'token-limit-reached'],
    ['case 83: no tokens', { maxTokens: 0 }, 0, 'token-limit-reached'],
    ['case 87: two limits at once', { maxTokens: 5, maxSteps: 1 }, 1, 'steps-limit-reached'],
    ['a price', { maxCost: 0.00001 }, 2, 'cost-limit-reached'],
  ])('%s', async (_title, budget, steps, reason) => {
    const script: ScriptedEntry[] = [{ toolCalls: [{ name: 'ok', input: {} }], usage: { inputTokens: 5 } }];
    const llmConfig = { model: 'm', prices: { m: { input: 1, output: 1 } } };
    const state = await createAgentLoop(scriptedAgent(script, { tools, budget, llmConfig })).execute(asked());
    expect([AgentState.stepCount(state), AgentState.stopReason(state), AgentState.status(state)]).toEqual([
      steps,
      reason,
      'stopped',
    ]);
  });

  it('case 84: let an answer overshoot, and a last step answer', async () => {
    const over = scriptedAgent([{ text: 'x', usage: { inputTokens: 50 } }], { budget: { maxTokens: 5 } });
    expect(AgentState.status(await createAgentLoop(over).execute(asked()))).toBe('completed');
    const last = scriptedAgent([call(), final()], { tools, budget: { maxSteps: 2 } });
    expect(AgentState.status(await createAgentLoop(last).execute(asked()))).toBe('completed');
  });

  it('case 53 and 90: begin anew with every run', async () => {
    const loop = createAgentLoop(scriptedAgent([call()], { tools, budget: { maxSteps: 1 } }));
    const first = await loop.execute(asked());
    const second = await loop.execute(first);
    expect([AgentState.stepCount(second), AgentState.stopSignals(second).length]).toEqual([1, 1]);
  });

  it('case 95: end an agent without a budget after 20 steps', async () => {
    const state = await createAgentLoop(scriptedAgent([call()], { tools })).execute(asked());
    expect(AgentState.stepCount(state)).toBe(20);
  });

  it('case 91: know when they are empty or exhausted', () => {
    expect(Budget.isEmpty(Budget.unlimited())).toBe(true);
    expect(Budget.isExhausted(Budget.of({ maxCost: 0 }))).toBe(true);
    expect(Budget.isExhausted(Budget.of({ deadline: 1 }))).toBe(true);
    expect(Budget.isExhausted(Budget.unlimited())).toBe(false);
    expect(
      Budget.cappedBy(Budget.of({ maxSteps: 9, deadline: 5 }), Budget.of({ maxSteps: 3 })),
    ).toMatchObject({ maxSteps: 3, deadline: 5 });
    expect(Budget.remaining(Budget.of({ maxSteps: 3 }), { steps: 5 }).maxSteps).toBe(0);
  });

  it('end a run at its deadline, also in the middle of a call', async () => {
    const past = scriptedAgent([call()], { tools, budget: { deadline: Date.now() - 1 } });
    const before = await createAgentLoop(past).execute(asked());
    expect([AgentState.stepCount(before), AgentState.stopReason(before)]).toEqual([0, 'time-limit-reached']);
    const slow = scriptedAgent([{ text: 'abc', chunks: 3, delayMs: 30 }], {
      budget: { deadline: Date.now() + 50 },
    });
    const during = await createAgentLoop(slow).execute(asked());
    expect([AgentState.stepCount(during), AgentState.stopReason(during)]).toEqual([1, 'time-limit-reached']);
  });

  it('add to what a guard says', async () => {
    const stop = guard('mine', (state) =>
      AgentState.stepCount(state) >= 2 ? StopSignal.stopRequested({ message: 'enough' }) : null,
    );
    const state = await createAgentLoop(scriptedAgent([call()], { tools, hooks: [stop] })).execute(asked());
    expect(AgentState.stopSignal(state)).toMatchObject({ reason: 'stop-requested', source: 'mine' });
  });
});

describe('tools', () => {
  const failure = async (
    entry: ScriptedEntry,
    list: readonly Tool[] = tools,
  ): Promise<string | undefined> => {
    const state = await createAgentLoop(scriptedAgent([entry, final()], { tools: list })).execute(asked());
    expect(AgentState.status(state)).toBe('completed');
    return AgentState.steps(state)[0]?.toolExecutions[0]?.error?.message;
  };

  it('case 115: that do not exist are an error for the model', async () => {
    expect(await failure(call('nope'))).toMatch(/"nope" not found. Available: ok, bad/);
  });

  it('case 116 and 117: are not called with wrong arguments', async () => {
    const execute = vi.fn(() => 1);
    const typed = defineTool({ name: 'typed', description: '', input: z.object({ b: z.number() }), execute });
    expect(await failure(call('typed', { a: 1 }), [typed])).toMatch(/Missing required parameters: b/);
    expect(await failure(call('typed', { b: 'x' }), [typed])).toMatch(/b: .*number/);
    expect(execute).not.toHaveBeenCalled();
  });

  it('case 118: keep call order however long each takes', async () => {
    const slow = defineTool({
      name: 'slow',
      description: '',
      input: z.object({ ms: z.number() }),
      execute: ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms)),
    });
    const toolCalls = [30, 0, 10].map((ms) => ({ name: 'slow', input: { ms } }));
    const state = await createAgentLoop(scriptedAgent([{ toolCalls }, final()], { tools: [slow] })).execute(
      asked(),
    );
    const results = AgentState.messages(state).flatMap((message) =>
      message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.output] : [])),
    );
    expect(results).toEqual([30, 0, 10]);
  });

  it('wait for approval, survive a reload, and go on in the same step', async () => {
    const execute = vi.fn(({ n }: { n: number }) => n * 2);
    const risky = defineTool({
      name: 'risky',
      description: '',
      input: z.object({ n: z.number() }),
      needsApproval: true,
      execute,
    });
    const script: ScriptedEntry[] = [
      {
        toolCalls: [
          { name: 'risky', input: { n: 1 } },
          { name: 'ok', input: {} },
        ],
      },
      final(),
    ];
    const agent = scriptedAgent(script, { tools: [risky, ok] });
    const paused = await createAgentLoop(agent).execute(asked());
    expect(AgentState.status(paused)).toBe('in-progress');
    expect(AgentState.currentStep(paused)?.toolExecutions.map((entry) => entry.status)).toEqual([
      'awaiting-approval',
      'completed',
    ]);
    const restored = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(paused))));
    const pending = AgentState.pendingApprovals(restored)[0]!;
    const done = await createAgentLoop(agent).execute(
      AgentState.withApproval(restored, pending.toolCall.id, { input: { n: 21 } }),
    );
    expect(AgentState.status(done)).toBe('completed');
    expect(AgentState.steps(done)[0]?.toolExecutions[0]?.result).toBe(42);
    expect(AgentState.steps(done)[0]?.id).toBe(AgentState.currentStep(paused)?.id);
    expect(execute).toHaveBeenCalledTimes(1);
    const refused = await createAgentLoop(scriptedAgent([final()], { tools: [risky, ok] })).execute(
      AgentState.withRejection(restored, pending.toolCall.id, { reason: 'no' }),
    );
    expect(AgentState.steps(refused)[0]?.toolExecutions[0]).toMatchObject({
      status: 'rejected',
      error: { message: expect.stringContaining('no') },
    });
  });

  it('that were running when the page went away are interrupted, unless they may be repeated', async () => {
    for (const [effects, expected] of [
      ['once', 'interrupted'],
      ['idempotent', 'completed'],
    ] as const) {
      const tool = defineTool({
        name: 'ok',
        description: '',
        input: z.object({}),
        effects,
        execute: () => 'ok',
      });
      let caught: ReturnType<typeof asked> | null = null;
      const agent = scriptedAgent([call(), final()], { tools: [tool] });
      await createAgentLoop(agent, {
        onEvent: (event, current) => void (event.type === 'tool-start' && (caught = current)),
      }).execute(asked());
      const resumed = await createAgentLoop(scriptedAgent([final()], { tools: [tool] })).execute(caught!);
      expect(AgentState.steps(resumed)[0]?.toolExecutions[0]?.status).toBe(expected);
      expect(AgentState.status(resumed)).toBe('completed');
    }
  });
});

describe('subagents', () => {
  const child = (script: ScriptedEntry[], init = {}): ReturnType<typeof scriptedAgent> =>
    scriptedAgent(script, { name: 'child', systemPrompt: 'C', ...init });
  const delegate: ScriptedEntry = {
    toolCalls: [{ name: 'delegate', input: { agent: 'child', task: 'Look' } }],
  };

  it('case 139 and 140: answer with their final text only, from a state of their own', async () => {
    const agent = scriptedAgent([delegate, final()], { subagents: [child([{ text: 'I found 3 issues' }])] });
    const state = await createAgentLoop(agent).execute(asked());
    const execution = AgentState.steps(state)[0]!.toolExecutions[0]!;
    expect(execution.result).toBe('I found 3 issues');
    expect(execution.childState).toMatchObject({ parentAgentId: state.agentId, executionCount: 1 });
    expect(JSON.stringify(AgentState.messages(state))).not.toContain('Look"}]');
  });

  it('case 145 and 146: that fail or are stopped say so and why', async () => {
    const outcome = async (kid: ReturnType<typeof child>): Promise<string | undefined> => {
      const state = await createAgentLoop(scriptedAgent([delegate, final()], { subagents: [kid] })).execute(
        asked(),
      );
      return AgentState.steps(state)[0]?.toolExecutions[0]?.error?.message;
    };
    expect(await outcome(child([{ error: new Error('no disk') }]))).toMatch(/"child" failed: no disk/);
    expect(await outcome(child([call()], { tools, budget: { maxSteps: 1 } }))).toMatch(
      /was stopped: steps-limit-reached/,
    );
  });

  it('charge what they spend to their parent', async () => {
    const kid = child([{ toolCalls: [{ name: 'ok', input: {} }], usage: { inputTokens: 10 } }], {
      tools,
      budget: {},
    });
    const state = await createAgentLoop(
      scriptedAgent([delegate, final()], { subagents: [kid], budget: { maxSteps: 4 } }),
    ).execute(asked());
    expect(AgentState.stepCount(AgentState.steps(state)[0]!.toolExecutions[0]!.childState!)).toBe(20);
    expect(AgentState.usage(state).totalTokens).toBe(200);
  });
});

describe('structured output', () => {
  it('is sent back until it fits, and comes out typed', async () => {
    const schema = z.object({ n: z.number() });
    const agent = scriptedAgent([{ text: 'nope' }, { text: '{"n":"x"}' }, { text: '{"n":3}' }], {
      responseFormat: schema,
    });
    const { finalOutput } = await import('./step/structured-output.ts');
    const state = await createAgentLoop(agent).execute(asked());
    expect(finalOutput(state, schema).n).toBe(3);
    expect(AgentState.stepCount(state)).toBe(3);
  });
});

describe('events', () => {
  it('case 183 and 187: carry their address and end with one terminal event', async () => {
    const events: AgentEvent[] = [];
    const addresses: ({ type: string } & Partial<EventAddress>)[] = [];
    const state = await createAgentLoop(scriptedAgent([call(), final()], { tools }), {
      onEvent(event, current) {
        events.push(event);
        addresses.push({ type: event.type, ...eventAddress(event, current) });
      },
    }).execute(asked());
    expect(
      addresses.every(
        ({ agentId, executionId }) =>
          agentId === state.agentId && executionId === state.execution?.executionId,
      ),
    ).toBe(true);
    expect(addresses.flatMap(({ type, stepNumber }) => (type === 'step-end' ? [stepNumber] : []))).toEqual([
      1, 2,
    ]);
    expect(events.filter((event) => event.type === 'execution-end')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('execution-end');
  });

  it('reach a stream with the state after each', async () => {
    const events = await collect(createAgentLoop(scriptedAgent([{ text: 'ab', chunks: 2 }])).stream(asked()));
    const deltas = events.flatMap(({ event, state }) =>
      event.type === 'text-delta' ? [[event.delta, AgentState.currentResponse(state)]] : [],
    );
    expect(deltas).toEqual([
      ['a', 'a'],
      ['b', 'ab'],
    ]);
  });

  it('do not let a listener break the run', async () => {
    const loop = createAgentLoop(scriptedAgent([final()]), {
      onEvent: () => {
        throw new Error('listener');
      },
    });
    expect(AgentState.status(await loop.execute(asked()))).toBe('completed');
  });
});

describe('the trace of tools', () => {
  it('stands apart when the agent wants it so', async () => {
    const agent = scriptedAgent([call(), final('done')], { tools, toolTrace: 'separate' });
    const state = await createAgentLoop(agent).execute(asked());
    expect(AgentState.messages(state).map((message) => message.role)).toEqual(['user', 'assistant']);
    expect(state.context.store.sections.find(({ name }) => name === 'execution_buffer')?.messages).toEqual(
      [],
    );
  });

  it('of earlier runs is not sent again', async () => {
    const requests: InferenceRequest[] = [];
    const script: ScriptedEntry[] = [
      call(),
      final('one'),
      (request) => (requests.push(request), final() as never),
    ];
    const agent = defineAgent({ name: 'a', systemPrompt: '', inference: scriptedInference(script), tools });
    const first = await createAgentLoop(agent).execute(asked());
    await createAgentLoop(agent).execute(AgentState.withUserMessage(first, 'Next'));
    expect(requests[0]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
  });
});
