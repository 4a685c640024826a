import { describe, expect, it } from 'vitest';
import { AgentStopError } from '../../graph/agent-stop-error.ts';
import { of as signalOf } from '../../graph/stop-signal.ts';
import { stepCount, stopSignals } from '../../graph/agent-state/accessors.ts';
import { create } from '../../graph/agent-state/create.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import { assistant, type Message, text, tool, user } from '../../graph/message.ts';
import { section, withSection, compile } from '../../graph/message-store.ts';
import { ofCall } from '../../graph/tool-execution.ts';
import type { AgentState, AgentStep, ExecutionState } from '../../graph/types.ts';
import { of as stepOf } from '../../graph/agent-step.ts';
import { callGuarded } from '../../kit/async.ts';
import type { JsonValue } from '../../kit/json.ts';
import { systemEnv } from '../../graph/env.ts';
import { pending } from '../../graph/execution-state.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import type { Hook, HookContext, HookFields } from '../hook.ts';
import { finishReasonGuard, guard, repeatedCallGuard } from './guard.ts';
import { summarizeHistory, type SummarizeHistoryOptions } from './summarize-history.ts';

function context(
  point: HookContext['point'],
  fields: Partial<HookFields> = {},
  signal?: AbortSignal,
): HookContext {
  const ctx: HookContext = {
    point,
    agentName: 'a',
    stepNumber: 1,
    signal: signal ?? new AbortController().signal,
    env: systemEnv,
    inference: {
      stream: () => {
        throw new Error('No model is asked.');
      },
    },
    fields,
    replace: (field, value) => void Object.assign(fields, { [field]: value }),
    block: () => undefined,
    callModel: (call) =>
      callGuarded(
        {
          author: 'hook',
          signal: ctx.signal,
          timeoutMs: call.timeoutMs ?? null,
          schedule: systemEnv.schedule,
        },
        async () => call.call(ctx.signal),
      ),
  };
  return ctx;
}
const ask = async (hook: Hook, state: AgentState): Promise<readonly unknown[]> =>
  stopSignals(((await hook.run(state, context('after-step'))) as AgentState | undefined) ?? state);

/** A state whose execution has the given steps; the last one is in flight unless it is archived as well. */
function withSteps(steps: readonly AgentStep[], isInFlight = true): AgentState {
  const archived = (isInFlight ? steps.slice(0, -1) : steps).map((step) => ({
    id: step.id,
    step,
    continuation: { stopSignals: [], isContinuationRequested: false, overridden: [] },
    startedAt: 0,
    completedAt: 0,
    durationMs: 0,
  }));
  const base: ExecutionState = pending(systemEnv);
  const currentStep = isInFlight ? (steps.at(-1) ?? null) : null;
  return { ...create(), execution: { ...base, stepExecutions: archived, currentStep } };
}
const callsOf = (...calls: [string, JsonValue][]): AgentStep =>
  stepOf({
    toolExecutions: calls.map(([name, input], index) =>
      ofCall({ id: `${index}`, name, input, providerCallId: null }),
    ),
  });

describe('a guard for repeated calls', () => {
  const same = callsOf(['t', { a: 1, b: [2] }]);
  const stops = async (steps: AgentStep[], times?: number, isInFlight?: boolean): Promise<boolean> =>
    (await ask(repeatedCallGuard(times === undefined ? {} : { times }), withSteps(steps, isInFlight)))
      .length > 0;

  it('a repeated-call guard stops at the third consecutive call of one tool with equal arguments, in any key order', async () => {
    expect(await stops([same, same])).toBe(false);
    expect(await stops([same, same, callsOf(['t', { b: [2], a: 1 }])])).toBe(true);
    expect(await stops([same, same, same], 3, false)).toBe(true);
    expect(await ask(repeatedCallGuard(), withSteps([same, same, same]))).toMatchObject([
      { reason: 'stop-requested', source: 'repeated-call', context: { toolName: 't', times: 3 } },
    ]);
  });

  it('a repeated-call guard counts calls of one step, and starts again after another call or a step without calls', async () => {
    expect(await stops([callsOf(['t', 1], ['t', 1], ['t', 1])])).toBe(true);
    expect(await stops([callsOf(['t', 1], ['u', 1], ['t', 1]), callsOf(['t', 1])])).toBe(false);
    expect(await stops([callsOf(['t', 1]), callsOf(['t', 2]), callsOf(['t', 1])])).toBe(false);
    expect(await stops([callsOf(['t', 1], ['u', 1]), callsOf(['t', 1], ['t', 1])])).toBe(false);
    expect(await stops([same, same, stepOf(), same])).toBe(false);
    expect(await stops([stepOf()])).toBe(false);
    expect(await stops([same, same], 2)).toBe(true);
  });

  it('a repeated-call guard rejects meaningless counts', () => {
    for (const times of [1, 0, NaN, 2.5]) expect(() => repeatedCallGuard({ times })).toThrow(/times is/);
  });
});

describe('a guard for finish reasons', () => {
  it('a finish-reason guard examines the step in flight, else the last one', async () => {
    const response = { finishReason: 'length' } as InferenceResponse;
    const [cut, fine] = [stepOf({ inferenceResponse: response }), stepOf()];
    const stop = finishReasonGuard(['length']);
    expect(await ask(stop, withSteps([fine, cut]))).toHaveLength(1);
    expect(await ask(stop, withSteps([fine, cut], false))).toHaveLength(1);
    expect(await ask(stop, withSteps([cut, fine]))).toEqual([]);
  });
});

