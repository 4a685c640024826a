import { afterAll, beforeAll, expect, it } from 'vitest';
import { Message, type MessagePart } from '@vitrine/core';
import { request as plainRequest } from '../../../../tests/upstream/plain-request.ts';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { modelsFromEnv } from './models-from-env.ts';
import type { ProxyModel } from './proxy-model.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

function modelsWith(accepts: string): readonly ProxyModel[] {
  return modelsFromEnv({
    OPENAI_COMPATIBLE_BASE_URL: upstream.url,
    OPENAI_COMPATIBLE_ACCEPTS: accepts,
    VITRINE_MODELS: 'openai-compatible:m',
  });
}

/** The content of the last message that reaches the server. */
async function sent(accepts: string, ...files: readonly MessagePart[]): Promise<string> {
  upstream.behave = { kind: 'status', status: 400 };
  const [model] = modelsWith(accepts);
  const request = { ...plainRequest, messages: [Message.user([{ type: 'text', text: 'Look' }, ...files])] };
  const { signal } = new AbortController();
  for await (const event of model?.client.stream(request, { signal }) ?? []) expect(event.type).toBe('error');
  return upstream.bodies().at(-1) ?? '';
}

const file = (mediaType: string, filename: string, data: string): MessagePart => ({
  type: 'file',
  mediaType,
  filename,
  data: btoa(data),
});
const pdf = file('application/pdf', 'a.pdf', '%PDF-1.4');

it('a server is sent the files that its setting lists, and the names of others', async () => {
  const picture = file('image/png', 'a.png', '\x89PNG\r\n\x1a\n');
  const withPdf = await sent('image/*, application/pdf', pdf, picture);
  expect(withPdf).toContain('"file_data":"data:application/pdf;base64,');
  expect(withPdf).toContain('data:image/png;base64,');
  const without = await sent('text/*', pdf, picture);
  expect(without).not.toContain('base64');
  expect(without).toContain('The file a.pdf cannot be read by this model');
  expect(await sent('text/*', file('text/csv', 'a.csv', 'a,b'))).toContain('a,b');
});

it('a file that lies at an address goes as its name when no message can hold the address', async () => {
  const far = {
    type: 'file',
    mediaType: 'application/pdf',
    filename: 'a.pdf',
    url: 'https://a.test/a.pdf',
  } as const;
  expect(await sent('application/pdf', far)).toContain('The file a.pdf is at https://a.test/a.pdf');
});

it('pages are told the files of the setting, with texts', async () => {
  const proxy = createInferenceProxy({ models: modelsWith('image/*,application/pdf') });
  const answer = await proxy.fetch(new Request('http://localhost/v1/models'));
  expect(await answer.json()).toMatchObject({
    models: [{ id: 'openai-compatible:m', accepts: ['text/*', 'image/*', 'application/pdf'] }],
  });
});

it.each(['application/zip', 'audio/*', 'pictures', 'image/png,,'])(
  'the setting %j ends the start with a sentence',
  (accepts) => {
    expect(() => modelsWith(accepts)).toThrow(/OPENAI_COMPATIBLE_ACCEPTS has ".*"; give media types/);
  },
);
