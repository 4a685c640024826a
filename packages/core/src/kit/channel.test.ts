import { describe, expect, it } from 'vitest';
import { type Channel, createChannel } from './async.ts';

const counts = async (channel: Channel<number>): Promise<void> => {
  for (let value = 1; value <= 3; value++) await channel.send(value);
};

describe('a channel between a producer and a consumer', () => {
  it('a channel answers simultaneous requests in order, and all of them at the end', async () => {
    const channel = createChannel(undefined, counts);
    const asked = [1, 2, 3, 4, 5].map(() => channel.next());
    expect(await Promise.all(asked)).toEqual([
      { done: false, value: 1 },
      { done: false, value: 2 },
      { done: false, value: 3 },
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });

  it('a producer continues only when the next value is requested', async () => {
    const made: number[] = [];
    const channel = createChannel<number>(undefined, async ({ send }) => {
      for (let value = 1; value <= 3; value++) {
        made.push(value);
        await send(value);
      }
    });
    await channel.next();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(made).toEqual([1]);
  });

  it('a channel that is left answers the waiting requests and aborts its producer', async () => {
    let isAborted = false;
    const channel = createChannel<number>(undefined, async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      isAborted = true;
      await new Promise(() => undefined);
    });
    const waiting = channel.next();
    await channel.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await channel.next()).toEqual({ done: true, value: undefined });
    expect(isAborted).toBe(true);
  });

  it('a channel rejects requests when its producer fails, after the values before the failure', async () => {
    const channel = createChannel<number>(undefined, async ({ post }) => {
      post(1);
      throw new Error('broken');
    });
    const [first, second] = [channel.next(), channel.next()];
    expect(await first).toEqual({ done: false, value: 1 });
    await expect(second).rejects.toThrow('broken');
  });

  it('a channel that is left before it began never starts its producer', async () => {
    let isMade = false;
    const channel = createChannel<number>(undefined, async () => void (isMade = true));
    await channel.return?.();
    expect(await channel.next()).toEqual({ done: true, value: undefined });
    expect(isMade).toBe(false);
  });
});
