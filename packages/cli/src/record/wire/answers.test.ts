import { Usage } from '@vitrine/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assistantMessage, type WireAnswer } from './api.ts';
import { apiNamed, apiOf, readAnswer } from './apis.ts';

/** The number of random cuts and bodies; more in `npm run prove`. */
const runs = Number(process.env['PROVE_RUNS'] ?? 60);

// One answer in the words of each API, as a stream and as a whole body: thoughts, a text and a call, cut at the length.

type Case = { readonly events: readonly object[]; readonly whole: object; readonly failed: object };

const args = '{"city":"Oslo"}';
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'a',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});
const openaiUsage = {
  prompt_tokens: 10,
  completion_tokens: 7,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const call = { id: 'c', type: 'function', function: { name: 'look', arguments: args } };
const message = { reasoning_content: 'Hmm', content: 'I look.', tool_calls: [call] };
const output = [
  { id: 'rs', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hmm' }] },
  { id: 'msg', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
  { id: 'fc', type: 'function_call', call_id: 'c', name: 'look', arguments: args },
];
const response = {
  id: 'resp',
  model: 'm',
  status: 'incomplete',
  incomplete_details: { reason: 'max_output_tokens' },
  usage: {
    input_tokens: 10,
    output_tokens: 7,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens_details: { reasoning_tokens: 2 },
  },
};
const blocks = [
  { type: 'thinking', thinking: 'Hmm' },
  { type: 'text', text: 'I look.' },
  { type: 'tool_use', id: 'c', name: 'look', input: { city: 'Oslo' } },
];
const anthropicUsage = { input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 7 };
const candidate = (parts: readonly object[], finishReason?: string) => ({
  modelVersion: 'm',
  candidates: [{ content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
});
const geminiParts = [
  { text: 'Hmm', thought: true },
  { text: 'I ' },
  { text: 'look.' },
  { functionCall: { id: 'c', name: 'look', args: { city: 'Oslo' } } },
];
const usageMetadata = {
  promptTokenCount: 10,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 2,
  cachedContentTokenCount: 4,
};

const cases: Readonly<Record<string, Case>> = {
  'chat-completions': {
    events: [
      chunk({ role: 'assistant', reasoning_content: 'Hmm' }),
      chunk({ content: 'I ' }),
      chunk({ content: 'look.' }),
      chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'look', arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
      chunk({}, 'length'),
      { id: 'a', model: 'm', choices: [], usage: openaiUsage },
    ],
    whole: {
      id: 'a',
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'length' }],
      usage: openaiUsage,
    },
    failed: { error: { message: 'Overloaded' } },
  },
  responses: {
    events: [
      { type: 'response.created', response: { id: 'resp', model: 'm', status: 'in_progress' } },
      { type: 'response.output_item.added', item: { id: 'rs', type: 'reasoning', summary: [] } },
      { type: 'response.reasoning_summary_text.delta', item_id: 'rs', delta: 'Hmm' },
      { type: 'response.output_item.done', item: output[0] },
      { type: 'response.output_item.added', item: { id: 'msg', type: 'message', content: [] } },
      { type: 'response.output_text.delta', item_id: 'msg', delta: 'I ' },
      { type: 'response.output_text.delta', item_id: 'msg', delta: 'look.' },
      { type: 'response.output_item.done', item: output[1] },
      { type: 'response.output_item.added', item: { ...output[2], arguments: '' } },
      { type: 'response.function_call_arguments.delta', item_id: 'fc', delta: args },
      { type: 'response.output_item.done', item: output[2] },
      { type: 'response.incomplete', response: { ...response, output: [] } },
    ],
    whole: { ...response, output },
    failed: { type: 'error', message: 'Overloaded' },
  },
  messages: {
    events: [
      {
        type: 'message_start',
        message: { id: 'a', model: 'm', usage: { ...anthropicUsage, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hmm' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'I ' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'look.' } },
      { type: 'content_block_start', index: 2, content_block: { ...blocks[2], input: {} } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: args } },
      { type: 'content_block_stop', index: 2 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ],
    whole: {
      type: 'message',
      id: 'a',
      model: 'm',
      content: blocks,
      stop_reason: 'max_tokens',
      usage: anthropicUsage,
    },
    failed: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  },
  gemini: {
    events: [
      ...geminiParts.slice(0, 3).map((part) => candidate([part])),
      { ...candidate(geminiParts.slice(3), 'MAX_TOKENS'), usageMetadata },
    ],
    whole: { ...candidate(geminiParts, 'MAX_TOKENS'), usageMetadata },
    failed: { error: { code: 503, message: 'Overloaded' } },
  },
};

const bodyOf = (events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

describe.each(Object.entries(cases))('an answer of %s', (name, { events, whole, failed }) => {
  const api = apiNamed(name)!;
  const stream = (body: string): WireAnswer =>
    readAnswer(api, { status: 200, contentType: 'text/event-stream', body }).answer;

  it('a stream and a whole body give the same answer', () => {
    const read = stream(`${bodyOf(events)}data: [DONE]\n\n`);
    const json = readAnswer(api, {
      status: 200,
      contentType: 'application/json',
      body: JSON.stringify(whole),
    });
    expect(json).toEqual({ answer: read, isJunk: false });
    expect(read).toMatchObject({
      model: 'm',
      finish: 'length',
      error: null,
      parts: [
        { type: 'reasoning', text: 'Hmm' },
        { type: 'text', text: 'I look.' },
        { type: 'call', id: 'c', name: 'look', args },
      ],
    });
    expect(read.usage).toMatchObject({ inputTokens: 10, outputTokens: 7, cacheReadTokens: 4 });
    expect(read.usage?.totalTokens).toBe(Usage.of({ inputTokens: 10, outputTokens: 7 }).totalTokens);
  });

  it('a stream that breaks off anywhere has a beginning of the answer, and no end', () => {
    const text = bodyOf(events);
    fc.assert(
      fc.property(fc.nat(text.length), (length) => {
        const { finish, parts } = stream(text.slice(0, length));
        const said = assistantMessage(parts);
        expect('I look.'.startsWith(said.text)).toBe(true);
        if (finish !== null) expect(said.text).toBe('I look.');
      }),
      { numRuns: runs },
    );
    expect(stream(bodyOf(events.slice(0, 3))).finish).toBeNull();
  });

  it('an error in a stream, and one with a status, are told with their message', () => {
    expect(stream(bodyOf([...events.slice(0, 2), failed])).error).toBe('Overloaded');
    const body = JSON.stringify({ error: { message: 'Too many requests' } });
    const { answer } = readAnswer(api, { status: 429, contentType: 'application/json', body });
    expect(answer.error).toBe('429 Too many requests');
  });

  it('any JSON and any text is read without an error of the reader', () => {
    const body = fc.oneof(
      fc.json(),
      fc.string(),
      fc.json().map((text) => `data: ${text}\n\n`),
    );
    const contentType = fc.constantFrom('application/json', 'text/event-stream', '');
    fc.assert(
      fc.property(body, contentType, (given, type) => {
        readAnswer(api, { status: 200, contentType: type, body: given });
      }),
      { numRuns: runs },
    );
  });
});

it('the API of a request is that of its path, and other requests have none', () => {
  const apis = [
    '/v1/chat/completions?api-version=1',
    '/v1/responses',
    '/v1/messages',
    '/v1beta/models/m:streamGenerateContent?alt=sse',
    '/v1/embeddings',
    '/v1/messages/count_tokens',
  ].map((path) => apiOf('POST', path)?.name ?? null);
  expect(apis).toEqual(['chat-completions', 'responses', 'messages', 'gemini', null, null]);
  expect(apiOf('GET', '/v1/responses')).toBeNull();
});
