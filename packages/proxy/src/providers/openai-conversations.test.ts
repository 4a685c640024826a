import { createOpenAI } from '@ai-sdk/openai';
import { type InferenceRequest, type JsonObject, Message, type MessagePart } from '@vitrine/core';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { request } from '../../../../tests/upstream/plain-request.ts';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { answerWith, requestsOf, signature } from './conversation-requests.fixture.ts';
import { modelsFromEnv } from './models-from-env.ts';
import type { ProxyModel } from './proxy-model.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe('openai', () => {
  /** An answer of items, streamed in the provider's format. */
  const answer = (...items: readonly JsonObject[]): JsonObject[] => [
    { type: 'response.created', response: { id: 'resp', created_at: 1, model: 'm' } },
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: begun(item) },
      ...deltas(item).map((delta) => ({ item_id: item['id'] ?? '', output_index, ...delta })),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1 } } },
  ];

  function begun(item: JsonObject): JsonObject {
    if (item['type'] === 'function_call') return { ...item, arguments: '' };
    return item['type'] === 'reasoning' ? { ...item, encrypted_content: 'begun', summary: [] } : item;
  }

  function deltas({ type, summary, content, arguments: input }: JsonObject): JsonObject[] {
    if (type === 'function_call')
      return [{ type: 'response.function_call_arguments.delta', delta: input ?? '' }];
    if (type === 'message')
      return (content as { text: string }[]).map(({ text }) => ({
        type: 'response.output_text.delta',
        delta: text,
      }));
    return (summary as { text: string }[]).flatMap(({ text }, summary_index) => [
      { type: 'response.reasoning_summary_part.added', summary_index },
      { type: 'response.reasoning_summary_text.delta', summary_index, delta: text },
      { type: 'response.reasoning_summary_part.done', summary_index },
    ]);
  }

  const thought = (name: string, ...texts: readonly string[]): JsonObject => ({
    type: 'reasoning',
    id: `rs_${name}`,
    encrypted_content: signature(name),
    summary: texts.map((text) => ({ type: 'summary_text', text })),
  });
  const said = (text: string, more: JsonObject = {}): JsonObject => ({
    type: 'message',
    id: `msg_${text}`,
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
    ...more,
  });
  const call = (name: string): JsonObject => ({
    type: 'function_call',
    id: `fc_${name}`,
    call_id: `call_${name}`,
    name: 'look',
    arguments: JSON.stringify({ at: name }),
    status: 'completed',
  });
  const done = answer(said('Done.'));

  /** The items of a request that the model has made, without ids of calls, which are ours. */
  const itemsOf = ({ input }: JsonObject): unknown[] =>
    (input as JsonObject[])
      .filter(({ type, role }) => type === 'reasoning' || type === 'function_call' || role === 'assistant')
      .map(({ call_id: _ours, ...item }) => item);

  it(
    'openai receives its encrypted thoughts, texts and calls of all steps, and stores nothing',
    { timeout: 30_000 },
    async () => {
      const first = [thought('a', 'One.', 'Two.'), said('I look.', { phase: 'commentary' }), call('1')];
      const second = [thought('b'), call('2'), call('3')];
      const requests = await requestsOf(upstream, 'openai', [answer(...first), answer(...second), done]);
      const called = (at: string): JsonObject => ({
        type: 'function_call',
        name: 'look',
        arguments: JSON.stringify({ at }),
      });
      const sent = [
        thought('a', 'One.', 'Two.'),
        { role: 'assistant', content: 'I look.', phase: 'commentary' },
        called('1'),
      ];
      expect(requests.map(itemsOf)).toEqual([[], sent, [...sent, thought('b'), called('2'), called('3')]]);
      for (const { store, include } of requests)
        expect([store, include]).toEqual([false, ['reasoning.encrypted_content']]);
      const { input = [] } = requests[2] ?? {};
      const results = (input as JsonObject[]).filter(({ type }) => type === 'function_call_output');
      expect(results.map(({ output }) => output)).toEqual(['seen', 'seen', 'seen']);
    },
  );

  it('openai shows its thoughts, and thinks as much as the settings say', { timeout: 30_000 }, async () => {
    const [asked] = await requestsOf(upstream, 'openai', [done], { reasoning: 'high' });
    const [silent] = await requestsOf(upstream, 'openai', [done]);
    expect([asked?.['reasoning'], silent?.['reasoning']]).toEqual([
      { effort: 'high', summary: 'auto' },
      { summary: 'auto' },
    ]);
  });

  it('an organization that may not see thoughts is answered without them', async () => {
    const models = modelsFromEnv({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: upstream.url });
    const body = '{"error":{"message":"Verify.","param":"reasoning.summary","code":"unsupported_value"}}';
    const whole = answerWith('openai', done);
    const before = upstream.bodies().length;
    upstream.next.push({ kind: 'status', status: 400, body }, whole, whole);
    for (const model of [models[0], models[1]]) expect(await textOf(model, request)).toBe('Done.');
    const asked = upstream.bodies().slice(before);
    expect(asked.map((sent) => (JSON.parse(sent) as JsonObject)['reasoning'])).toEqual([
      { summary: 'auto' },
      undefined,
      undefined,
    ]);
  });

  it('openai receives images and PDFs, as data and by their address', async () => {
    const [model] = modelsFromEnv({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: upstream.url });
    upstream.next.push(answerWith('openai', done));
    const file = (mediaType: string, data: object): MessagePart =>
      ({ type: 'file', mediaType, filename: null, ...data }) as MessagePart;
    const parts = [
      file('image/png', { data: 'iVBORw0KGgo=' }),
      file('image/png', { url: 'https://files.example/a.png' }),
      file('application/pdf', { data: 'JVBERi0=' }),
      file('application/pdf', { url: 'https://files.example/a.pdf' }),
    ];
    const messages = [{ ...Message.user('Look'), parts }];
    expect(await textOf(model, { ...request, messages })).toBe('Done.');
    const { input } = JSON.parse(upstream.bodies().at(-1) ?? '') as { input: JsonObject[] };
    expect(input.at(-1)?.['content']).toEqual([
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'input_image', image_url: 'https://files.example/a.png' },
      { type: 'input_file', filename: 'part-2.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      { type: 'input_file', file_url: 'https://files.example/a.pdf' },
    ]);
  });

  it.each(['of the environment', 'of the application'])(
    'a page cannot name items that are stored at OpenAI, or give options, through a model %s',
    async (whose) => {
      const settings = { apiKey: 'k', baseURL: upstream.url };
      const own = fromLanguageModel(createOpenAI(settings).responses('gpt-5'));
      const models: readonly ProxyModel[] =
        whose === 'of the environment'
          ? modelsFromEnv({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: upstream.url })
          : [{ id: 'openai:gpt-5', name: 'gpt-5', provider: 'openai', client: own }];
      const options = ['imageDetail', 'fileId', 'namespace', 'type', 'reasoningEffortUpdate', 'annotations'];
      const providerMetadata = {
        openai: {
          itemId: 'item_of_others',
          reasoningEncryptedContent: 'thought',
          ...Object.fromEntries(options.map((name) => [name, 'evil'])),
        },
      };
      const toolCall = { type: 'tool-call', toolCallId: '1', toolName: 'look', input: {} };
      const parts = [{ type: 'reasoning', text: 'R' }, { type: 'text', text: 'T' }, toolCall];
      const file = { type: 'file', mediaType: 'image/png', data: 'AAAA', providerMetadata };
      const messages = [
        { role: 'system', parts: [{ type: 'text', text: '', providerMetadata }] },
        { role: 'user', parts: [{ type: 'text', text: 'Hi', providerMetadata }, file] },
        { role: 'assistant', parts: parts.map((part) => ({ ...part, providerMetadata })) },
        { role: 'tool', parts: [{ type: 'tool-result', toolCallId: '1', toolName: 'look', output: 1 }] },
      ];
      const before = upstream.bodies().length;
      upstream.next.push({ kind: 'status', status: 400 });
      const proxy = createInferenceProxy({ models, log: () => undefined });
      const headers = { 'content-type': 'application/json' };
      const url = 'http://localhost/v1/inference';
      await (
        await proxy.fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify({ messages }) }))
      ).text();
      const [body = ''] = upstream.bodies().slice(before);
      expect(body).toContain('"encrypted_content":"thought"');
      expect(body).not.toMatch(/item_reference|evil|file_id|configuration_update/);
    },
  );

  async function textOf(model: ProxyModel | undefined, asked: InferenceRequest): Promise<string> {
    let text = '';
    const { signal } = new AbortController();
    for await (const event of model?.client.stream(asked, { signal }) ?? []) {
      expect(event.type).not.toBe('error');
      if (event.type === 'text-delta') text += event.delta;
    }
    return text;
  }

  it("the server's setting of reasoning applies where a page sets none", { timeout: 30_000 }, async () => {
    const usual = { VITRINE_REASONING: 'medium' };
    const [silent] = await requestsOf(upstream, 'openai', [done], {}, usual);
    const [asked] = await requestsOf(upstream, 'openai', [done], { reasoning: 'low' }, usual);
    expect([silent?.['reasoning'], asked?.['reasoning']]).toMatchObject([
      { effort: 'medium' },
      { effort: 'low' },
    ]);
  });
});
