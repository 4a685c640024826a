import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../agent/tool.ts';
import * as AgentState from '../run/agent-state.ts';
import * as AgentStep from './document/agent-step.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import { createJournal } from '../run/journal.ts';
import { stateChanges } from '../run/state-changes.ts';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { type Message, text } from './message.ts';
import type { AgentState as State } from './types.ts';

const pay = defineTool({
  name: 'pay',
  description: '',
  input: z.object({ card: z.string() }),
  execute: ({ card }) => `paid with ${card}`,
});

/** A finished run: a question, a call with its result, and an answer. */
async function ran(): Promise<State> {
  const script = [{ text: 'I pay', toolCalls: [{ name: 'pay', input: { card: '4111' } }] }, { text: 'Done' }];
  return createAgentLoop(scriptedAgent(script, { tools: [pay] })).execute(ask('My card is 4111'));
}

function changed(
  state: State,
  change: (messages: readonly Message[]) => readonly Message[],
  isErasing = true,
): State {
  const journal = createJournal(state);
  const after = AgentState.withMessages(state, change(AgentState.messages(state)));
  for (const body of stateChanges(state, after, 'app', undefined, { isErasing })) journal.commit([], body);
  return journal.state();
}

const masked = (message: Message): Message => ({
  ...message,
  parts: JSON.parse(JSON.stringify(message.parts).replaceAll('4111', '****')) as Message['parts'],
});

describe('a message that the application removed', () => {
  it('a removed message leaves its id in the steps, which mark it as erased', async () => {
    const state = await ran();
    const before = AgentState.messages(state);
    const after = changed(state, (messages) => messages.slice(-1));
    expect(JSON.stringify(AgentState.toJSON(after))).not.toContain('4111');
    const [first, last] = AgentState.steps(after);
    const sent = AgentStep.inputMessages(after, last!);
    expect(sent.map(({ id, parts }) => [id, parts])).toEqual(before.slice(0, 3).map(({ id }) => [id, []]));
    expect(sent.every(({ metadata }) => metadata['erased'] === true)).toBe(true);
    expect(first!.outputMessages.map(({ id }) => id)).toEqual([before[1]!.id, before[2]!.id]);
    expect(first!.toolExecutions).toMatchObject([{ toolCall: { name: 'pay', input: null }, result: null }]);
    expect(AgentState.usage(after)).toEqual(AgentState.usage(state));
    expect(AgentState.fromJSON(AgentState.toJSON(after))).toEqual(after);
  });

  it('a removed message stays readable in the steps when a hook only shortens the history', async () => {
    const state = await ran();
    const after = changed(state, (messages) => messages.slice(-1), false);
    const last = AgentState.steps(after).at(-1)!;
    expect(AgentStep.inputMessages(after, last).map(text)).toEqual(['My card is 4111', 'I pay', '']);
  });
});

it('a rewritten message is rewritten in its step too, and its former text is deleted', async () => {
  const after = changed(await ran(), (messages) => messages.map(masked));
  expect(JSON.stringify(AgentState.toJSON(after))).not.toContain('4111');
  const [first] = AgentState.steps(after);
  expect(first!.toolExecutions).toMatchObject([
    { toolCall: { input: { card: '****' } }, result: 'paid with ****' },
  ]);
  expect(first!.outputMessages).toEqual(AgentState.messages(after).slice(1, 3));
  expect(AgentState.messages(after).map(text)).toEqual(['My card is ****', 'I pay', '', 'Done']);
});
