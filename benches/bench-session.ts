import {
  AgentState,
  createAgentLoop,
  defineAgent,
  defineTool,
  Message,
  type SessionRecord,
} from '@vitrine/core';
import { blankSession } from '@vitrine/testing';
import type { AgentEventOf } from '@vitrine/core/types';
import * as z from 'zod';
import { answersWith } from './heap/scripted.ts';

export const benchId = 'bench';
const steps = 200;

/** The addition to a stored session: one more message. */
export function addMessage(number: number): AgentEventOf<'message-add'> {
  const message = Message.user('One more message of some words.');
  return {
    type: 'message-add',
    message,
    section: 'messages',
    source: 'user',
    seq: 1_000_000 + number,
    at: 1,
    path: [],
  };
}

/** The state as it is stored. */
export function record(state: AgentState): SessionRecord {
  const journal = { id: 'journal', records: 0, tail: [] };
  return blankSession(benchId, { title: 'Bench', agentName: 'bench', state, journal });
}

/** A run of 200 tool steps. */
export function makeRun(): Promise<AgentState> {
  const echo = defineTool({
    name: 'echo',
    description: 'Gives back what it is given',
    input: z.object({ n: z.number() }),
    execute: () => 'a result of some length, as tools give them',
  });
  const agent = defineAgent({
    name: 'bench',
    systemPrompt: '',
    tools: [echo],
    inference: answersWith(steps - 1),
    budget: { maxSteps: steps },
  });
  return createAgentLoop(agent).execute(AgentState.create());
}

/** The run after so many messages that all of them have that number. */
export function withHistory(run: AgentState, size: number): AgentState {
  const own = AgentState.messages(run);
  const history = Array.from({ length: size - own.length }, (_, index) =>
    Message.user(`Message ${index}: ${'some words of a conversation '.repeat(5)}`),
  );
  return AgentState.withMessages(run, [...history, ...own]);
}
