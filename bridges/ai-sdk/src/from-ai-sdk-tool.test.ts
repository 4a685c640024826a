import * as seven from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { AgentState, createAgentSession, runAgent } from '@vitrine/core';
import { fromAiSdkTool } from '@vitrine/ai-sdk';
import * as z from 'zod';
import { olderPeer } from '../../../tests/peers/older-peer.ts';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';

const { jsonSchema, tool } = seven;
const six = (await olderPeer<typeof seven>('ai-6')) ?? seven;

const calls = (name: string, input: object): { toolCalls: { name: string; input: never }[] } => ({
  toolCalls: [{ name, input: input as never }],
});

async function callOf(made: ReturnType<typeof fromAiSdkTool>, input: object): Promise<unknown> {
  const agent = scriptedAgent([calls(made.name, input), { text: 'Done' }], { tools: [made] });
  const { state } = await runAgent(agent, 'Go');
  return AgentState.steps(state)[0]?.toolExecutions[0];
}

describe('a tool of the AI SDK', () => {
  it('a zod tool runs with the id, the messages and the signal that the AI SDK gives it', async () => {
    const execute = vi.fn(async ({ city }: { city: string }, _options: object) => `sunny in ${city}`);
    const weather = tool({ description: 'Weather', inputSchema: z.object({ city: z.string() }), execute });
    const made = fromAiSdkTool('weather', weather);
    expect(made).toMatchObject({ name: 'weather', description: 'Weather' });
    expect(await callOf(made, { city: 'Bern' })).toMatchObject({
      status: 'completed',
      result: 'sunny in Bern',
    });
    expect(execute.mock.calls[0]?.[1]).toMatchObject({
      toolCallId: expect.any(String),
      abortSignal: expect.any(AbortSignal),
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }, { role: 'assistant' }],
    });
    expect(await callOf(made, { city: 7 })).toMatchObject({ status: 'failed' });
  });

  it.each([
    [
      'jsonSchema',
      jsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }),
    ],
    ['zodSchema', six.zodSchema(z.object({ n: z.number() }))],
  ])('a tool with %s checks its arguments', async (_name, inputSchema) => {
    const made = fromAiSdkTool(
      'n',
      six.tool({ inputSchema: inputSchema as never, execute: ({ n }: { n: number }) => n }) as never,
    );
    expect(made.inputSchema).toMatchObject({ type: 'object', required: ['n'] });
    expect(await callOf(made, { n: 2 })).toMatchObject({ status: 'completed', result: 2 });
    expect(await callOf(made, { n: 'x' })).toMatchObject({ status: 'failed' });
  });

  it('a generator reports what it yields, and its last value is the result', async () => {
    const made = fromAiSdkTool(
      'count',
      tool({
        inputSchema: z.object({}),
        async *execute() {
          yield 'one';
          yield 'two';
        },
      }),
    );
    expect(await callOf(made, {})).toMatchObject({ status: 'completed', result: 'two', progress: 'two' });
  });

  it('needsApproval is asked with the arguments', async () => {
    const made = fromAiSdkTool('pay', {
      inputSchema: z.object({ n: z.number() }),
      needsApproval: async ({ n }: { n: number }) => n > 5,
      execute: () => 'paid',
    });
    const agent = scriptedAgent([calls('pay', { n: 3 }), calls('pay', { n: 9 }), { text: 'Done' }], {
      tools: [made],
    });
    const session = createAgentSession({ agent });
    await session.sendMessage('Pay');
    expect(AgentState.pendingApprovals(session.store.getState().state)).toMatchObject([
      { toolCall: { input: { n: 9 } } },
    ]);
  });

  it('a tool whose schema is missing or still loads is refused with its name', () => {
    const wrong = /fromAiSdkTool\("t"\): its inputSchema is no schema/;
    expect(() => fromAiSdkTool('t', {})).toThrow(wrong);
    expect(() => fromAiSdkTool('t', { inputSchema: jsonSchema(Promise.resolve({})) })).toThrow(wrong);
  });
});
