import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as StopReason from '../graph/stop-reason.ts';
import { defineHook } from '../agent/hook.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { pairToolCalls } from '../graph/pair-tool-calls.ts';
import * as AgentState from './agent-state.ts';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';

type Kind = 'final' | 'call' | 'bad' | 'throw';
type Plan = { script: Kind[]; tokens: number; maxSteps: number; maxTokens: number; requests: number[] };
type Outcome = { status: string; reason: string; steps: number; roles: string[] };

const plan: fc.Arbitrary<Plan> = fc.record({
  script: fc.array(fc.constantFrom<Kind>('final', 'call', 'bad', 'throw'), { minLength: 1, maxLength: 6 }),
  // Multiples of ten thousand, so that no call is refused because of the size of its request.
  tokens: fc.integer({ min: 0, max: 5 }).map((tokens) => tokens * 10_000),
  maxSteps: fc.integer({ min: 0, max: 6 }),
  maxTokens: fc.integer({ min: 0, max: 20 }).map((tokens) => tokens * 10_000),
  /** Numbers of the steps after which a hook asks to continue. */
  requests: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }),
});

/** The plainest model of the life cycle and the continuation rules in DESIGN. */
function reference({ script, tokens, maxSteps, maxTokens, requests }: Plan): Outcome {
  let [steps, spent] = [0, 0];
  const roles = ['user'];
  const overBudget = (): StopReason.StopReason[] => [
    ...(steps >= maxSteps ? (['steps-limit-reached'] as const) : []),
    ...(spent >= maxTokens ? (['token-limit-reached'] as const) : []),
  ];
  const end = (signals: StopReason.StopReason[]): Outcome => {
    const reason =
      signals.toSorted((a, b) => StopReason.priority(a) - StopReason.priority(b))[0] ?? 'completed';
    const status =
      reason === 'error-forbade' ? 'failed' : StopReason.wasForceStopped(reason) ? 'stopped' : 'completed';
    return { status, reason, steps, roles };
  };
  for (;;) {
    if (overBudget().length > 0) return end(overBudget());
    const kind = script[Math.min(steps, script.length - 1)];
    steps++;
    // A call that broke off is charged for the bytes of its request, which reach no limit here.
    spent += kind === 'throw' ? 1 : tokens;
    if (kind === 'final') roles.push('assistant');
    if (kind === 'call' || kind === 'bad') roles.push('assistant', 'tool');
    if (requests.includes(steps)) continue;
    if (kind === 'final') return end([]);
    const signals: StopReason.StopReason[] = [
      ...(kind === 'throw' ? (['error-forbade'] as const) : []),
      ...overBudget(),
    ];
    if (signals.length > 0) return end(signals);
  }
}

const entryOf = (kind: Kind, tokens: number): ScriptedStep => {
  const usage = { inputTokens: tokens };
  if (kind === 'throw') return { error: new Error('thrown') };
  return kind === 'final' ? { text: 'x', usage } : { toolCalls: [{ name: kind, input: {} }], usage };
};

