import { expect, it } from 'vitest';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createAgentSession } from './create-agent-session.ts';

const mebibyte = 2 ** 20;

/** A session whose run goes on until it is stopped. */
async function busySession(): Promise<ReturnType<typeof createAgentSession>> {
  const session = createAgentSession({
    agent: scriptedAgent([{ text: 'A long answer', chunks: 2, delayMs: 600_000 }, { text: 'Done' }]),
    publish: 'immediate',
  });
  void session.sendMessage('first');
  await expect.poll(() => session.store.getState().status).toBe('submitted');
  return session;
}

it('a queue of 50 messages refuses the next one in a sentence, until one is cancelled', async () => {
  const session = await busySession();
  const queued = Array.from({ length: 50 }, (_, at) => session.sendMessage(`message ${at}`));
  expect(await session.sendMessage('one more')).toMatchObject({
    status: 'refused',
    error: {
      code: 'session-busy',
      message: expect.stringMatching(/at most 50 messages, and 16 MiB/) as string,
    },
  });
  const [first] = session.store.getState().queue;
  session.cancelQueued(first?.id ?? '');
  queued.push(session.sendMessage('in its place'));
  await expect.poll(() => session.store.getState().queue.length).toBe(50);
  await session.dispose();
  await Promise.all(queued);
});

it('waiting messages have at most 16 MiB together, and one alone may have more', async () => {
  const session = await busySession();
  const large = session.sendMessage('x'.repeat(20 * mebibyte));
  await expect.poll(() => session.store.getState().queue.length).toBe(1);
  expect(await session.sendMessage('small')).toMatchObject({ status: 'refused' });
  session.cancelQueued(session.store.getState().queue[0]?.id ?? '');
  const waiting = Array.from({ length: 3 }, () => session.sendMessage('x'.repeat(5 * mebibyte)));
  await expect.poll(() => session.store.getState().queue.length).toBe(3);
  expect(await session.sendMessage('x'.repeat(2 * mebibyte))).toMatchObject({ status: 'refused' });
  await session.dispose();
  await Promise.all([large, ...waiting]);
});
