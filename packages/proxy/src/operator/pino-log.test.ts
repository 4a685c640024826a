import { pino } from 'pino';
import { expect, it } from 'vitest';
import { scriptedInference } from '@vitrine/testing';
import { post, proxyOf } from '../stream/served.fixture.ts';
import { pinoLog } from './pino-log.ts';

it('the pino log writes a line for each request, with a level by its outcome', async () => {
  const lines: { level: number; msg: string; requestId: string }[] = [];
  const logger = pino({}, { write: (text: string) => void lines.push(JSON.parse(text)) });
  const failing = (code: string): ReturnType<typeof proxyOf> =>
    proxyOf(
      {
        async *stream() {
          yield { type: 'error', code, message: 'No.', retryable: false, retryAfterMs: null };
        },
      },
      { log: pinoLog(logger) },
    );
  const proxy = proxyOf(scriptedInference([{ text: 'Hello' }]), { log: pinoLog(logger) });
  const answer = await proxy.fetch(post());
  await answer.text();
  await proxy.fetch(new Request('http://localhost/nowhere'));
  await (await failing('upstream-unauthorized').fetch(post())).text();
  await (await failing('upstream-timeout').fetch(post())).text();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [30, 'POST /v1/inference completed p:m'],
    [40, 'other refused not-found'],
    [50, 'POST /v1/inference failed upstream-unauthorized p:m'],
    [40, 'POST /v1/inference failed upstream-timeout p:m'],
  ]);
  expect(lines[0]?.requestId).toBe(answer.headers.get('x-request-id'));
});
