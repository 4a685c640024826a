import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../agent/tool.ts';
import * as AgentState from '../run/agent-state.ts';
import * as AgentStep from './document/agent-step.ts';
import { fold } from '../run/apply.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import type { AgentEvent } from '../run/events.ts';
import { createJournal } from '../run/journal.ts';
import { stateChanges } from '../run/state-changes.ts';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { systemEnv } from './env.ts';
import { type Message, text, user } from './message.ts';
import type { AgentState as State } from './types.ts';

const sentTexts = (state: State): string[] =>
  AgentState.steps(state).flatMap((step) => AgentStep.inputMessages(state, step).map(text));

/** A list made of another one: some of its items in any order, with new messages in between. */
type Rearranged = { readonly order: readonly number[]; readonly inserts: readonly number[] };
const rearranged: fc.Arbitrary<Rearranged> = fc.record({
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5]),
  inserts: fc.array(fc.nat(6), { maxLength: 3 }),
});

function rearrange(messages: readonly Message[], { order, inserts }: Rearranged): Message[] {
  const list = order.flatMap((index) => messages[index] ?? []);
  for (const at of inserts) list.splice(at, 0, user('put in'));
  return list;
}

async function ran(): Promise<State> {
  const messages = ['a', 'b', 'c', 'd'].map((letter) => user(letter));
  return createAgentLoop(scriptedAgent([{ text: 'x' }])).execute(AgentState.create({ messages }));
}

describe('the sent messages of a kept step', () => {
  it('the sent messages of a step stay the same, however often their section is rearranged', async () => {
    const state = await ran();
    fc.assert(
      fc.property(fc.array(rearranged, { minLength: 1, maxLength: 4 }), (changes) => {
        const end = changes.reduce(
          (current, change) =>
            AgentState.withMessages(current, rearrange(AgentState.messages(current), change)),
          state,
        );
        expect(sentTexts(end)).toEqual(['a', 'b', 'c', 'd']);
        expect(sentTexts(AgentState.fromJSON(AgentState.toJSON(end)))).toEqual(['a', 'b', 'c', 'd']);
      }),
    );
  });

  it('the sent messages of a step are the same when the changes are read as events', async () => {
    const base = await ran();
    fc.assert(
      fc.property(fc.array(rearranged, { minLength: 1, maxLength: 4 }), (changes) => {
        const journal = createJournal(base, { env: systemEnv });
        const events: AgentEvent[] = [];
        journal.subscribe((event) => void events.push(event));
        for (const change of changes) {
          const before = journal.state();
          const after = AgentState.withMessages(before, rearrange(AgentState.messages(before), change));
          for (const body of stateChanges(before, after, 'app')) journal.commit([], body);
        }
        expect(sentTexts(journal.state())).toEqual(['a', 'b', 'c', 'd']);
        expect(fold(base, JSON.parse(JSON.stringify(events)) as AgentEvent[])).toEqual(journal.state());
      }),
    );
  });

  it('the sent messages of a step stay after a run with a separate tool trace ended', async () => {
    const tool = defineTool({ name: 'tool', description: '', input: z.any(), execute: () => 'done' });
    const script = [{ text: 'let me see', toolCalls: [{ name: 'tool', input: {} }] }, { text: 'x' }];
    const agent = scriptedAgent(script, { tools: [tool], toolTrace: 'separate' });
    const state = await createAgentLoop(agent).execute(ask('Hello'));
    const last = AgentState.lastStep(state);
    expect(last && AgentStep.inputMessages(state, last).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
    ]);
  });
});
