import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentDefinition, AgentInit } from '../agent/agent-definition.ts';
import { defineTool } from '../agent/tool.ts';
import { text } from '../graph/message.ts';
import type { AgentState as State, BreakCondition, BreakEdit } from '../graph/types.ts';
import { createDeferred } from '../kit/deferred.ts';
import type { InferenceClient, InferenceRequest } from '../model/inference-client.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { type ScriptedEntry, scriptedInference } from '@vitrine/testing/internal/scripted-inference';
import * as AgentState from './agent-state.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import { runOnJournal } from '../agent-loop/run-on-journal.ts';
import type { AgentEvent } from './events.ts';
import { createJournal } from './journal.ts';
import { agentOf } from './random-agent.fixture.ts';
import { type Plan, plan } from './random-plan.fixture.ts';
import { runAll } from './random-runs.fixture.ts';
import { releaseBreak } from './release-break.ts';

const twice: readonly ScriptedEntry[] = [
  { text: 'Let me', toolCalls: [{ name: 'look', input: { at: 1 } }] },
  { text: 'Found it.' },
];
const reads: unknown[] = [];
const look = defineTool({
  name: 'look',
  description: '',
  input: z.object({ at: z.number() }),
  execute({ at }) {
    reads.push(at);
    return `seen ${at}`;
  },
});

/** A run over a journal of its own, with breakpoints. */
function started(
  conditions: readonly BreakCondition[],
  script: readonly ScriptedEntry[] = twice,
  init: Partial<AgentInit> = { tools: [look] },
) {
  reads.length = 0;
  const env = fixedEnv();
  const requests: InferenceRequest[] = [];
  const model = scriptedInference(script);
  const inference: InferenceClient = {
    stream(request, options) {
      requests.push(request);
      return model.stream(request, options);
    },
  };
  const agent: AgentDefinition = scriptedAgent([], { inference, ...init });
  const journal = createJournal(ask('Hello', env), { env });
  const events: AgentEvent[] = [];
  journal.subscribe((event) => events.push(event));
  conditions.forEach((on, index) =>
    journal.commit([], { type: 'break-set', breakpointId: `b${index}`, on, isOnce: on.type === 'next' }),
  );
  const { lease } = journal.lease();
  return {
    journal,
    events,
    requests,
    state: (): State => journal.state(),
    run: (signal: AbortSignal | null = null) => runOnJournal({ agent, lease, env, signal }),
    release(edit: BreakEdit = {}) {
      const [hit] = AgentState.breakHits(journal.state());
      for (const { path, body } of releaseBreak(journal.state(), hit!, edit)) journal.commit(path, body);
    },
    texts: () => AgentState.messages(journal.state()).map(text),
  };
}