describe('the loop of an agent', () => {
  it('the loop behaves like a plain reading of the design for random agents', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (given) => {
        const { script, tokens, maxSteps, maxTokens, requests } = given;
        const hook = defineHook({
          name: 'go on',
          on: 'after-step',
          run: (state) =>
            requests.includes(AgentState.stepCount(state)) ? AgentState.withExecutionContinued(state) : state,
        });
        const tools = [fakeTool('call', 'ok'), fakeTool('bad', () => Promise.reject(new Error('bad')))];
        const agent = scriptedAgent(
          script.map((kind) => entryOf(kind, tokens)),
          { tools, hooks: [hook], budget: { maxSteps, maxTokens } },
        );
        const state = await createAgentLoop(agent).execute(ask());
        expect({
          status: AgentState.status(state),
          reason: AgentState.stopReason(state),
          steps: AgentState.stepCount(state),
          roles: AgentState.messages(state).map(({ role }) => role),
        }).toEqual(reference(given));
      }),
      { numRuns: 300 },
    );
  });

  it('a provider never receives a call without its result, whatever is aborted, resumed or asked in between', async () => {
    const script = fc.array(fc.constantFrom<Kind>('final', 'call', 'bad', 'throw'), {
      minLength: 1,
      maxLength: 4,
    });
    const traces = fc.constantFrom('tagged' as const, 'separate' as const);
    await fc.assert(
      fc.asyncProperty(script, traces, fc.integer({ min: 1, max: 40 }), async (kinds, toolTrace, stopAt) => {
        const requests: InferenceRequest[] = [];
        const entries = kinds.map(
          (kind) => (request: InferenceRequest) => (requests.push(request), entryOf(kind, 1)),
        );
        const tools = [fakeTool('call', 'ok'), fakeTool('bad', () => Promise.reject(new Error('bad')))];
        const agent = scriptedAgent(entries, { tools, toolTrace, budget: { maxSteps: 5 } });
        const controller = new AbortController();
        let events = 0;
        const loop = createAgentLoop(agent, { onEvent: () => ++events === stopAt && controller.abort() });
        let state = await loop.execute(ask(), { signal: controller.signal });
        for (const execution of AgentState.steps(state).flatMap((step) => step.toolExecutions)) {
          expect(['completed', 'failed', 'interrupted']).toContain(execution.status);
        }
        state = await createAgentLoop(agent).execute(AgentState.withUserMessage(state, 'Again'));
        for (const { messages } of requests) expect(pairToolCalls(messages)).toBe(messages);
      }),
      { numRuns: 200 },
    );
  });
});

describe.each(['tagged', 'separate'] as const)('the trace of tools, %s', (toolTrace) => {
  const tools = [fakeTool('call', 'ok'), fakeTool('bad', () => Promise.reject(new Error('bad')))];
  const kid = scriptedAgent([{ toolCalls: [{ name: 'call', input: {} }] }, { text: 'kid' }], {
    name: 'kid',
    tools,
  });
  const call = (...names: string[]): ScriptedStep => ({
    toolCalls: names.map((name) => ({ name, input: { agent: 'kid', task: 't' } })),
  });
  const conversation = async (script: ScriptedStep[], init = {}): Promise<string[]> => {
    const state = await createAgentLoop(
      scriptedAgent(script, { tools, subagents: [kid], toolTrace, ...init }),
    ).execute(ask());
    return AgentState.messages(state)
      .filter(({ metadata }) => metadata['is_trace'] !== true)
      .map(({ role }) => role);
  };

  it.each([
    ['one tool call', [call('call'), { text: 'x' }], {}, ['user', 'assistant']],
    ['several', [call('call', 'call'), call('bad'), { text: 'x' }], {}, ['user', 'assistant']],
    ['none', [{ text: 'x' }], {}, ['user', 'assistant']],
    ['a stop', [call('call')], { budget: { maxSteps: 1 } }, ['user']],
    ['a subagent', [call('delegate'), { text: 'x' }], {}, ['user', 'assistant']],
  ] as [string, ScriptedStep[], object, string[]][])(
    'the tool trace is not in the conversation after %s',
    async (_what, script, init, roles) => {
      expect(await conversation(script, init)).toEqual(roles);
    },
  );

  it('the tool trace is not in the conversation after an error and a new user message', async () => {
    const agent = scriptedAgent([call('call'), { error: new Error('x') }, { text: 'y' }], {
      tools,
      toolTrace,
    });
    const failed = await createAgentLoop(agent).execute(ask());
    const state = await createAgentLoop(agent).execute(AgentState.withUserMessage(failed, 'Again'));
    const kept = AgentState.messages(state).filter(({ metadata }) => metadata['is_trace'] !== true);
    expect(kept.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  });
});
