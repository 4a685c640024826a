import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.ts';
import { toolCalls } from '../graph/message.ts';
import type { AgentState as State } from '../graph/types.ts';
import { journalDocument } from '@vitrine/inspect/internal/replay/journal-document';
import { replay } from '@vitrine/inspect/internal/replay/replay';
import type { JsonValue } from '../kit/json.ts';
import type { InferenceEvent } from '../model/inference-client.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import * as AgentState from './agent-state.ts';
import { fold } from './apply.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import type { AgentChange } from './events.ts';

const unhurried = { timeout: 120_000 };
const ran = (name: string, result: JsonValue, outcome?: 'failed') => ({
  name,
  input: { of: name },
  elsewhere: outcome === undefined ? { result } : { outcome, result },
});
const firstCalls = (state: State) => AgentState.steps(state)[0]!.toolExecutions;
const resultsIn = (state: State) =>
  AgentState.messages(state).flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-result'));

describe('a call that ran elsewhere', () => {
  it('a call that ran elsewhere has its result without a tool, and the model is told it', async () => {
    const { state, requests } = await expectRun([
      { text: 'Looking.', toolCalls: [ran('search', { found: 2 })] },
      { text: 'Two.' },
    ]).toEnd('completed', 'completed', { steps: 2, text: 'Two.' });
    expect(firstCalls(state)).toMatchObject([
      { status: 'completed', result: { found: 2 }, error: null, startedAt: null, isElsewhere: true },
    ]);
    expect(requests[1]?.messages.at(-1)?.parts).toMatchObject([{ output: { found: 2 } }]);
    expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
  });

  it('a call that failed elsewhere has its text as its error', async () => {
    const { state } = await expectRun([
      { toolCalls: [ran('search', 'no network', 'failed')] },
      { text: 'Sorry.' },
    ]).toEnd('completed', 'completed', { steps: 2 });
    expect(firstCalls(state)).toMatchObject([{ status: 'failed', error: { message: 'no network' } }]);
    expect(resultsIn(state)).toMatchObject([{ outcome: 'failed', output: 'Error in tool call: no network' }]);
  });

  it('calls that ran elsewhere keep their place beside calls of our own tools', async () => {
    const { state } = await expectRun(
      [
        { toolCalls: [{ name: 'own', input: {} }, ran('search', 1), { name: 'own', input: {} }] },
        { text: 'x' },
      ],
      { tools: [fakeTool('own', 'mine')] },
    ).toEnd('completed', 'completed', { steps: 2 });
    expect(firstCalls(state).map(({ result }) => result)).toEqual(['mine', 1, 'mine']);
    expect(resultsIn(state).map(({ output }) => output)).toEqual(['mine', 1, 'mine']);
  });

  it('an answer that has ended, and whose calls all ran elsewhere, ends the run', async () => {
    await expectRun([{ toolCalls: [ran('save', 'saved')], finishReason: 'stop' }]).toEnd(
      'completed',
      'completed',
      { steps: 1, modelCalls: 1 },
    );
  });

  it('a stop in the middle of an answer keeps the calls that ran elsewhere, with their results', async () => {
    const controller = new AbortController();
    const inference = {
      async *stream(): AsyncGenerator<InferenceEvent> {
        yield { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: {} };
        yield { type: 'tool-call', toolCallId: 'b', toolName: 'open', input: {} };
        yield { type: 'tool-elsewhere', toolCallId: 'a', outcome: 'completed', result: 7 };
        controller.abort();
        await new Promise(() => undefined);
      },
    };
    const loop = createAgentLoop(defineAgent({ name: 'agent', inference }));
    const state = await loop.execute(ask(), { signal: controller.signal });
    expect(AgentState.messages(state).flatMap(toolCalls)).toMatchObject([{ toolName: 'search' }]);
    expect(resultsIn(state)).toMatchObject([{ output: 7, outcome: 'completed' }]);
    expect(AgentState.fromJSON(AgentState.toJSON(state))).toEqual(state);
  });

  it('a result for a call of another answer, or a second result, changes nothing', async () => {
    const inference = {
      async *stream(): AsyncGenerator<InferenceEvent> {
        yield { type: 'tool-elsewhere', toolCallId: 'a', outcome: 'completed', result: 'early' };
        yield { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: {} };
        yield { type: 'tool-elsewhere', toolCallId: 'a', outcome: 'completed', result: 1 };
        yield { type: 'tool-elsewhere', toolCallId: 'a', outcome: 'failed', result: 2 };
        const usage = { inputTokens: 1, outputTokens: 1 };
        yield { type: 'finish', finishReason: 'stop', usage } as unknown as InferenceEvent;
      },
    };
    const state = await createAgentLoop(defineAgent({ name: 'agent', inference })).execute(ask());
    expect(firstCalls(state)).toMatchObject([{ status: 'completed', result: 1 }]);
  });
});

it(
  'any prefix of a run with calls elsewhere folds, round-trips and is replayed to the same end',
  unhurried,
  async () => {
    const step = fc.record({
      text: fc.constantFrom('', 'Some text.'),
      toolCalls: fc.array(
        fc.oneof(
          fc.record({ name: fc.constant('own'), input: fc.constant({}) }),
          fc
            .tuple(fc.constantFrom(undefined, 'failed' as const), fc.jsonValue())
            .map(([outcome, value]) =>
              ran('search', JSON.parse(JSON.stringify(value)) as JsonValue, outcome),
            ),
        ),
        { minLength: 1, maxLength: 4 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 3 }), async (steps) => {
        const env = fixedEnv();
        const base = ask('Hello', env);
        const events: AgentChange[] = [];
        const script: readonly ScriptedStep[] = [...steps, { text: 'Done.' }];
        const init = { tools: [fakeTool('own', 'mine')] };
        const { state } = await expectRun(script, init, {
          env,
          state: base,
          onEvent: (event) => void (event.seq === null || events.push(event)),
        }).toEnd('completed', 'completed');
        for (let length = 0; length <= events.length; length++) {
          const prefix = fold(base, JSON.parse(JSON.stringify(events.slice(0, length))) as AgentChange[]);
          const read = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(prefix))));
          expect(fold(read, events.slice(length))).toEqual(state);
        }
        const agent = defineAgent({ name: 'agent', ...init });
        const replayed = await replay(journalDocument('j', base, events), agent);
        expect(firstCalls(replayed.state)).toEqual(firstCalls(state));
      }),
      { numRuns: Number(process.env['PROVE_RUNS'] ?? 30) },
    );
  },
);
