import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { defineTool } from '../agent/tool.ts';
import { definePlugin } from './define-plugin.ts';
import * as Message from '../graph/message.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { createAgentSession } from '../session/create-agent-session.ts';
import * as AgentState from '../run/agent-state.ts';
import * as Conversation from '../session/conversation/conversation.ts';
import { plans, play, type ToldCall } from './told-agents.fixture.ts';

const form = /<context name="([^"]*)"(?: replaces="true")?(?: removed="true"\/>|>\n([\s\S]*?)\n<\/context>)/g;

/** The items that a request tells, read from its texts alone. */
function readItems({ messages }: Pick<ToldCall, 'messages'>): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  const texts = messages.flatMap(({ parts }) =>
    parts.map((part) =>
      part.type === 'text' ? part.text : part.type === 'tool-result' ? String(part.output) : '',
    ),
  );
  for (const [, quoted = '', content] of texts.join('\n').matchAll(form)) {
    const name = quoted.replace(/&#(\d+);/g, (_all, code) => String.fromCodePoint(Number(code)));
    if (content === undefined) known.delete(name);
    else known.set(name, content.replaceAll('&lt;', '<'));
  }
  return known;
}

/** The faults of the order of messages: what a provider would refuse. */
function misplaced({ messages }: Pick<ToldCall, 'messages'>): readonly string[] {
  const faults: string[] = [];
  let open = new Set<string>();
  for (const [at, { role, parts }] of messages.entries()) {
    if (role === 'system' && messages.slice(0, at).some((before) => before.role !== 'system'))
      faults.push(`system message at ${at}`);
    if (role !== 'tool' && open.size > 0) faults.push(`${role} between a call and its result at ${at}`);
    for (const part of parts) {
      if (part.type === 'tool-call') open.add(part.toolCallId);
      else if (part.type === 'tool-result') open.delete(part.toolCallId);
    }
    if (role !== 'assistant' && role !== 'tool') open = new Set();
  }
  return faults;
}

const numRuns = Number(process.env['PROVE_RUNS'] ?? 60);

describe('the context that plugins give', () => {
  it('a model knows in each call what plugins give, at a place that providers take', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { calls } = await play(plan);
        expect(calls.length).toBeGreaterThan(0);
        for (const call of calls) {
          expect(sorted(readItems(call))).toEqual(sorted(call.now));
          expect(misplaced(call)).toEqual([]);
        }
      }),
      { numRuns },
    );
  }, 300_000);

  it('a request begins with the one before it in its run, when nothing was summed up or put between', async () => {
    const calm = plans.map((plan) => ({
      ...plan,
      sums: false,
      compiler: plan.compiler === 'all' ? ('all' as const) : ('usual' as const),
      moves: plan.moves.filter((move) => move !== 'steer'),
    }));
    await fc.assert(
      fc.asyncProperty(calm, async (plan) => {
        const { calls } = await play(plan);
        for (const [at, { messages, execution }] of calls.entries()) {
          const before = calls[at - 1];
          if (before?.execution !== execution) continue;
          const texts = before.messages.map(wireText);
          expect(messages.slice(0, texts.length).map(wireText)).toEqual(texts);
        }
      }),
      { numRuns },
    );
  }, 300_000);

  it('what was told names who gave it and is in no chat', async () => {
    const clock = definePlugin({
      id: 'clock',
      state: z.unknown(),
      prepare: ({ stepNumber }) => ({ context: [{ name: 'Time', content: `${stepNumber} o'clock` }] }),
    });
    const look = defineTool({ name: 'look', description: '', input: z.object({}), execute: () => 'seen' });
    const requests: InferenceRequest[] = [];
    const agent = scriptedAgent(
      [
        (request) => (requests.push(request), { toolCalls: [{ name: 'look', input: {} }] }),
        (request) => (requests.push(request), { text: 'Done.' }),
      ],
      { plugins: [clock], tools: [look] },
    );
    const session = createAgentSession({ agent, publish: 'immediate' });
    await session.sendMessage('Look.');
    const { state } = session.store.getState();
    const told = AgentState.messages(state).filter(({ role }) => role === 'system');
    expect(told.map(Message.text)).toEqual([
      '<context name="Time">\n1 o\'clock\n</context>',
      '<context name="Time" replaces="true">\n2 o\'clock\n</context>',
    ]);
    expect(told[0]?.metadata['context']).toMatchObject({ Time: { by: 'clock' } });
    expect(told.every(Message.isTrace)).toBe(true);
    const shown = Conversation.messages(state);
    expect(shown.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
    expect(Conversation.messageIds(state)).toEqual(shown.map(({ id }) => id));
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(wireText(requests[1]!.messages.at(-1)!)).toContain('seen\\n\\n<context name=');
    await session.dispose();
  });
});

function sorted(items: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1));
}

function wireText({ role, parts }: Message.Message): string {
  return JSON.stringify([role, parts]);
}
