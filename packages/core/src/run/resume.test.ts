import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../agent/define-agent.ts';
import { defineHook } from '../agent/hook.ts';
import * as PluginState from '../agent/plugin/plugin-state.ts';
import { defineTool } from '../agent/tool.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import * as AgentState from './agent-state.ts';
import { userRequested } from '../graph/stop-signal.ts';
import { text } from '../graph/message.ts';
import { none } from '../graph/usage.ts';
import type { AgentState as State } from '../graph/types.ts';
import type { InferenceClient } from '../model/inference-client.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { scriptedInference } from '@vitrine/testing/internal/scripted-inference';
import { askingTool, heldTool } from '@vitrine/testing/internal/session.fixture';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import type { AgentEvent } from './events.ts';
import { finalOutput } from '../agent/final-output.ts';
import { definePlugin } from '../features/define-plugin.ts';

const roundTrip = (state: State): State =>
  AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
const call = (name: string, input = {}) => ({ name, input });
const delegate = call('delegate', { agent: 'kid', task: 't' });

/** The state at an event, as a crash would leave it. */
async function crashedAt(agent: AgentDefinition, isThere: (event: AgentEvent) => boolean): Promise<State> {
  const controller = new AbortController();
  let found: State | null = null;
  await createAgentLoop(agent, {
    onEvent(event, state) {
      if (found !== null || !isThere(event)) return;
      found = state;
      controller.abort();
    },
  }).execute(ask(), { signal: controller.signal });
  return roundTrip(found ?? ask());
}

/** The state behind the charge of an interrupted call, as a second crash right there would leave it. */
async function interruptedAgain(agent: AgentDefinition, state: State): Promise<State> {
  const controller = new AbortController();
  let found: State | null = null;
  await createAgentLoop(agent, {
    onEvent(event, after) {
      if (event.type !== 'usage-charge') return;
      found ??= after;
      controller.abort();
    },
  }).execute(state, { signal: controller.signal });
  if (found === null) throw new Error('The interrupted call was not charged');
  return roundTrip(found);
}

