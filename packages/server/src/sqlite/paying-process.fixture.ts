import { appendFileSync } from 'node:fs';
import { AgentState, createAgentSession, defineAgent, type InferenceClient } from '@vitrine/core';
import { fakeTool } from '@vitrine/testing';
import { sqliteHost } from './sqlite-host.ts';

// A process to be killed: `node paying-process.fixture.ts <path> <log>` runs a session of three steps, whose `once` tool
// writes a line to the log, as does each call of its model. It prints `done` when the run has ended.
const [, , path = '', log = ''] = process.argv;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const inference: InferenceClient = {
  async *stream({ messages }) {
    const step = messages.filter(({ role }) => role === 'assistant').length;
    appendFileSync(log, `model ${step}\n`);
    await pause(8);
    yield { type: 'text-delta', delta: `Step ${step}` };
    await pause(8);
    const calls = step < 3 ? [0, 1] : [];
    for (const index of calls)
      yield { type: 'tool-call', toolCallId: `${step}-${index}`, toolName: 'pay', input: { step, index } };
    const usage = { inputTokens: 10, outputTokens: 5 };
    yield { type: 'finish', finishReason: calls.length > 0 ? 'tool-calls' : 'stop', usage } as never;
  },
};
const pay = {
  ...fakeTool('pay', async (input) => {
    await pause(5);
    appendFileSync(log, `paid ${JSON.stringify(input)}\n`);
    await pause(5);
    return 'paid';
  }),
  effects: 'once' as const,
};
const agent = defineAgent({ name: 'clerk', inference, tools: [pay] });

const host = sqliteHost({ path });
await host.start(async (address, { epoch, sessions, effects }) => {
  const { sessionId } = address;
  const session = createAgentSession({ agent, sessionId, sessions, effects, resume: true });
  await session.ready;
  const isNew = AgentState.messages(session.store.getState().state).length === 0;
  if (isNew) void session.sendMessage('Pay');
  const isOver = (): boolean => AgentState.status(session.store.getState().state) === 'completed';
  while (!isOver()) await pause(2);
  await session.flush();
  await session.dispose();
  for (const { command } of await host.pending(address))
    await host.answer(address, command.id, { turn: null, error: null }, epoch);
  process.stdout.write('done\n');
});
process.stdout.write('ready\n');
setInterval(() => undefined, 1000);