describe('a run with a breakpoint', () => {
  it('a run waits before its model call, without a request, and goes on when it is released', async () => {
    const run = started([{ type: 'next' }]);
    expect(await run.run()).toBe('paused');
    expect(run.requests).toHaveLength(0);
    expect(run.state().execution).toMatchObject({
      breakHit: { breakpointId: 'b0', at: { point: 'model', step: 1, toolCallId: null } },
    });
    expect(run.state().execution?.waitingSince).not.toBeNull();
    expect(run.state().breakpoints, 'a pause is used up').toEqual([]);
    run.release();
    expect(await run.run()).toBe('ended');
    expect(AgentState.status(run.state())).toBe('completed');
    expect(run.state().execution).toMatchObject({ breakHit: null, breakPassed: null });
  });

  it.each([
    [{ at: 1 }, 'paused'],
    [{ at: 2 }, 'ended'],
    [{ at: 1, more: true }, 'ended'],
    [{}, 'paused'],
  ])('a run waits for the arguments %j of its breakpoint, and for no others: %s', async (input, end) => {
    expect(await started([{ type: 'tool', toolName: 'look', input }]).run()).toBe(end);
    const after = started([{ type: 'tool', toolName: 'look', input, isAfter: true }]);
    expect(await after.run()).toBe(end);
  });

  it('a breakpoint of an agent holds no other agent of the run', async () => {
    const kid = scriptedAgent([{ text: 'found' }], { name: 'kid' });
    const script = [
      { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'Look' } }] },
      { text: 'Done' },
    ];
    const run = started([{ type: 'model', agent: 'kid' }], script, { subagents: [kid] });
    expect(await run.run()).toBe('paused');
    expect(AgentState.breakHits(run.state())).toMatchObject([
      { path: [expect.any(String)], at: { point: 'model' } },
    ]);
    run.release();
    expect(await run.run()).toBe('ended');
  });

  it('a breakpoint of a cost holds the model call after it', async () => {
    const usage = { inputTokens: 10, outputTokens: 10, totalTokens: 20, cost: 0.3 };
    const script = twice.map((step) => ({ ...step, usage }) as ScriptedEntry);
    const run = started([{ type: 'cost', over: 0.2 }], script);
    expect(await run.run()).toBe('paused');
    expect(run.state().execution?.breakHit?.at).toEqual({ point: 'model', step: 2, toolCallId: null });
    expect(await started([{ type: 'cost', over: 0.3 }], script).run()).toBe('ended');
  });

  it('a run waits before each model call and before each call of a tool', async () => {
    const run = started([{ type: 'model' }, { type: 'tool', toolName: 'look' }]);
    const places: unknown[] = [];
    while ((await run.run()) === 'paused') {
      const at = run.state().execution?.breakHit?.at;
      places.push([at?.point, at?.step]);
      run.release();
    }
    expect(places).toEqual([
      ['model', 1],
      ['tool', 1],
      ['model', 2],
    ]);
    expect(reads).toEqual([1]);
    expect(run.requests).toHaveLength(2);
  });

  it('edited arguments reach the tool, the message and the next request', async () => {
    const run = started([{ type: 'tool', toolName: 'look' }]);
    await run.run();
    run.release({ input: { at: 5 } });
    await run.run();
    expect(reads).toEqual([5]);
    expect(JSON.stringify(run.requests[1]?.messages)).toContain('seen 5');
    expect(run.events.find(({ type }) => type === 'break-release')).toMatchObject({ edit: ['input'] });
  });

  it('edited arguments that the schema refuses become an error that the model reads', async () => {
    const run = started([{ type: 'tool', toolName: 'look' }]);
    await run.run();
    run.release({ input: { at: 'nowhere' } });
    await run.run();
    expect(reads).toEqual([]);
    expect(run.state().execution?.stepExecutions[0]?.step.toolExecutions[0]).toMatchObject({
      error: { code: 'tool-input-invalid' },
    });
  });

  it('a given result takes the place of the tool, which does not run', async () => {
    const run = started([{ type: 'tool', toolName: 'look' }]);
    await run.run();
    run.release({ result: 'seen by a person' });
    await run.run();
    expect(reads).toEqual([]);
    expect(JSON.stringify(run.requests[1]?.messages)).toContain('seen by a person');
  });

  it('the result of a tool can be replaced before the model reads it', async () => {
    const run = started([{ type: 'tool', toolName: 'look', isAfter: true }]);
    await run.run();
    expect(run.state().execution?.breakHit?.at.point).toBe('end');
    const [call] = run.state().execution?.currentStep?.toolExecutions ?? [];
    run.release({ toolCallId: call!.id, result: { seen: 9 } });
    expect(await run.run()).toBe('ended');
    expect(reads).toEqual([1]);
    expect(run.requests[1]?.messages.at(-1)?.parts[0]).toMatchObject({ output: { seen: 9 } });
  });

  it('an edited prompt and message are in the next request', async () => {
    const run = started([{ type: 'model' }]);
    await run.run();
    const [said] = AgentState.messages(run.state());
    run.release({ systemPrompt: 'Be long.', message: { id: said!.id, text: 'Goodbye' } });
    await run.run();
    expect(run.requests[0]?.messages.map(text)).toEqual(['Be long.', 'Goodbye']);
  });

  it('an answer can be edited before the run ends', async () => {
    const run = started([{ type: 'step', stepType: 'final-response' }]);
    await run.run();
    const answer = AgentState.messages(run.state()).at(-1);
    run.release({ message: { id: answer!.id, text: 'Found nothing.' } });
    expect(await run.run()).toBe('ended');
    expect(run.requests).toHaveLength(2);
    expect(run.texts().at(-1)).toBe('Found nothing.');
    expect(AgentState.finalResponse(run.state())).toBe('Found nothing.');
  });

  it('a run waits at the end of a step with an error', async () => {
    const bad = fakeTool('look', () => Promise.reject(new Error('no light')));
    const run = started([{ type: 'step', stepType: 'error' }], twice, { tools: [bad] });
    expect(await run.run()).toBe('paused');
    expect(run.state().execution?.breakHit?.at).toMatchObject({ point: 'end', step: 1 });
    run.release();
    expect(await run.run()).toBe('ended');
    expect(run.requests).toHaveLength(2);
  });

  it('a run waits when little of a limit is left', async () => {
    const run = started([{ type: 'budget', limit: 'steps', left: 1 }], twice, {
      tools: [look],
      budget: { maxSteps: 2 },
    });
    expect(await run.run()).toBe('paused');
    expect(run.state().execution?.breakHit?.at).toMatchObject({ point: 'model', step: 2 });
  });

  it('one call waits at the breakpoint while the calls beside it end, and none begins behind it', async () => {
    const gate = createDeferred<string>();
    const slow = fakeTool('slow', () => gate.promise);
    const calls = ['slow', 'look', 'look'].map((name, at) => ({ name, input: { at } }));
    const run = started([{ type: 'tool', toolName: 'look' }], [{ toolCalls: calls }, { text: 'Done' }], {
      tools: [slow, look],
    });
    const over = run.run();
    while (AgentState.breakHits(run.state()).length === 0)
      await new Promise((resolve) => setTimeout(resolve));
    expect(run.state().execution?.waitingSince, 'a call is in flight').toBeNull();
    gate.resolve('done');
    expect(await over).toBe('paused');
    expect(reads).toEqual([]);
    run.release();
    expect(await run.run(), 'the third call waits too').toBe('paused');
    expect(reads).toEqual([1]);
    run.release();
    expect(await run.run()).toBe('ended');
    expect(reads).toEqual([1, 2]);
  });

  it('a call that is released while another one is in flight begins at once', async () => {
    const gate = createDeferred<string>();
    const slow = fakeTool('slow', () => gate.promise);
    const calls = ['slow', 'look'].map((name, at) => ({ name, input: { at } }));
    const run = started([{ type: 'tool', toolName: 'look' }], [{ toolCalls: calls }, { text: 'Done' }], {
      tools: [slow, look],
    });
    const over = run.run();
    const tick = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve));
    while (AgentState.breakHits(run.state()).length === 0) await tick();
    run.release();
    while (reads.length === 0) await tick();
    gate.resolve('done');
    expect(await over).toBe('ended');
  });

  it('a subagent waits at a breakpoint of its root', async () => {
    const kid = scriptedAgent(twice, { name: 'kid', tools: [look] });
    const script = [
      { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'look' } }] },
      { text: 'Done' },
    ];
    const run = started([{ type: 'tool', toolName: 'look' }], script, { subagents: [kid] });
    expect(await run.run()).toBe('paused');
    const [hit] = AgentState.breakHits(run.state());
    expect(hit?.path).toHaveLength(1);
    run.release({ input: { at: 7 } });
    expect(await run.run()).toBe('ended');
    expect(reads).toEqual([7]);
  });

  it('an abort ends a run that waits, and leaves nothing of the wait', async () => {
    const run = started([{ type: 'tool', toolName: 'look' }]);
    await run.run();
    const controller = new AbortController();
    controller.abort('enough');
    expect(await run.run(controller.signal)).toBe('ended');
    expect(AgentState.status(run.state())).toBe('stopped');
    expect(run.state().execution).toMatchObject({ breakHit: null, breakPassed: null });
    expect(reads).toEqual([]);
    expect(run.state().breakpoints, 'a breakpoint of a person stays').toHaveLength(1);
  });

  it('a state that waits survives its document, and goes on from it', async () => {
    const run = started([{ type: 'tool', toolName: 'look' }]);
    await run.run();
    const document = JSON.stringify(AgentState.toJSON(run.state()));
    const loaded = AgentState.fromJSON(JSON.parse(document));
    expect(loaded).toEqual(run.state());
    const agent = scriptedAgent([{ text: 'Found it.' }], { tools: [look] });
    const waiting = await createAgentLoop(agent).execute(loaded);
    expect(AgentState.breakHits(waiting), 'nobody has released it').toHaveLength(1);
    expect(reads).toEqual([]);
  });

  it('an edit that fits no place changes nothing and says why', async () => {
    const run = started([{ type: 'model' }]);
    await run.run();
    const before = run.state();
    for (const edit of [{ input: {} }, { message: { id: 'x', text: '' } }, { result: 1 }] as BreakEdit[])
      expect(() => run.release(edit)).toThrow(expect.objectContaining({ code: 'edit-invalid' }));
    expect(run.state()).toBe(before);
  });

  it('a run without breakpoints has no event of them', async () => {
    const { events } = await expectRun(scriptedAgent(twice, { tools: [look] })).toEnd(
      'completed',
      'completed',
    );
    expect(events.filter(({ type }) => type.startsWith('break-'))).toEqual([]);
  });
});

