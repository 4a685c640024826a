import { expect, it } from 'vitest';
import * as z from 'zod';
import { answerTo, ToolQuestion } from '../../agent/tool-question.ts';
import { AgentState, createAgentSession, defineTool, fold } from '../../index.ts';
import { createRecorder, journalOfRun, replay, runsOf, sessionHub } from '../../inspect/index.ts';
import { readJournal } from '../../inspect/replay/journal-document.ts';
import { scriptedAgent } from '../../testing/fixtures.ts';

/** A tool that asks for a name, and then for a colour. */
const form = { type: 'object', properties: { text: { type: 'string' } } };
let started = 0;
const ask = defineTool({
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
  scriptedAgent([{ toolCalls: [{ name: 'ask', input: {} }] }, { text: 'Fine.' }], { tools: [ask] });

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
