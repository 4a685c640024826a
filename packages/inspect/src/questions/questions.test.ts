import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secrets, secretShapes } from '../../../../tests/secrets/secret-shapes.ts';
import { AgentState } from '@vitrine/core';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { withMetadata, withSystemPrompt } from '@vitrine/core/internal/graph/agent-state/transitions';
import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { type HubSource, sessionHub } from '@vitrine/core/internal/session/hub';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { recordedRuns, scripts } from '../recorded-runs.fixture.ts';
import { createRecorder } from '../recorder.ts';
import type { AskedSession } from './places.ts';
import { type QuestionAnswer } from './fit-answer.ts';
import { type Question, questionsAbout } from './questions.ts';

/** Records two runs of an agent with a tool, a hook that replaces the prompt, and a subagent. */
async function recordRun(said = 'the sky'): Promise<AskedSession> {
  const recorder = createRecorder();
  const steps: ScriptedStep[] = [
    { toolCalls: [{ name: 'look', input: { at: said } }] },
    { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: `find ${said}` } }] },
    { text: `It is ${said}` },
  ];
  const kid = scriptedAgent([{ text: `found ${said}` }], { name: 'kid' });
  const hook = defineHook({
    name: 'tone',
    on: 'after-step',
    run: (state) =>
      state.context.metadata['seen'] === undefined
        ? withSystemPrompt(withMetadata(state, { seen: 'yes' }), `Be brief about ${said}`)
        : state,
  });
  const agent = scriptedAgent(steps, {
    name: 'helper',
    tools: [fakeTool('look', { found: said })],
    hooks: [hook],
    subagents: [kid],
    systemPrompt: `You know ${said}`,
  });
  const session = createAgentSession({ agent });
  await session.sendMessage(`Where is ${said}?`);
  await session.sendMessage('And now?');
  const source = sessionHub().sources().at(-1)!;
  const record = recorder.read(source);
  await session.dispose();
  recorder.dispose();
  return { id: source.id, name: 'helper', record };
}

function asking(session: AskedSession): (name: Question['name'], input?: object) => QuestionAnswer {
  const questions = questionsAbout(() => [session]);
  return (name, input = {}) => questions.find((one) => one.name === name)!.ask(input);
}