describe('a run that is resumed after a crash', () => {
  it('a resumed run requests the interrupted answer with the same id, and another answer with a new id', async () => {
    const ids: (string | undefined)[] = [];
    const model = scriptedInference([
      { text: 'Hel' },
      { error: { message: 'busy', retryable: true } },
      { text: 'Hello' },
    ]);
    const inference: InferenceClient = {
      stream(request, options) {
        ids.push(options.inferenceId);
        return model.stream(request, options);
      },
    };
    const agent = defineAgent({ name: 'a', inference, retry: { baseDelayMs: 0 } });
    const state = await crashedAt(agent, ({ type }) => type === 'text-delta');
    const sent = AgentState.currentStep(state)?.sent?.inferenceId;
    const ended = await createAgentLoop(agent).execute(state);
    expect(ended.execution?.status).toBe('completed');
    expect([ids[0], ids[1]]).toEqual([sent, sent]);
    expect(ids).toHaveLength(3);
    expect(ids[2]).not.toBe(sent);
    expect(AgentState.lastStep(ended)?.sent?.inferenceId).toBe(ids[2]);
  });

  it('a resumed run requests a new answer when the proxy gave up its own, even with one attempt allowed', async () => {
    const ids: (string | undefined)[] = [];
    const halves: string[][] = [['Hel', 'lo'], ['Hel'], ['Hello', ' again']];
    const inference: InferenceClient = {
      async *stream(_request, options) {
        ids.push(options.inferenceId);
        const isWhole = ids.length === 3;
        for (const delta of halves[ids.length - 1] ?? []) yield { type: 'text-delta', delta };
        if (isWhole) yield { type: 'finish', finishReason: 'stop', usage: none() };
      },
    };
    const agent = defineAgent({ name: 'a', inference, retry: { maxAttempts: 1, baseDelayMs: 0 } });
    const state = await crashedAt(agent, ({ type }) => type === 'text-delta');
    const ended = await createAgentLoop(agent).execute(state);
    expect(AgentState.finalResponse(ended)).toBe('Hello again');
    expect(ended.execution?.status).toBe('completed');
    expect(ids).toEqual([ids[0], ids[0], expect.not.stringContaining(ids[0]!)]);
    // An answer that breaks off in the page that reads it is not requested again silently.
    ids.length = 0;
    const broken = await createAgentLoop(agent).execute(ask());
    expect([broken.execution?.status, ids.length]).toEqual(['failed', 1]);
  });

  describe('the usage of the interrupted answer', () => {
    const long = 'x'.repeat(3000);
    /** A model without usage figures; `continuesAnswers` is that of its client. */
    const talker = (calls: string[], continuesAnswers?: boolean): InferenceClient => ({
      ...(continuesAnswers === undefined ? {} : { continuesAnswers }),
      async *stream(_request, { inferenceId = '' }) {
        calls.push(inferenceId);
        yield { type: 'text-delta', delta: long };
        yield { type: 'text-delta', delta: long };
        yield { type: 'finish', finishReason: 'stop', usage: none() };
      },
    });
    const isDelta = ({ type }: AgentEvent): boolean => type === 'text-delta';
    const agentOf = (inference: InferenceClient, maxTokens: number): AgentDefinition =>
      defineAgent({ name: 'a', inference, budget: { maxTokens } });

    it('a resumed run charges it once, before another call, however often the run is interrupted', async () => {
      const agent = agentOf(talker([]), 100_000);
      const ended = await createAgentLoop(agent).execute(await crashedAt(agent, isDelta));
      expect(AgentState.usage(ended).outputTokens).toBe(1000 + 2000);
      expect(AgentState.usage(ended).isEstimated).toBe(true);
      const charged = await crashedAt(agent, isDelta);
      const again = await interruptedAgain(agent, charged);
      expect(AgentState.usage(await createAgentLoop(agent).execute(again)).outputTokens).toBe(1000 + 2000);
    });

    it('a budget that it uses up stops the run before another call, and keeps the part that came', async () => {
      const calls: string[] = [];
      const agent = agentOf(talker(calls), 900);
      const ended = await createAgentLoop(agent).execute(await crashedAt(agent, isDelta));
      expect(calls).toHaveLength(1);
      expect(AgentState.stopReason(ended)).toBe('token-limit-reached');
      expect(AgentState.messages(ended).map(text)).toContain(long);
    });

    it('a client that continues the answer is charged for the answer alone', async () => {
      const agent = agentOf(talker([], true), 100_000);
      const ended = await createAgentLoop(agent).execute(await crashedAt(agent, isDelta));
      expect(AgentState.usage(ended).outputTokens).toBe(2000);
    });

    it('a client that cannot continue the answer any more is charged for its part as well', async () => {
      const calls: string[] = [];
      const gone: InferenceClient = {
        continuesAnswers: true,
        async *stream(request, options) {
          if (calls.length !== 1) return yield* talker(calls).stream(request, options);
          calls.push('gone');
          yield {
            type: 'error',
            code: 'upstream-rate-limited',
            message: '',
            retryable: true,
            retryAfterMs: null,
          };
        },
      };
      const agent = defineAgent({ name: 'a', inference: gone, retry: { baseDelayMs: 0 } });
      const ended = await createAgentLoop(agent).execute(await crashedAt(agent, isDelta));
      expect(calls).toHaveLength(3);
      expect(AgentState.usage(ended).outputTokens).toBe(1000 + 2000);
    });
  });

  it('a resumed run still has the continuation request of a hook', async () => {
    const more = defineHook({
      name: 'more',
      on: 'after-step',
      run: (state) => (AgentState.stepCount(state) === 1 ? AgentState.withExecutionContinued(state) : state),
    });
    for (const type of ['step-end', 'continuation-evaluate'] as const) {
      const agent = scriptedAgent([{ text: 'One' }], { hooks: [more] });
      const isAfter = (event: AgentEvent): boolean =>
        event.type === type && !('evaluation' in event && event.evaluation.at === 'before-step');
      const state = await crashedAt(agent, isAfter);
      expect(state.execution?.continuation.isContinuationRequested).toBe(true);
      await expectRun([{ text: 'Two' }], { hooks: [more] }, { state }).toEnd('completed', 'completed', {
        steps: 2,
        modelCalls: 1,
        text: 'Two',
      });
    }
  });

  it('a resumed run does not run the before-execution hooks again', async () => {
    let begins = 0;
    const hooks = [defineHook({ name: 'begins', on: 'before-execution', run: () => void begins++ })];
    const agent = scriptedAgent([{ text: 'One' }], { hooks });
    const state = await crashedAt(agent, ({ type }) => type === 'inference-start');
    await expectRun([{ text: 'Two' }], { hooks }, { state }).toEnd('completed', 'completed', { text: 'Two' });
    expect(begins).toBe(1);
  });

  it('a resumed run receives its answer from the start in the same step, without the earlier half', async () => {
    const agent = scriptedAgent([{ text: 'Half and half', chunks: ['Half ', 'and half'] }]);
    const state = await crashedAt(agent, ({ type }) => type === 'text-delta');
    expect(AgentState.currentResponse(state)).toBe('Half ');
    const { state: end } = await expectRun([{ text: 'Whole' }], {}, { state }).toEnd(
      'completed',
      'completed',
      { steps: 1, text: 'Whole' },
    );
    expect(AgentState.lastStep(end)?.id).toBe(AgentState.currentStep(state)?.id);
  });

  it('a resumed run still sends back an answer that did not fit', async () => {
    const responseFormat = z.object({ n: z.number() });
    let saved: State | null = null;
    const agent = scriptedAgent([{ text: 'nope' }], { responseFormat });
    for await (const state of createAgentLoop(agent).iterate(ask())) {
      saved = roundTrip(state);
      break;
    }
    const { state } = await expectRun([{ text: '{"n":3}' }], { responseFormat }, { state: saved! }).toEnd(
      'completed',
      'completed',
      { steps: 2, modelCalls: 1 },
    );
    expect(finalOutput(state, responseFormat)).toEqual({ n: 3 });
  });

  it('a resumed run has the finished call behind a slower one, with its plugin writes', async () => {
    const counter = definePlugin({ id: 'counter', state: z.number(), initial: 0 });
    let runs = 0;
    const count = defineTool({
      name: 'count',
      description: '',
      input: z.object({}),
      execute(_input, ctx) {
        ctx.plugin(counter).update((n = 0) => n + 1);
        return ++runs;
      },
    });
    const { tool: slow } = heldTool('slow', { effects: 'once' });
    const init = { tools: [slow, count], plugins: [counter] };
    const agent = scriptedAgent([{ toolCalls: [call('slow'), call('count')] }], init);
    const state = await crashedAt(agent, ({ type }) => type === 'tool-end');
    expect(AgentState.currentStep(state)?.toolExecutions.map(({ status }) => status)).toEqual([
      'running',
      'completed',
    ]);
    expect(PluginState.get(state, counter)).toBe(1);
    const { state: end } = await expectRun([{ text: 'Done' }], init, { state }).toEnd(
      'completed',
      'completed',
    );
    expect(AgentState.steps(end)[0]?.toolExecutions).toMatchObject([
      { status: 'interrupted' },
      {
        status: 'completed',
        result: 1,
        pluginWrites: [{ pluginId: 'counter', fromRevision: 0, toRevision: 1 }],
      },
    ]);
    expect([runs, PluginState.get(end, counter), end.plugins['counter']?.revision]).toEqual([1, 1, 1]);
  });

  it('a resumed run counts once the usage of a subagent behind a slower call', async () => {
    const { tool: slow } = heldTool('slow', { effects: 'once' });
    const kid = scriptedAgent([{ text: 'x', usage: { inputTokens: 10 } }], { name: 'kid' });
    const init = { tools: [slow], subagents: [kid] };
    const agent = scriptedAgent([{ toolCalls: [call('slow'), delegate], usage: { inputTokens: 1 } }], init);
    const state = await crashedAt(agent, ({ type, path }) => type === 'tool-end' && path.length === 0);
    expect(AgentState.usage(state).totalTokens).toBe(11);
    await expectRun([{ text: 'Done' }], init, { state }).toEnd('completed', 'completed', { tokens: 11 });
  });
});

