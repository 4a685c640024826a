import type { JsonObject } from '@vitrine/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { requestsOf, signature } from './conversation-requests.fixture.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe('anthropic', () => {
  /** An answer of blocks, streamed in the provider's format. */
  const answer = (stop: string, ...blocks: readonly JsonObject[]): JsonObject[] => [
    {
      type: 'message_start',
      message: {
        id: 'msg',
        type: 'message',
        role: 'assistant',
        content: [],
        model: 'm',
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: begun(block) },
      ...deltas(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    { type: 'message_stop' },
  ];

  function begun(block: JsonObject): JsonObject {
    if (block['type'] === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
    if (block['type'] === 'text') return { type: 'text', text: '' };
    return block['type'] === 'tool_use' ? { ...block, input: {} } : block;
  }

  function deltas(block: JsonObject): JsonObject[] {
    const { type, thinking, signature: signed, text, input } = block;
    if (type === 'thinking')
      return [
        { type: 'thinking_delta', thinking: thinking ?? '' },
        { type: 'signature_delta', signature: signed ?? '' },
      ];
    if (type === 'text') return [{ type: 'text_delta', text: text ?? '' }];
    return type === 'tool_use' ? [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }] : [];
  }

  const thought = (name: string): JsonObject => ({
    type: 'thinking',
    thinking: `About ${name}.`,
    signature: signature(name),
  });
  const redactThinking = (name: string): JsonObject => ({ type: 'redacted_thinking', data: signature(name) });
  const call = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'look', input: { at: id } });

  it(
    'anthropic receives its thoughts one by one, with their signatures, and the redacted ones',
    { timeout: 30_000 },
    async () => {
      const first = [
        thought('a'),
        thought('b'),
        redactThinking('c'),
        { type: 'text', text: 'I look.' },
        call('t1'),
      ];
      const second = [redactThinking('d'), redactThinking('e'), thought('f'), call('t2')];
      const requests = await requestsOf(upstream, 'anthropic', [
        answer('tool_use', ...first),
        answer('tool_use', ...second),
        answer('end_turn', { type: 'text', text: 'Done.' }),
      ]);
      const said = requests.map(({ messages }) =>
        (messages as { role: string; content: JsonObject[] }[])
          .filter(({ role }) => role === 'assistant')
          .map(({ content }) => content.map(({ cache_control: _unwanted, ...block }) => block)),
      );
      expect(said).toEqual([[], [first], [first, second]]);
    },
  );

  it(
    'an older model of anthropic thinks only when the settings ask for it',
    { timeout: 30_000 },
    async () => {
      const done = answer('end_turn', { type: 'text', text: 'Done.' });
      const older = { VITRINE_MODELS: 'anthropic:claude-sonnet-4-5' };
      const [asked] = await requestsOf(upstream, 'anthropic', [done], { reasoning: 'low' }, older);
      const [off] = await requestsOf(upstream, 'anthropic', [done], { reasoning: 'off' }, older);
      const [silent] = await requestsOf(upstream, 'anthropic', [done], {}, older);
      expect(asked?.['thinking']).toMatchObject({ type: 'enabled', budget_tokens: expect.any(Number) });
      expect([off?.['thinking'], silent?.['thinking']]).toEqual([{ type: 'disabled' }, undefined]);
    },
  );
});

describe('google', () => {
  const answer = (...parts: readonly JsonObject[]): JsonObject[] => [
    ...parts.map((part) => ({ candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }] })),
    {
      candidates: [{ content: { parts: [], role: 'model' }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    },
  ];
  const signed = (part: JsonObject, name: string): JsonObject => ({
    ...part,
    thoughtSignature: signature(name),
  });
  const call = (at: number): JsonObject => ({ functionCall: { name: 'look', args: { at } } });

  it('google receives the signatures of its texts, calls and empty parts', { timeout: 30_000 }, async () => {
    const first = [
      { text: 'I think.', thought: true },
      signed({ text: 'I look.' }, 'a'),
      signed(call(1), 'b'),
      call(2),
    ];
    const second = [signed({ text: '' }, 'c'), signed(call(3), 'd')];
    const requests = await requestsOf(upstream, 'google', [
      answer(...first),
      answer(...second),
      answer({ text: 'Done.' }),
    ]);
    const said = requests.map(({ contents }) =>
      (contents as { role: string; parts: JsonObject[] }[])
        .filter(({ role }) => role === 'model')
        .map(({ parts }) => parts.map(withoutIds)),
    );
    expect(said).toEqual([[], [first], [first, second]]);
  });

  /** Removes ids of calls, which are ours where the provider gave none. */
  function withoutIds(part: JsonObject): JsonObject {
    const { functionCall } = part;
    if (typeof functionCall !== 'object' || functionCall === null) return part;
    const { id: _, ...rest } = functionCall as JsonObject;
    return { ...part, functionCall: rest };
  }

  it('google thinks as much as the settings say', { timeout: 30_000 }, async () => {
    const done = [answer({ text: 'Done.' })];
    const older = { VITRINE_MODELS: 'google:gemini-2.5-flash' };
    const [asked] = await requestsOf(upstream, 'google', done, { reasoning: 'high' }, older);
    const [off] = await requestsOf(upstream, 'google', done, { reasoning: 'off' }, older);
    const [newest] = await requestsOf(upstream, 'google', done, { reasoning: 'high' });
    const [least] = await requestsOf(upstream, 'google', done, { reasoning: 'off' });
    const thinkingOf = (body: JsonObject | undefined): unknown =>
      (body?.['generationConfig'] as JsonObject | undefined)?.['thinkingConfig'];
    expect(thinkingOf(asked)).toMatchObject({ thinkingBudget: expect.any(Number) });
    expect(thinkingOf(off)).toEqual({ thinkingBudget: 0 });
    expect(thinkingOf(newest)).toMatchObject({ thinkingLevel: 'high' });
    expect(thinkingOf(least)).toEqual({ thinkingLevel: 'low' });
  });
});

it(
  'a compatible server thinks as much as the settings say, and by its default without them',
  { timeout: 30_000 },
  async () => {
    const choices = [{ index: 0, delta: { content: 'Done.' }, finish_reason: 'stop' }];
    const answers = [[{ id: 'x', model: 'm', choices }]];
    const [asked] = await requestsOf(upstream, 'openai-compatible', answers, { reasoning: 'high' });
    const [silent] = await requestsOf(upstream, 'openai-compatible', answers);
    expect([asked?.['reasoning_effort'], silent?.['reasoning_effort']]).toEqual(['high', undefined]);
  },
);
