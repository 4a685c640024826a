import { expect, it, vi } from 'vitest';
import { user } from '../graph/message.ts';
import type { InferenceEvent, InferenceRequest } from './inference-client.ts';
import { proxyInference } from './proxy-inference.ts';

const request = (bytes: number): InferenceRequest => ({
  model: null,
  messages: [
    user([
      { type: 'file', mediaType: 'image/png', filename: null, data: btoa(' '.repeat(bytes - 3)) },
      { type: 'file', mediaType: 'image/png', filename: null, data: btoa('123') },
    ]),
  ],
  tools: [],
  toolChoice: 'auto',
  responseFormat: null,
  settings: {},
});

it('a request with more bytes of files than the proxy allows is not sent, and the error names their number', async () => {
  const fetch = vi.fn(async () => new Response('{}', { status: 500 }));
  const ask = async (bytes: number, imageBytes?: number): Promise<InferenceEvent[]> => {
    const options = { url: '/api', fetch, ...(imageBytes === undefined ? {} : { imageBytes }) };
    const found: InferenceEvent[] = [];
    const { signal } = new AbortController();
    for await (const event of proxyInference(options).stream(request(bytes), { signal })) found.push(event);
    return found;
  };
  expect(await ask(303, 300)).toMatchObject([
    {
      type: 'error',
      code: 'files-too-large',
      message: expect.stringContaining('303 bytes; the proxy takes 300') as string,
      retryable: false,
    },
  ]);
  expect(fetch).not.toHaveBeenCalled();
  await ask(300, 300);
  await ask(303);
  expect(fetch).toHaveBeenCalledTimes(2);
});
