import type { UIMessage } from 'ai';
import * as seven from 'ai';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentState, createAgentSession, defineTool, type JsonValue, type Message } from '@vitrine/core';
import { exportMessages } from '@vitrine/messages';
import { importUiMessages, toUiMessages } from '@vitrine/ai-sdk';
import type { ScriptedStep } from '@vitrine/testing';
import * as z from 'zod';
import { olderPeer } from '../../../../tests/peers/older-peer.ts';
import { section } from '@vitrine/core/internal/graph/message-store';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';

const six = await olderPeer<typeof seven>('ai-6');
const versions = six === null ? [seven] : [seven, six];
const input = z.object({ n: z.number() });
const tools = [
  defineTool({
    name: 'double',
    description: '',
    input,
    execute: ({ n }) => ({ twice: n * 2, list: [null] }),
  }),
  defineTool({ name: 'fail', description: '', input, execute: () => Promise.reject(new Error('broken')) }),
  defineTool({ name: 'pay', description: '', input, needsApproval: true, execute: () => null }),
  defineTool({ name: 'ask', description: '', input }),
];

const call = fc.record({
  name: fc.constantFrom('double', 'fail', 'pay', 'ask', 'nobody'),
  input: fc.oneof(fc.record({ n: fc.nat(9) }), fc.constant('wrong')),
});
const step = fc.record({
  text: fc.string({ maxLength: 20 }),
  reasoning: fc.string({ maxLength: 5 }),
  toolCalls: fc.array(call, { maxLength: 3 }),
});
const turn = fc.record({
  kind: fc.constantFrom('send', 'send', 'edit', 'regenerate', 'switch'),
  text: fc.string({ minLength: 1, maxLength: 10 }).filter((text) => text.trim() !== ''),
  file: fc.option(
    fc.constantFrom(
      { data: 'QUJD' },
      { url: 'https://a.example/b.png' },
      { data: 'QQ==', filename: 'a b.png' },
    ),
  ),
  data: fc.option(fc.record({ row: fc.jsonValue() })),
  approve: fc.boolean(),
});
const plan = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
});
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

/** Plays a conversation and returns its state: answers with calls, files and data, on branches. */
async function play({ steps, turns }: Plan): Promise<AgentState> {
  const script = [...steps, { text: 'End' }] as ScriptedStep[];
  const agent = scriptedAgent(script, { tools, budget: { maxSteps: 3 }, dataParts: { view: z.any() } });
  const session = createAgentSession({ agent, publish: 'immediate' });
  const state = (): AgentState => session.store.getState().state;
  for (const { kind, text, file, data, approve } of turns) {
    const files = file ? [{ type: 'file' as const, mediaType: 'image/png', filename: null, ...file }] : [];
    const message = {
      text,
      files,
      ...(data ? { data: { view: data as JsonValue } } : {}),
      metadata: { from: text },
    };
    const said = section(state().context.store).filter(({ role }) => role === 'user');
    const first = said[0]?.id ?? '';
    if (kind === 'edit' && said.length > 0) await session.edit(first, message);
    else if (kind === 'regenerate' && said.length > 0) await session.regenerate();
    else if (kind === 'switch') {
      const [other] = session.store.getState().tree.branches;
      if (other !== undefined) await session.switchBranch(section(other.state.context.store)[0]?.id ?? '');
    } else await session.sendMessage(message);
    for (let pending = AgentState.pendingApprovals(state()); pending.length > 0;) {
      const [{ id, status }] = pending as [(typeof pending)[number]];
      if (status === 'awaiting-output') await session.respond(id, { given: true });
      else if (approve) await session.approve(id);
      else await session.reject(id, { reason: 'no' });
      pending = AgentState.pendingApprovals(state());
    }
  }
  return state();
}

function listed(state: AgentState): readonly Message[] {
  return [...section(state.context.store), ...section(state.context.store, 'execution_buffer')];
}

describe('a conversation that leaves and comes back', () => {
  it('200 random sessions keep messages, calls, results, files and the active branch over UI messages', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (planned) => {
        const state = await play(planned);
        const ui = toUiMessages(state);
        // The AI SDK refuses a conversation without messages.
        fc.pre(ui.length > 0);
        const sent = JSON.parse(JSON.stringify(ui)) as UIMessage[];
        expect(importUiMessages(sent)).toEqual(listed(state));
        expect(
          toUiMessages(AgentState.create({ messages: importUiMessages(sent) })).map(({ id }) => id),
        ).toEqual(ui.map(({ id }) => id));
        for (const { safeValidateUIMessages, convertToModelMessages } of versions) {
          const validated = await safeValidateUIMessages({ messages: sent });
          expect(validated.success, JSON.stringify(validated)).toBe(true);
          await convertToModelMessages(sent, { ignoreIncompleteToolCalls: true });
        }
      }),
      { numRuns: 200 },
    );
  }, 120_000);
});