describe('a guard of an application', () => {
  it('a guard names itself in its signal, and in the error when it returns another value', async () => {
    expect(
      await ask(
        guard('mine', () => signalOf('stop-requested')),
        create(),
      ),
    ).toMatchObject([{ source: 'mine' }]);
    expect(
      await ask(
        guard('mine', () => undefined as never),
        create(),
      ),
    ).toEqual([]);
    await expect(
      ask(
        guard('mine', () => ({}) as never),
        create(),
      ),
    ).rejects.toThrow(/"mine" did not return a stop signal/);
  });
});

describe('a history with summaries', () => {
  const talk = (count: number): Message[] =>
    Array.from({ length: count }, (_, index) => (index % 2 ? assistant(`a${index}`) : user(`u${index}`)));
  const of = (messages: readonly Message[], summary: readonly Message[] = []): AgentState => {
    const state = create();
    const store = withSection(withSection(state.context.store, 'messages', messages), 'summary', summary);
    return { ...state, context: { ...state.context, store } };
  };
  const hookOf = (
    summarize: SummarizeHistoryOptions['summarize'],
    more: Partial<SummarizeHistoryOptions> = {},
  ): Hook => summarizeHistory({ maxTokens: 4, maxBufferTokens: 2, countTokens: () => 1, summarize, ...more });
  const step = async (hook: Hook, state: AgentState, signal?: AbortSignal): Promise<AgentState> =>
    (await hook.run(state, context('before-step', {}, signal))) as AgentState;
  const all = (state: AgentState): string[] => compile(state.context.store).map(text);

  it('a summarized history folds old messages into the summary, with their full content', async () => {
    const seen: string[] = [];
    const hook = hookOf(({ summary, messages }) => {
      seen.push(summary, ...messages.map(text));
      return 'new';
    });
    const after = await step(hook, of(talk(8), [user('one'), user('two')]));
    expect(seen).toEqual(['one\n\ntwo', 'u0', 'a1', 'u2', 'a3']);
    expect(all(after)).toEqual(['new', 'u4', 'a5', 'u6', 'a7']);
  });

  it('a summarized history keeps the last user message at any length', async () => {
    const hook = hookOf(() => 'short', { countTokens: () => 100, maxBufferTokens: 500 });
    expect(section((await step(hook, of(talk(7)))).context.store).map(text)).toEqual(['u6']);
  });

  it('a summarized history stays complete when a summary fails, is blank or late, and tries again', async () => {
    const errors: unknown[] = [];
    const answers: SummarizeHistoryOptions['summarize'][] = [
      () => {
        throw new Error('no');
      },
      () => ' ',
      () => undefined as never,
      () => new Promise<never>(() => undefined),
      () => 'at last',
    ];
    const hook = hookOf((input) => (answers.shift() as SummarizeHistoryOptions['summarize'])(input), {
      onError: (error) => errors.push(error),
      timeoutMs: 5,
    });
    let state = of(talk(8));
    for (let tries = 1; tries <= 4; tries++) {
      state = await step(hook, state);
      expect([errors.length, all(state)]).toEqual([tries, talk(8).map(text)]);
    }
    expect(section(state.context.store, 'buffer')).toHaveLength(4);
    expect(all(await step(hook, state))).toEqual(['at last', 'u4', 'a5', 'u6', 'a7']);
  });

  it('a summary in progress ends with the run that is stopped', async () => {
    const stop = new AbortController();
    const hook = hookOf(() => new Promise<never>(() => undefined));
    const running = step(hook, of(talk(8)), stop.signal);
    stop.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    const stopping = hookOf(() => {
      throw new AgentStopError(signalOf('stop-requested'));
    });
    await expect(step(stopping, of(talk(8)))).rejects.toThrow(AgentStopError);
  });

  it('a summarized history never separates a call from its results, and sizes each message once', async () => {
    const part = {
      type: 'tool-call' as const,
      toolCallId: 'c',
      toolName: 't',
      input: {},
      providerCallId: null,
    };
    const result = tool({ toolCallId: 'c', toolName: 't', output: 'x' });
    const messages = [user('u0'), assistant([part]), result, assistant('a3'), user('u4'), assistant('a5')];
    let asked = 0;
    const hook = hookOf(() => 'short', { maxBufferTokens: 9, countTokens: () => ++asked && 1 });
    const state = await step(hook, of(messages));
    expect(section(state.context.store)).toEqual(messages.slice(1));
    const before = asked;
    await step(hook, state);
    expect(asked).toBe(before);
  });

  it('a guard sees the finished steps with its default points, and not the step that is about to begin', async () => {
    const seen: string[] = [];
    const patient = guard('patient', (state, { point }) => {
      seen.push(`${point} ${stepCount(state)}`);
      return stepCount(state) >= 2 ? signalOf('stop-requested') : null;
    });
    const looping = fakeTool('loop', () => 1);
    const { state } = await expectRun([{ toolCalls: [{ name: 'loop', input: {} }] }], {
      tools: [looping],
      hooks: [patient],
    }).toEnd('stopped', 'stop-requested', { steps: 2 });
    expect(seen).toEqual(['before-step 0', 'after-step 1', 'before-step 1', 'after-step 2']);
    expect(stepCount(state)).toBe(2);
  });
});
