import { describe, expect, it } from 'vitest';
import * as Budget from '../graph/limits/execution-budget.ts';
import { AgentStopError } from '../graph/agent-stop-error.ts';
import * as StopSignal from '../graph/stop-signal.ts';
import type { AgentEvent } from './events.ts';
import { defineHook } from '../agent/hook.ts';
import * as Message from '../graph/message.ts';
import * as AgentState from '../faces/agent-state.ts';
import * as AgentStep from '../graph/agent-step.ts';
import { asked, collect, fixedEnv, scriptedAgent } from '../testing/fixtures.ts';
import { fakeTool } from '../testing/fake-tool.ts';
import { createAgentLoop } from './create-agent-loop.ts';

const final = { text: 'x' };
const call = { toolCalls: [{ name: 'ok', input: {} }] };
const tools = [fakeTool('ok', 'ok')];

describe('the state after a run', () => {
  it('case 13: is summed up by debug', async () => {
    const state = await createAgentLoop(scriptedAgent([{ ...final, usage: { inputTokens: 2 } }])).execute(
      asked(),
    );
    expect(AgentState.debug(state)).toMatchObject({
      status: 'completed',
      executionCount: 1,
      hasExecution: true,
      executionId: state.execution?.executionId,
      steps: 1,
      hasErrors: false,
      errors: [],
      continuation: expect.stringContaining('completed'),
      usage: { totalTokens: 2 },
    });
  });

  it('case 39: of equal signals reports that of the archived step', () => {
    const step = AgentState.withCurrentStep(
      AgentState.create(),
      AgentStep.of({ outputMessages: [Message.assistant('x')] }),
    );
    const archived = AgentState.withCurrentStepCompleted(
      AgentState.withStopSignal(step, StopSignal.of('user-requested', { source: 'step' })),
    );
    const both = AgentState.withStopSignal(
      archived,
      StopSignal.of('user-requested', { source: 'execution' }),
    );
    expect(AgentState.stopSource(both)).toBe('step');
  });

  it('case 174: keeps milliseconds', () => {
    const env = fixedEnv(1_767_225_600_123);
    const state = AgentState.withExecutionCompleted(AgentState.create({}, env), env);
    expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
    expect(state.execution?.startedAt).toBe(1_767_225_600_123);
  });

  it('is the same for the same environment', async () => {
    const once = async (): Promise<string> => {
      const env = fixedEnv();
      const agent = scriptedAgent([call, final], { tools });
      return JSON.stringify(
        AgentState.toJSON(await createAgentLoop(agent, { env }).execute(asked('Hi', env))),
      );
    };
    expect(await once()).toBe(await once());
  });

  it('shares what was not touched', async () => {
    const state = await createAgentLoop(scriptedAgent([call, final], { tools })).execute(asked());
    const next = AgentState.withMetadata(state, { a: 1 });
    expect(next.execution).toBe(state.execution);
    expect(next.context.store).toBe(state.context.store);
    expect(AgentState.withUserMessage(state, 'x').execution).toBe(state.execution);
  });
});

describe('a run', () => {
  it('case 66: records a prepared step when the model fails, once', async () => {
    const events: AgentEvent[] = [];
    const hook = defineHook({
      name: 'p',
      on: 'before-step',
      run: (state) => AgentState.withMetadata(state, { prepared: AgentState.currentStep(state)?.id ?? null }),
    });
    const loop = createAgentLoop(scriptedAgent([{ error: new Error('x') }], { hooks: [hook] }), {
      onEvent: (event) => events.push(event),
    });
    const state = await loop.execute(asked());
    expect([AgentState.status(state), AgentState.steps(state).map(({ id }) => id)]).toEqual([
      'failed',
      [state.context.metadata['prepared']],
    ]);
    expect(events.filter(({ type }) => type === 'step-end')).toHaveLength(1);
  });

  it('case 67: yields a state per step, the failed one last', async () => {
    const states = await collect(
      createAgentLoop(scriptedAgent([call, { error: { message: 'boom' } }], { tools })).iterate(asked()),
    );
    expect(states.map(AgentState.status)).toEqual(['in-progress', 'failed']);
  });

  it('case 85: is over time at its limit, not before, and never without a start', () => {
    const exceeded = (seconds?: number): ReturnType<typeof Budget.exceeded> =>
      Budget.exceeded(Budget.of({ maxSeconds: 60 }), seconds === undefined ? {} : { seconds }, 0);
    expect(exceeded(59.9)).toEqual([]);
    expect(exceeded(60)).toMatchObject([
      { reason: 'time-limit-reached', context: { elapsedSeconds: 60, maxSeconds: 60 } },
    ]);
    expect(exceeded()).toEqual([]);
  });

  it('case 112: with other hooks runs only those', async () => {
    const seen: string[] = [];
    const hook = (name: string): ReturnType<typeof defineHook> =>
      defineHook({ name, on: ['before-inference', 'before-tool-use'], run: () => void seen.push(name) });
    const agent = scriptedAgent([call, final], { tools, hooks: [hook('old')] });
    await createAgentLoop({ ...agent, hooks: [hook('new')] }).execute(asked());
    expect(seen).toEqual(['new', 'new', 'new']);
  });

  it('case 185: of a stop exception records the step and names the signal', async () => {
    const events: AgentEvent[] = [];
    const hook = defineHook({
      name: 's',
      on: 'after-inference',
      run: () =>
        Promise.reject(
          new AgentStopError(StopSignal.of('user-requested', { context: { a: 1 }, source: 's' })),
        ),
    });
    const state = await createAgentLoop(scriptedAgent([final], { hooks: [hook] }), {
      onEvent: (event) => events.push(event),
    }).execute(asked());
    expect(AgentState.stepCount(state)).toBe(1);
    expect(events.findLast((event) => event.type === 'continuation-evaluate')).toMatchObject({
      evaluation: {
        stepNumber: 1,
        shouldStop: true,
        winner: { reason: 'user-requested', context: { a: 1 }, source: 's' },
      },
    });
  });

  it('case 204: of a definition used twice behaves the same, and a copy may have another model', async () => {
    const agent = scriptedAgent([final], { llmConfig: { model: 'one' } });
    const [a, b] = [createAgentLoop(agent), createAgentLoop(agent)];
    const run = async (loop: typeof a): Promise<unknown> =>
      AgentState.finalResponse(await loop.execute(asked()));
    expect(await run(a)).toEqual(await run(b));
    const other = createAgentLoop({ ...agent, inference: scriptedAgent([{ text: 'y' }]).inference });
    expect(await run(other)).toBe('y');
  });
});
