import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { answerTo, ToolQuestion } from '../../agent/tool-question.ts';
import { AgentState, createAgentSession, defineTool, fold } from '../../index.ts';
import { createRecorder, journalOfRun, replay, runsOf, sessionHub } from '@vitrine/inspect';
import { readJournal } from '@vitrine/inspect/internal/replay/journal-document';
import { systemEnv } from '../../graph/env.ts';
import { AgentError } from '../../kit/agent-error.ts';
import type { JsonValue } from '../../kit/json.ts';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { answerCall } from '../answer-call.ts';
import { runOnJournal } from '../../agent-loop/run-on-journal.ts';
import { createJournal } from '../journal.ts';

/** A tool that asks for a name, and then for a colour. */
const form = { type: 'object', properties: { text: { type: 'string' } } };
let started = 0;
const asker = defineTool({
  name: 'ask',
  description: 'Asks',
  input: z.object({}),
  execute(_input, ctx) {
    started++;
    const answer = answerTo(ctx.state, ctx.toolCallId);
    if (answer === undefined) throw new ToolQuestion('Which name?', form);
    if (JSON.stringify(answer).includes('Ann')) throw new ToolQuestion('Which colour?', form);
    return answer;
  },
});
const agentOf = () =>
  scriptedAgent([{ toolCalls: [{ name: 'ask', input: {} }] }, { text: 'Fine.' }], { tools: [asker] });

async function answered() {
  const recorder = createRecorder();
  const session = createAgentSession({ agent: agentOf() });
  const waiting = () =>
    AgentState.currentStep(session.store.getState().state)?.toolExecutions.find(
      ({ status }) => status === 'awaiting-approval',
    );
  await session.sendMessage('Hi');
  const id = waiting()?.id ?? '';
  const questions = [waiting()?.approval?.reason];
  await session.approve(id, { input: { text: 'Ann' }, remember: 'session' });
  questions.push(waiting()?.approval?.reason);
  await session.approve(id, { input: { text: 'blue' } });
  const record = recorder.read(sessionHub().sources().at(-1)!);
  const { state } = session.store.getState();
  await session.dispose();
  recorder.dispose();
  return { state, questions, record };
}

it('a running tool asks one question after the other, and its last attempt has the result', async () => {
  started = 0;
  const { state, questions } = await answered();
  expect(questions).toEqual(['Which name?', 'Which colour?']);
  const [call] = AgentState.steps(state)[0]?.toolExecutions ?? [];
  expect(call).toMatchObject({ status: 'completed', result: { text: 'blue' }, toolCall: { input: {} } });
  expect(started).toBe(3);
  expect(AgentState.rememberedDecisions(state)).toEqual([]);
});

it('every prefix of a run with questions folds, and is the same after a save', async () => {
  const { record } = await answered();
  const { base, events } = readJournal(journalOfRun(record, runsOf(record)[0]!)!);
  for (let end = 0; end <= events.length; end++) {
    const state = fold(base, events.slice(0, end));
    expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
  }
});

it('a run with questions replays to its end without the tool', async () => {
  const { record } = await answered();
  started = 0;
  const replayed = await replay(journalOfRun(record, runsOf(record)[0]!)!, agentOf());
  expect(replayed).toMatchObject({ modelCalls: 2, toolCalls: 3 });
  expect(started).toBe(0);
});

/** Each use of the store, in order; whatever comes behind them fails. */
const uses = fc.array(fc.constantFrom('stored', 'failed'), { maxLength: 6 });

it('a once tool that asks has each answer, and ends, whenever the store fails', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 3 }), uses, async (questions, fates) => {
      const seen: JsonValue[] = [];
      const asks = defineTool({
        name: 'asks',
        description: '',
        input: z.object({}),
        execute(_input, ctx) {
          const answer = answerTo(ctx.state, ctx.toolCallId);
          if (answer !== undefined) seen.push(answer);
          const asked = typeof answer === 'number' ? answer + 1 : 0;
          if (asked < questions) throw new ToolQuestion(`Question ${asked}?`, form);
          return 'done';
        },
      });
      const agent = scriptedAgent([{ toolCalls: [{ name: 'asks', input: {} }] }, { text: 'ok' }], {
        tools: [asks],
      });
      const journal = createJournal(ask());
      const { lease } = journal.lease();
      const left = [...fates];
      const whenStored = (): Promise<void> =>
        left.shift() === 'stored'
          ? Promise.resolve()
          : Promise.reject(new AgentError('session-storage', 'full'));
      const told: (string | null)[] = [];
      while ((await runOnJournal({ agent, lease, env: systemEnv, whenStored })) !== 'ended') {
        const [call] = AgentState.pendingApprovals(journal.state());
        const { form: isAsked, cause, reason } = call!.approval!;
        told.push(cause ?? reason);
        const input =
          isAsked === undefined ? {} : { input: told.filter((what) => what !== 'not-stored').length - 1 };
        for (const { path, body } of answerCall(journal.state(), call!.id, { type: 'approve', ...input }))
          journal.commit(path, body);
        expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(journal.state()))))).toEqual(
          journal.state(),
        );
      }
      const [call] = AgentState.steps(journal.state())[0]!.toolExecutions;
      expect(call).toMatchObject({ status: 'completed', result: 'done' });
      expect(told.filter((what) => what !== 'not-stored')).toEqual(
        Array.from({ length: questions }, (_question, at) => `Question ${at}?`),
      );
      // One who has let the call run unstored is not asked that again.
      expect(told.filter((what) => what === 'not-stored').length).toBeLessThanOrEqual(1);
      expect(seen).toEqual(Array.from({ length: questions }, (_question, at) => at));
    }),
    { numRuns: Number(process.env['PROVE_RUNS'] ?? 60) },
  ));
