import { expect, it } from 'vitest';
import { serve, type Handler } from './answering-server.fixture.ts';
import { proxyInference } from './proxy-inference.ts';

const answer =
  (status: number, body: unknown): Handler =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

const price = { input: 1, output: 2 };
const models = [
  { id: 'a:one', default: false, price },
  { id: 'a:two', default: true, price: { ...price, cacheRead: 0.1 } },
  { id: 'a:free', default: false },
  { id: 'a:odd', default: false, price: { input: -1, output: 'much' } },
];

it('the proxy is asked once for the prices of all models, with the headers of the application', async () => {
  const { url, asked } = await serve(answer(200, { models }));
  const client = proxyInference({ url: `${url}/`, headers: { authorization: 'Bearer me' } });
  expect(await client.price?.('a:one')).toEqual(price);
  expect(await client.price?.(null)).toEqual({ ...price, cacheRead: 0.1 });
  for (const unknown of ['a:free', 'a:odd', 'b:none', '__proto__'])
    expect(await client.price?.(unknown)).toBeNull();
  expect(asked.map(({ method, url: path }) => [method, path])).toEqual([['GET', '/v1/models']]);
  expect(asked[0]?.headers.authorization).toBe('Bearer me');
});

it('a client with a default model of its own knows the price of that model', async () => {
  const { url } = await serve(answer(200, { models }));
  expect(await proxyInference({ url, model: 'a:one' }).price?.(null)).toEqual(price);
});

it('a client tells the other models of its proxy, and counts its default as the asked one', async () => {
  const { url, asked } = await serve(answer(200, { models }));
  const client = proxyInference({ url });
  expect(await client.otherModels?.('a:odd')).toEqual(['a:one', 'a:two', 'a:free']);
  expect(await client.otherModels?.(null)).toEqual(['a:one', 'a:free', 'a:odd']);
  expect(asked).toHaveLength(1);
});

it.each<[string, Handler]>([
  ['has no such list', answer(404, 'Not found')],
  ['refuses the caller', answer(401, { code: 'unauthorized' })],
  ['answers with a page', answer(200, '<!doctype html>')],
  ['answers with another JSON', answer(200, [])],
])('a server that %s is asked again for the next run', async (_what, failing) => {
  const { url, asked } = await serve(failing, answer(200, { models }));
  const client = proxyInference({ url });
  await expect(client.price?.('a:one')).rejects.toThrow();
  expect(await client.price?.('a:one')).toEqual(price);
  expect(asked).toHaveLength(2);
});