describe('a run that waits for a person', () => {
  const paying = (): { agent: AgentDefinition; runs: readonly unknown[] } => {
    const { tool, runs } = askingTool('pay');
    return {
      agent: scriptedAgent([{ toolCalls: [call('pay')] }, { text: 'Done' }], { tools: [tool] }),
      runs,
    };
  };

  it('a run that was stopped during its wait runs no approved tool', async () => {
    const { agent, runs } = paying();
    const { state: paused } = await expectRun(agent).toEnd('in-progress', null);
    const [pending] = AgentState.pendingApprovals(paused);
    const approved = AgentState.withApproval(paused, pending!.id);
    const state = AgentState.withStopSignal(approved, userRequested({ message: 'no more' }));
    await expectRun(agent, {}, { state }).toEnd('stopped', 'user-requested', { steps: 1, modelCalls: 0 });
    expect(runs).toEqual([]);
  });

  it('a run that is stopped during its wait keeps the usage of its subagent', async () => {
    const { tool } = askingTool('pay');
    const kid = scriptedAgent([{ toolCalls: [call('pay')], usage: { inputTokens: 10 } }], {
      name: 'kid',
      tools: [tool],
    });
    const agent = scriptedAgent([{ toolCalls: [delegate], usage: { inputTokens: 1 } }], { subagents: [kid] });
    const { state } = await expectRun(agent).toEnd('in-progress', null, { tokens: 11 });
    const end = await expectRun(agent, {}, { state: roundTrip(state), signal: AbortSignal.abort() }).toEnd(
      'stopped',
      'user-requested',
      { tokens: 11 },
    );
    expect(AgentState.pendingApprovals(end.state)).toEqual([]);
    expect(AgentState.usage(roundTrip(end.state)).totalTokens).toBe(11);
  });

  it('a waiting run counts a subagent that ended during a hook', async () => {
    const kid = scriptedAgent([{ text: 'x', usage: { inputTokens: 10 } }], { name: 'kid' });
    const holds = defineHook({
      name: 'holds',
      on: 'after-tool-use',
      async run(state) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return AgentState.withMetadata(state, { held: true });
      },
    });
    const { tool: quick } = askingTool('quick');
    const init = { tools: [{ ...quick, needsApproval: () => false }], subagents: [kid], hooks: [holds] };
    const script = [
      { toolCalls: [call('quick'), delegate], usage: { inputTokens: 1 } },
      { text: 'Done', usage: { inputTokens: 1 } },
    ];
    const { state } = await expectRun(script, init).toEnd('completed', 'completed', { tokens: 12 });
    expect(AgentState.metadata(state)).toEqual({ held: true });
  });
});
