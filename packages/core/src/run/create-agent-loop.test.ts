import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../agent/define-agent.ts';
import * as StopSignal from '../graph/stop-signal.ts';
import { guard } from '../agent/guards/guard.ts';
import { defineHook } from '../agent/hook.ts';
import type { InferenceEvent, InferenceRequest } from '../model/inference-client.ts';
import { scriptedInference, type ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import * as Message from '../graph/message.ts';
import * as AgentState from './agent-state.ts';
import { ask, collect, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { defineTool } from '../agent/tool.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import { eventAddress } from './events.ts';

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

describe('a run that is stopped', () => {
  it('a stopped run keeps the part of the answer that has arrived', async () => {
    const controller = new AbortController();
    const agent = scriptedAgent([{ text: 'abcdef', chunks: 6, delayMs: 5 }]);
    const loop = createAgentLoop(agent, {
      onEvent: (event) => event.type === 'text-delta' && event.delta === 'c' && controller.abort('enough'),
    });
    const state = await loop.execute(ask(), { signal: controller.signal });
    expect([AgentState.status(state), AgentState.stopReason(state), AgentState.stepCount(state)]).toEqual([
      'stopped',
      'user-requested',
      1,
    ]);
    const last = AgentState.messages(state).at(-1)!;
    expect(Message.text(last)).toBe('abc');
    expect(last.metadata['incomplete']).toBe(true);
  });

  it('a stopped run does not wait for a client that ignores its signal', async () => {
    const hanging = {
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) }),
    };
    const agent = defineAgent({
      name: 'a',
      systemPrompt: '',
      inference: hanging,
      budget: { maxSeconds: 0.05 },
    });
    const state = await createAgentLoop(agent).execute(ask());
    expect([AgentState.status(state), AgentState.stopReason(state)]).toEqual([
      'stopped',
      'time-limit-reached',
    ]);
  });
});

describe('a request to continue', () => {
  it('a request to continue does not outlast an abort', async () => {
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
    expect(AgentState.stopReason(await loop.execute(ask(), { signal: controller.signal }))).toBe(
      'user-requested',
    );
  });
});

describe('an aborted run with a request to continue', () => {
  it('an aborted run begins no further step', async () => {
    const controller = new AbortController();
    const hook = defineHook({
      name: 'more',
      on: 'after-step',
      run: (state) => AgentState.withExecutionContinued(state),
    });
    const types: string[] = [];
    const loop = createAgentLoop(scriptedAgent([final()], { hooks: [hook] }), {
      onEvent({ type }) {
        types.push(type);
        if (type === 'continuation-request') controller.abort();
      },
    });
    const state = await loop.execute(ask(), { signal: controller.signal });
    expect(AgentState.stopReason(state)).toBe('user-requested');
    expect(types.filter((type) => type === 'step-start')).toHaveLength(1);
  });
});

describe('errors of the model', () => {
  it('an error before the first delta is retried, and the run then stops with a reason', async () => {
    const retry = { maxAttempts: 2, baseDelayMs: 1, maxDelayMs: 1 };
    const failing = { error: { message: 'busy', retryable: true } };
    const saved = await createAgentLoop(scriptedAgent([failing, final()], { retry })).execute(ask());
    expect(AgentState.status(saved)).toBe('completed');
    const lost = await createAgentLoop(scriptedAgent([failing], { retry })).execute(ask());
    expect([AgentState.status(lost), AgentState.stopReason(lost)]).toEqual([
      'stopped',
      'retry-limit-reached',
    ]);
  });

  it('an error after an empty delta is retried, because providers begin with one', async () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const busy = { type: 'error', code: 'upstream-unavailable', message: 'busy', retryable: true };
    const answers = [
      [{ type: 'text-delta', delta: '', partId: '0' }, busy],
      [
        { type: 'text-delta', delta: 'Hi', partId: '0' },
        { type: 'finish', finishReason: 'stop', usage },
      ],
    ];
    const inference = {
      async *stream() {
        yield* (answers.shift() ?? []) as InferenceEvent[];
      },
    };
    const retry = { maxAttempts: 2, baseDelayMs: 1, maxDelayMs: 1 };
    const state = await createAgentLoop(scriptedAgent([], { inference, retry })).execute(ask());
    expect([AgentState.status(state), AgentState.finalResponse(state)]).toEqual(['completed', 'Hi']);
  });
});

describe('the budgets of a run', () => {
  it('a deadline ends a run, also in the middle of a call', async () => {
    const past = scriptedAgent([call()], { tools, budget: { deadline: Date.now() - 1 } });
    const before = await createAgentLoop(past).execute(ask());
    expect([AgentState.stepCount(before), AgentState.stopReason(before)]).toEqual([0, 'time-limit-reached']);
    const slow = scriptedAgent([{ text: 'abc', chunks: 3, delayMs: 30 }], {
      budget: { deadline: Date.now() + 50 },
    });
    const during = await createAgentLoop(slow).execute(ask());
    expect([AgentState.stepCount(during), AgentState.stopReason(during)]).toEqual([1, 'time-limit-reached']);
  });

  it.each([
    [{ maxSeconds: 60, deadline: 50 }, /deadline/, 'deadline'],
    [{ maxSeconds: 0.05, deadline: 60_000 }, /0\.05 s/, 'maxSeconds'],
  ])(
    'the signal names the time limit that was reached first: %o',
    async ({ maxSeconds, deadline }, message, limit) => {
      const slow = scriptedAgent([{ text: 'abc', chunks: 3, delayMs: 30 }], {
        budget: { maxSeconds, deadline: Date.now() + deadline },
      });
      const signal = AgentState.stopSignal(await createAgentLoop(slow).execute(ask()));
      expect(signal).toMatchObject({ reason: 'time-limit-reached', message: expect.stringMatching(message) });
      expect(Object.keys(signal?.context ?? {})).toEqual([limit]);
    },
  );

  it('a budget signal is added to the signal of a guard', async () => {
    const stop = guard('mine', (state) =>
      AgentState.stepCount(state) >= 2 ? StopSignal.stopRequested({ message: 'enough' }) : null,
    );
    const state = await createAgentLoop(scriptedAgent([call()], { tools, hooks: [stop] })).execute(ask());
    expect(AgentState.stopSignal(state)).toMatchObject({ reason: 'stop-requested', source: 'mine' });
  });
});