describe('calls that failed or were rejected', () => {
  const one = (name: string) => ({ name, input: { n: 1 } });
  const steps = [{ text: 'Hm', reasoning: '', toolCalls: [one('fail'), one('pay'), one('double')] }];
  const course = { steps, turns: [{ kind: 'send', text: 'Go', file: null, data: null, approve: false }] };

  it('the AI SDK gives its model the error of a failed call and the reason of a rejected one', async () => {
    const ui = JSON.parse(JSON.stringify(toUiMessages(await play(course as Plan)))) as UIMessage[];
    for (const { convertToModelMessages } of versions) {
      const prompt = await convertToModelMessages(ui);
      const results = (prompt as readonly { readonly role: string; readonly content: unknown }[]).flatMap(
        ({ role, content }) => (role === 'tool' ? (content as readonly Told[]) : []),
      );
      const told = results.filter(({ type }) => type === 'tool-result');
      expect(told.map(({ toolName }) => toolName).toSorted()).toEqual(['double', 'fail', 'pay']);
      const outputOf = (name: string): unknown => told.find(({ toolName }) => toolName === name)?.output;
      expect(outputOf('fail')).toMatchObject({
        type: 'error-text',
        value: expect.stringContaining('broken'),
      });
      expect(JSON.stringify(outputOf('pay'))).toMatch(/no/);
      expect(JSON.stringify(outputOf('pay'))).toMatch(/denied|error/);
      expect(outputOf('double')).toEqual({ type: 'json', value: { twice: 2, list: [null] } });
    }
  });

  it.each(['openai', 'anthropic'] as const)(
    'the messages of %s have a result for each call, which says what failed and what was rejected',
    async (shape) => {
      const text = JSON.stringify(exportMessages(await play(course as Plan), shape));
      expect(text).toContain('broken');
      expect(text.match(/"role":"tool"|"type":"tool_result"/g)).toHaveLength(3);
      expect(text).toMatch(/reject|denied/i);
    },
  );
});

/** A part of a message of a tool in the AI SDK. */
type Told = { readonly type: string; readonly toolName: string; readonly output: unknown };

describe('messages of another application', () => {
  const dynamic = { type: 'dynamic-tool', toolName: 'search', toolCallId: 'c2', input: { q: 1 } };
  const answer = {
    id: 'm2',
    role: 'assistant',
    metadata: { model: 'x' },
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm', providerMetadata: { a: { s: '1' } } },
      { type: 'tool-weather', toolCallId: 'c1', state: 'output-available', input: {}, output: [1] },
      { ...dynamic, state: 'output-error', errorText: 'away' },
      { type: 'custom', kind: 'a.b' },
      { type: 'step-start' },
      { type: 'text', text: 'Sunny', state: 'done' },
      { type: 'source-url', sourceId: 's', url: 'https://a.example' },
      { type: 'tool-pay', toolCallId: 'c3', state: 'approval-requested', input: 1, approval: { id: 'a' } },
    ],
  };

  it('messages of ai 5 to 7 become messages with calls and results, step by step', () => {
    const file = {
      type: 'file',
      mediaType: 'image/png',
      url: 'data:image/png;base64,QQ==',
      filename: 'a.png',
    };
    const user = {
      id: 'm1',
      role: 'user',
      parts: [{ type: 'text', text: 'Hi' }, file, { type: 'data-row', data: 1 }],
    };
    const [asked, first, weather, search, second, ...more] = importUiMessages([user, answer]);
    expect(more).toEqual([]);
    expect(asked).toMatchObject({
      id: 'm1',
      parts: [
        { type: 'text', text: 'Hi' },
        { type: 'file', data: 'QQ==', filename: 'a.png' },
        { type: 'data', name: 'row', data: 1 },
      ],
    });
    expect(first).toMatchObject({
      id: 'm2',
      metadata: { model: 'x' },
      parts: [
        { type: 'reasoning', providerMetadata: { a: { s: '1' } } },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: {} },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'search', input: { q: 1 } },
      ],
    });
    expect(weather).toMatchObject({
      role: 'tool',
      parts: [{ toolCallId: 'c1', outcome: 'completed', output: [1] }],
    });
    expect(search).toMatchObject({
      role: 'tool',
      parts: [{ outcome: 'failed', output: expect.stringContaining('away') }],
    });
    expect(second?.parts.map(({ type }) => type)).toEqual(['text', 'source', 'tool-call']);
  });

  it('a conversation of another application can go on: its open call is told to the model as interrupted', async () => {
    const seen: string[] = [];
    const agent = scriptedAgent([
      ({ messages }) => {
        seen.push(...messages.map(({ role }) => role));
        return { text: 'On' };
      },
    ]);
    const initialState = AgentState.create({ messages: importUiMessages([answer]) });
    const session = createAgentSession({ agent, initialState });
    expect(await session.sendMessage('And now?')).toMatchObject({ outcome: 'completed' });
    expect(seen.filter((role) => role === 'tool')).toHaveLength(3);
  });

  it.each([
    ['no list', { messages: [] }, /give the list of messages/],
    ['a message without parts and content', [{ id: 'a', role: 'user' }], /messages\[0\] is no UI message/],
    ['an unknown role', [answer, { id: 'a', role: 'tool', parts: [] }], /messages\[1\] is no UI message/],
  ])('%s is refused with its place', (_name, given, message) => {
    expect(() => importUiMessages(given as never)).toThrow(message);
  });
});

it('toUiMessages keeps the reference of messages that did not change', async () => {
  const session = createAgentSession({ agent: scriptedAgent([{ text: 'One' }, { text: 'Two' }]) });
  await session.sendMessage('first');
  await session.sendMessage('second');
  const before = toUiMessages(session.store.getState().state);
  const after = toUiMessages(session.store.getState().state);
  expect(after.slice(0, 3).map((message, index) => message === before[index])).toEqual([true, true, true]);
});
