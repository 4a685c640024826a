import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../agent/tool.ts';
import * as AgentState from './agent-state.ts';
import * as AgentStep from '../graph/document/agent-step.ts';
import { work } from '../kit/work.ts';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { systemEnv } from '../graph/env.ts';
import { createJournal, type Journal } from './journal.ts';
import { runOnJournal } from '../agent-loop/run-on-journal.ts';

const tool = defineTool({ name: 'tool', description: '', input: z.object({}), execute: () => 'done' });

type Measured = {
  readonly journal: Journal;
  readonly units: readonly number[];
  readonly sizes: readonly number[];
  /** The items of lists that each step copied, for every message that there was. */
  readonly copies: readonly number[];
};

/**
 * Runs the given number of turns and steps, which end with an answer or at their limit. Returns the units of work of
 * every step, and the stored size of its call.
 */
async function measure(
  turns: number,
  stepsOfTurn: number,
  toolTrace: 'tagged' | 'separate',
  end: 'answer' | 'limit' = 'answer',
): Promise<Measured> {
  let called = 0;
  const agent = scriptedAgent(
    [
      () =>
        end === 'answer' && ++called % stepsOfTurn === 0
          ? { text: 'done' }
          : { text: 'so', toolCalls: [{ name: 'tool', input: {} }] },
    ],
    { tools: [tool], toolTrace, budget: { maxSteps: stepsOfTurn } },
  );
  const journal = createJournal(AgentState.create());
  const units: number[] = [];
  const sizes: number[] = [];
  const copies: number[] = [];
  let before = { ...work };
  journal.subscribe((event) => {
    if (event.type === 'inference-start') sizes.push(JSON.stringify(event).length);
    if (event.type !== 'step-end') return;
    const { messages } = journal.state().context.store.sections.at(-1)!;
    units.push(work.units - before.units);
    copies.push((work.copied - before.copied) / messages.length);
    before = { ...work };
  });
  for (let turn = 0; turn < turns; turn++) {
    const message = AgentState.messages(AgentState.withUserMessage(AgentState.create(), `Turn ${turn}`)).at(
      -1,
    )!;
    journal.commit([], { type: 'message-add', source: 'user', section: 'messages', message });
    await runOnJournal({ agent, lease: journal.lease().lease, env: systemEnv });
  }
  return { journal, units, sizes, copies };
}

/** The most items that a step copies for each message: see docs/decisions/sent-by-reference.md. */
const mostCopies = { tagged: 4.6, separate: 5.6 };

const sum = (list: readonly number[]): number => list.reduce((total, value) => total + value, 0);
const last = <Item>(list: readonly Item[], count: number): readonly Item[] => list.slice(-count);

describe.each<[number, number, 'tagged' | 'separate', 'answer' | 'limit']>([
  [1, 400, 'tagged', 'answer'],
  [80, 5, 'tagged', 'answer'],
  [300, 2, 'tagged', 'limit'],
  [1, 400, 'separate', 'answer'],
])('%i turns of %i steps with %s traces, ended by the %s', (turns, steps, trace, end) => {
  it('the last steps cost no more work and storage than the first ones', async () => {
    const { units, sizes, copies } = await measure(turns, steps, trace, end);
    expect(units).toHaveLength(turns * steps);
    // Each side has a hundred steps, so that both contain the beginning of turns.
    expect(sum(last(units, 100))).toBeLessThanOrEqual(sum(units.slice(20, 120)) * 1.15);
    expect(sum(last(sizes, 100))).toBeLessThanOrEqual(sum(sizes.slice(20, 120)) * 1.05);
    // An answer and its results join their section, a step joins the others, and the request holds the conversation.
    expect(Math.max(...last(copies, 100))).toBeLessThanOrEqual(mostCopies[trace]);
  });
});

it('the steps of a later turn record what they were sent, without the traces of earlier turns', async () => {
  const { journal } = await measure(3, 3, 'tagged');
  const state = journal.state();
  const roles = AgentState.steps(state).map((step) =>
    AgentStep.inputMessages(state, step)
      .map(({ role }) => role[0])
      .join(''),
  );
  expect(roles).toEqual(['uauau', 'uauauat', 'uauauatat']);
  const read = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))));
  expect(read).toEqual(state);
  const [step] = last(AgentState.steps(read), 1);
  expect(AgentStep.inputMessages(read, step!)).toEqual(AgentStep.inputMessages(state, step!));
  const shorter = AgentState.withMessages(state, AgentState.messages(state).slice(-1));
  const [kept] = last(AgentState.steps(shorter), 1);
  expect(AgentStep.inputMessages(shorter, kept!)).toEqual(AgentStep.inputMessages(state, step!));
});