describe('the tools of a run', () => {
  it('a tool call waits for approval, survives a reload, and continues in the same step', async () => {
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
    const paused = await createAgentLoop(agent).execute(ask());
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

  it('a tool call that ran when the page closed is interrupted, unless it may be repeated', async () => {
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
      let caught: ReturnType<typeof ask> | null = null;
      const agent = scriptedAgent([call(), final()], { tools: [tool] });
      await createAgentLoop(agent, {
        onEvent: (event, current) => void (event.type === 'tool-start' && (caught = current)),
      }).execute(ask());
      const resumed = await createAgentLoop(scriptedAgent([final()], { tools: [tool] })).execute(caught!);
      expect(AgentState.steps(resumed)[0]?.toolExecutions[0]?.status).toBe(expected);
      expect(AgentState.status(resumed)).toBe('completed');
    }
  });
});

describe('the subagents of a run', () => {
  const child = (script: ScriptedEntry[], init = {}): ReturnType<typeof scriptedAgent> =>
    scriptedAgent(script, { name: 'child', systemPrompt: 'C', ...init });
  const delegate: ScriptedEntry = {
    toolCalls: [{ name: 'delegate', input: { agent: 'child', task: 'Look' } }],
  };

  it('the spending of a subagent is charged to its parent', async () => {
    const kid = child([{ toolCalls: [{ name: 'ok', input: {} }], usage: { inputTokens: 10 } }], {
      tools,
      budget: {},
    });
    const state = await createAgentLoop(
      scriptedAgent([delegate, final()], { subagents: [kid], budget: { maxSteps: 4 } }),
    ).execute(ask());
    expect(AgentState.stepCount(AgentState.steps(state)[0]!.toolExecutions[0]!.childState!)).toBe(20);
    expect(AgentState.usage(state).totalTokens).toBe(200);
  });
});

describe('the structured output of a run', () => {
  it('an output is sent back until it fits, and is typed', async () => {
    const schema = z.object({ n: z.number() });
    const agent = scriptedAgent([{ text: 'nope' }, { text: '{"n":"x"}' }, { text: '{"n":3}' }], {
      responseFormat: schema,
    });
    const { finalOutput } = await import('../agent/final-output.ts');
    const state = await createAgentLoop(agent).execute(ask());
    expect(finalOutput(state, schema).n).toBe(3);
    expect(AgentState.stepCount(state)).toBe(3);
  });
});

describe('the events of a run', () => {
  it('a stream yields every event with the state after it', async () => {
    const events = await collect(createAgentLoop(scriptedAgent([{ text: 'ab', chunks: 2 }])).stream(ask()));
    const deltas = events.flatMap(({ event, state }) =>
      event.type === 'text-delta' ? [[event.delta, AgentState.currentResponse(state)]] : [],
    );
    expect(deltas).toEqual([
      ['a', 'a'],
      ['b', 'ab'],
    ]);
  });

  it('a listener that throws does not break the run', async () => {
    const loop = createAgentLoop(scriptedAgent([final()]), {
      onEvent: () => {
        throw new Error('listener');
      },
    });
    expect(AgentState.status(await loop.execute(ask()))).toBe('completed');
  });
});

describe('the trace of tools', () => {
  it('a tool trace is kept separately when the agent asks for it', async () => {
    const agent = scriptedAgent([call(), final('done')], { tools, toolTrace: 'separate' });
    const state = await createAgentLoop(agent).execute(ask());
    expect(AgentState.messages(state).map((message) => message.role)).toEqual(['user', 'assistant']);
    expect(state.context.store.sections.find(({ name }) => name === 'execution_buffer')?.messages).toEqual(
      [],
    );
  });

  it('the tool trace of an earlier run is not sent again', async () => {
    const requests: InferenceRequest[] = [];
    const script: ScriptedEntry[] = [
      call(),
      final('one'),
      (request) => (requests.push(request), final() as never),
    ];
    const agent = defineAgent({ name: 'a', systemPrompt: '', inference: scriptedInference(script), tools });
    const first = await createAgentLoop(agent).execute(ask());
    await createAgentLoop(agent).execute(AgentState.withUserMessage(first, 'Next'));
    expect(requests[0]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
  });
});

describe('the state after a run', () => {
  it('the same environment gives the same state', async () => {
    const once = async (): Promise<string> => {
      const env = fixedEnv();
      const agent = scriptedAgent([call(), final()], { tools });
      return JSON.stringify(AgentState.toJSON(await createAgentLoop(agent, { env }).execute(ask('Hi', env))));
    };
    expect(await once()).toBe(await once());
  });

  it('a new state shares the branches that did not change', async () => {
    const state = await createAgentLoop(scriptedAgent([call(), final()], { tools })).execute(ask());
    const next = AgentState.withMetadata(state, { a: 1 });
    expect(next.execution).toBe(state.execution);
    expect(next.context.store).toBe(state.context.store);
    expect(AgentState.withUserMessage(state, 'x').execution).toBe(state.execution);
  });
});
