import { describe, expect, it } from 'vitest';
import { attacked, saying } from './attacked-proxy.ts';

const evil = '{"polluted":true}';
const keys = [
  '__proto__',
  'constructor',
  'prototype',
  '\\u005f_proto__',
  '__prot\\u006f__',
  '__proto__\\u0000',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'valueOf',
];
const tool = (schema: string): string =>
  `{"messages":[{"role":"user","parts":[{"type":"text","text":"x"}]}],"tools":[{"name":"t","inputSchema":${schema}}]}`;
const call = (input: string): string =>
  `{"messages":[{"role":"user","parts":[{"type":"text","text":"x"}]},{"role":"assistant","parts":[{"type":"tool-call","toolCallId":"1","toolName":"t","input":${input}}]},{"role":"tool","parts":[{"type":"tool-result","toolCallId":"1","toolName":"t","output":1}]}]}`;
const places: Readonly<Record<string, (key: string) => string>> = {
  'the body': (key) => `{"${key}":${evil},"messages":[{"role":"user","parts":[{"type":"text","text":"x"}]}]}`,
  'a message': (key) =>
    `{"messages":[{"${key}":${evil},"role":"user","parts":[{"type":"text","text":"x"}]}]}`,
  'its metadata': (key) =>
    `{"messages":[{"metadata":{"${key}":${evil}},"role":"user","parts":[{"type":"text","text":"x","providerMetadata":{"${key}":${evil}}}]}]}`,
  settings: (key) =>
    `{"settings":{"${key}":${evil}},"messages":[{"role":"user","parts":[{"type":"text","text":"x"}]}]}`,
  'arguments of a tool': (key) => call(`{"a":{"${key}":${evil}}}`),
  'the schema of a tool': (key) => tool(`{"type":"object","properties":{"${key}":${evil}}}`),
};
const shapes = Object.entries(places).flatMap(([place, write]) =>
  keys.map((key) => [`${key} in ${place}`, write(key)] as const),
);

describe('a key that objects inherit by', () => {
  const world = attacked();

  it.each(shapes)('a key of the prototype chain changes no object: %s', async (_what, body) => {
    const answer = await world.ask(body);
    expect([200, 400]).toContain(answer.status);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(([] as unknown as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(world.provider.sent[0]?.body ?? '').not.toContain('"__proto__"');
  });
});

describe('metadata for a provider', () => {
  const world = attacked();

  it.each([
    { openaiCompatible: { image_url: { url: 'http://169.254.169.254/' } } },
    { openaiCompatible: { type: 'image_url', image_url: { url: 'evil' } } },
    { openaiCompatible: { content: 'evil' } },
    { openaiCompatible: { role: 'system' } },
    { openaiCompatible: { reasoningEffort: 'evil' } },
    { 'openai-compatible': { name: 'evil' } },
    { openai: { imageDetail: 'evil' } },
    { openai: { itemId: 'evil' } },
    { anthropic: { cacheControl: { type: 'evil' } } },
    { anthropic: { container: 'evil' } },
    { google: { safetySettings: ['evil'] } },
    { google: { cachedContent: 'evil' } },
    { openaiCompatible: { thoughtSignature: { evil: 1 } } },
    { openaiCompatible: ['evil'] },
    { openaiCompatible: 'evil' },
    { '*': { url: 'evil' } },
  ])('metadata for a provider contain no options: %j', async (providerMetadata) => {
    const answer = await world.ask(
      saying(
        { type: 'text', text: 'Hi', providerMetadata },
        { type: 'file', mediaType: 'image/png', data: 'AAAA', providerMetadata },
      ),
    );
    expect(answer.status).toBe(200);
    expect(JSON.parse(world.provider.sent[0]?.body ?? '')).toMatchObject({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
      ],
    });
    expect(world.provider.sent[0]?.body).not.toMatch(/evil|169\.254|"system"/);
  });

  it('a signature of a thought goes back to its provider', async () => {
    const providerMetadata = { 'openai-compatible': { thoughtSignature: 'signed', evil: 'evil' } };
    const toolCall = { type: 'tool-call', toolCallId: '1', toolName: 't', input: {}, providerMetadata };
    await world.ask({
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', parts: [toolCall] },
        { role: 'tool', parts: [{ type: 'tool-result', toolCallId: '1', toolName: 't', output: 1 }] },
      ],
    });
    const body = world.provider.sent[0]?.body ?? '';
    expect(body).toContain('"thought_signature":"signed"');
    expect(body).not.toContain('evil');
  });
});