describe('questions about recorded runs', () => {
  it('runs tells each run with its request, its end and its spending', async () => {
    const ask = asking(await recordRun());
    expect(ask('runs').items).toMatchObject([
      { run: 1, request: 'Where is the sky?', status: 'completed', why: 'completed', steps: 3, agents: 2 },
      { run: 2, request: 'And now?', status: 'completed', steps: 1, agents: 1 },
    ]);
  });

  it('promptAt shows the prompt that the step sent, also the one that a hook replaced', async () => {
    const ask = asking(await recordRun());
    const systemOf = (step: number): unknown => ask('promptAt', { run: 1, step }).items[1];
    expect(systemOf(1)).toEqual({ system: 'You know the sky' });
    expect(systemOf(2)).toEqual({ system: 'Be brief about the sky' });
    expect(ask('promptAt', { run: 1, step: 1 }).items).toContainEqual({
      message: 1,
      role: 'user',
      text: 'Where is the sky?',
    });
  });

  it('whoWrote names the hook and its step, with the value before and after', async () => {
    const ask = asking(await recordRun());
    expect(ask('whoWrote', { run: 1, path: 'context.systemPrompt' }).items).toMatchObject([
      { by: 'tone', step: 1, before: '', now: 'Be brief about the sky' },
    ]);
    expect(ask('whoWrote', { run: 1, path: ['context', 'metadata', 'seen'] }).items).toMatchObject([
      { by: 'tone', event: 'metadata-change', now: 'yes' },
    ]);
  });

  it('stateAt and diff show the state at the end of a step', async () => {
    const ask = asking(await recordRun());
    expect(ask('stateAt', { run: 1, step: 1, path: 'context.metadata' }).items).toEqual([{ seen: 'yes' }]);
    const paths = ask('diff', { a: { run: 1, step: 1 }, b: { run: 1, step: 2 } }).items;
    expect(JSON.stringify(paths)).toContain('stepExecutions');
  });

  it('costOf names subagents with the calls that lead to them, and promptAt takes them', async () => {
    const ask = asking(await recordRun());
    const { items } = ask('costOf', { run: 1 });
    const kid = items.find((item) => item !== null && typeof item === 'object' && 'subagent' in item);
    expect(kid).toMatchObject({ subagent: 'kid', agent: [expect.any(String)] });
    const { agent } = kid as { agent: string[] };
    expect(JSON.stringify(ask('promptAt', { run: 1, agent, step: 1 }))).toContain('find the sky');
  });

  it('a text of any length is read to its end in answers of at most 2 kB', async () => {
    const long = Array.from({ length: 900 }, (_, index) => `wört ${index}`).join(' ');
    const ask = asking(await recordRun(long));
    let text = '';
    let after: string | undefined;
    for (let parts = 0; parts < 60; parts++) {
      const answer = ask('stateAt', {
        run: 1,
        step: 3,
        path: 'context.systemPrompt',
        ...(after && { after }),
      });
      expect(new TextEncoder().encode(JSON.stringify(answer)).length).toBeLessThanOrEqual(2_048);
      text += answer.items.map((item) => (item as { text: string }).text).join('');
      if (answer.more === null) break;
      after = answer.more;
    }
    expect(text).toBe(`Be brief about ${long}`);
  });

  it('a wrong question gets a sentence that says what is there', async () => {
    const ask = asking(await recordRun());
    const saidOf = (name: Question['name'], input: object): string => {
      try {
        return JSON.stringify(ask(name, input));
      } catch (error) {
        expect(isAgentError(error, 'question-invalid')).toBe(true);
        return (error as Error).message;
      }
    };
    expect(saidOf('promptAt', { run: 1, step: 9 })).toBe('There is no step 9 in run 1, which has 3 steps.');
    expect(saidOf('promptAt', { run: 7, step: 1 })).toContain('its runs are 1, 2');
    expect(saidOf('promptAt', { step: -1 })).toContain('does not fit at step');
    expect(saidOf('stateAt', { step: 1, path: 'context.nothing' })).toContain('the keys there are store');
    expect(saidOf('runs', { session: 'other' })).toContain('No session "other" was found. There are: ');
    expect(saidOf('leftOut', { agent: ['gone'], step: 1 })).toContain(
      'There is no agent behind the calls gone',
    );
  });

  it('no answer holds a secret', async () => {
    const [secret] = fc.sample(secrets, { numRuns: 1, seed: 1 }) as [string];
    for (const [shape, wrap] of Object.entries(secretShapes)) {
      const ask = asking(await recordRun(wrap(secret)));
      const told = JSON.stringify([
        ask('runs'),
        ask('whyStopped'),
        ask('promptAt', { run: 1, step: 3 }),
        ask('stateAt', { run: 1, step: 3, path: 'context.systemPrompt' }),
        ask('whoWrote', { run: 1, path: 'context.systemPrompt' }),
        ask('diff', { a: { run: 1, step: 1 }, b: { run: 1, step: 3 } }),
        ask('leftOut', { run: 2, step: 1 }),
      ]);
      expect(told, shape).not.toContain(secret);
    }
  });

  it('whyStopped names the calls that nobody has answered and the breakpoint at which a run waits', async () => {
    const agent = scriptedAgent([{ toolCalls: [{ name: 'pay', input: {} }] }], {
      tools: [{ ...fakeTool('pay', 'paid'), needsApproval: () => true }],
    });
    const session = createAgentSession({ agent });
    const recorder = createRecorder();
    await session.sendMessage('Pay it');
    const source = sessionHub().sources().at(-1)!;
    const ask = (): QuestionAnswer =>
      asking({ id: 'x', name: 'x', record: recorder.read(source) })('whyStopped');
    expect(ask().items).toContainEqual({ waits: 'awaiting-approval', call: 'pay' });
    await session.setBreakpoint({ type: 'model' });
    const [call] = AgentState.pendingApprovals(session.store.getState().state);
    await session.reject(call!.id);
    expect(ask().items).toContainEqual({
      waits: 'breakpoint',
      point: 'model',
      step: 2,
      toolCallId: null,
      agent: [],
    });
    await session.dispose();
    recorder.dispose();
  });

  it('any recorded run answers every question within 2 kB', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, scripts, async (steps, kidSteps) => {
        const recorder = createRecorder();
        let leave = (): void => undefined;
        let source!: HubSource;
        await recordedRuns(steps, kidSteps, (journal) => {
          source = { id: 'x', name: 'x', journal };
          leave = sessionHub().register(source);
          return () => undefined;
        });
        const record = recorder.read(source);
        leave();
        recorder.dispose();
        const ask = asking({ id: 'x', name: 'x', record });
        for (const answer of [ask('runs'), ask('whyStopped'), ask('costOf'), ask('findings')])
          expect(JSON.stringify(answer).length).toBeLessThanOrEqual(2_048);
        expect(ask('runs').items.length).toBeGreaterThan(0);
      }),
      { numRuns: 20 },
    );
  });
});