describe('random runs with breakpoints', () => {
  const contents = (state: State): unknown =>
    AgentState.messages(state).map(({ role, parts }) => [
      role,
      parts.map((part) => ({ ...part, toolCallId: null, durationMs: null, providerCallId: null })),
    ]);
  /** A plan whose run does not depend on the moment of anything. */
  const calm: fc.Arbitrary<Plan> = plan.map((planned) => ({
    ...planned,
    // The answers of the subagent's model go to whom asks first, so one step has one call of it.
    script: planned.script.map((step) => ({
      ...step,
      toolCalls: (step.toolCalls ?? []).filter(
        ({ name }, at, all) => name !== 'delegate' || all.findIndex((call) => call.name === name) === at,
      ),
    })),
    abortAt: null,
    steerAt: null,
    concurrency: 1,
    hooks: planned.hooks.filter(({ act }) => act === 'metadata' || act === 'replace'),
    // A remembered approval answers the calls after it, so an edit of its arguments depends on who asks first.
    answers: planned.answers
      .slice(0, 1)
      .map((answer) => ({ ...answer, delay: 0, remember: answer.remember && !answer.edit })),
    breaks: (planned.breaks ?? []).map((entry) => ({ ...entry, edit: 'nothing' as const })),
  }));

  it(
    'a run that waits and is released ends as the run without breakpoints',
    { timeout: 1_800_000 },
    async () => {
      let hits = 0;
      await fc.assert(
        fc.asyncProperty(calm, async (planned) => {
          const play = async (breaks: Plan['breaks']): Promise<State> => {
            const env = fixedEnv();
            const effects = new Map<string, number>();
            const given = { ...planned, ...(breaks === undefined ? {} : { breaks }) };
            const { journal, entries } = await runAll(
              given,
              agentOf(planned, effects),
              env,
              ask('Hello', env),
            );
            hits += entries.filter(({ event }) => event.type === 'break-hit').length;
            expect([...effects.values()].every((count) => count === 1)).toBe(true);
            return journal.state();
          };
          const [paused, plain] = [await play(planned.breaks), await play([])];
          expect(contents(paused)).toEqual(contents(plain));
          expect(AgentState.status(paused)).toBe(AgentState.status(plain));
          expect(AgentState.stopReason(paused)).toBe(AgentState.stopReason(plain));
        }),
        { numRuns: Number(process.env['PROVE_RUNS'] ?? 40) },
      );
      expect(hits).toBeGreaterThan(0);
    },
  );
});
