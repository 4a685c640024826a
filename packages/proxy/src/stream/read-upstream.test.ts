import type { InferenceEvent } from '@vitrine/core';
import { describe, expect, it, vi } from 'vitest';
import { readUpstream, type UpstreamRead } from './read-upstream.ts';
import { delta } from './served.fixture.ts';

const finish = { type: 'finish', finishReason: 'stop' } as InferenceEvent;

const reading = (took: InferenceEvent[], signal = new AbortController().signal): UpstreamRead => ({
  limits: { firstEventMs: 1000, idleMs: 1000 },
  signal,
  room: { free: () => null },
  take(event) {
    took.push(event);
    return event.type === 'finish' ? event : null;
  },
});

async function* of(events: readonly InferenceEvent[]): AsyncGenerator<InferenceEvent, undefined> {
  yield* events;
}

describe('the reader of an upstream', () => {
  it('events are taken in order up to the one that ends the stream', async () => {
    const events = [delta('a'), delta('b'), finish, delta('c')];
    const took: InferenceEvent[] = [];
    expect(await readUpstream(of(events), reading(took))).toBe(finish);
    expect(took).toEqual(events.slice(0, 3));
  });

  it('events may stop without a last one', async () => {
    expect(await readUpstream(of([delta('a')]), reading([]))).toBeNull();
  });

  it('events are not requested after an abort', async () => {
    const took: InferenceEvent[] = [];
    expect(await readUpstream(of([delta('a')]), reading(took, AbortSignal.abort()))).toBeNull();
    expect(took).toEqual([]);
  });

  it('events are not requested after an abort while one is taken', async () => {
    const left = new AbortController();
    const next = vi.fn(async () => ({ done: false, value: delta('a') }) as const);
    const source = { [Symbol.asyncIterator]: () => ({ next }) };
    const take = (): null => {
      left.abort();
      return null;
    };
    expect(await readUpstream(source, { ...reading([], left.signal), take })).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(next).toHaveBeenCalledTimes(1);
  });

  it('events are not lost in great numbers', async () => {
    const events = [...Array.from({ length: 50_000 }, () => delta('a')), finish];
    const took: InferenceEvent[] = [];
    expect(await readUpstream(of(events), reading(took))).toBe(finish);
    expect(took).toHaveLength(events.length);
  });

  it('events wait while there is no room', async () => {
    const took: InferenceEvent[] = [];
    let free = (): void => undefined;
    const room = {
      free: () => (took.length === 1 ? new Promise<void>((resolve) => (free = resolve)) : null),
    };
    const last = readUpstream(of([delta('a'), delta('b'), finish]), { ...reading(took), room });
    await vi.waitFor(() => expect(took).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(took).toHaveLength(1);
    free();
    expect(await last).toBe(finish);
  });

  it('events are cancelled with an error when they cannot be taken', async () => {
    const take = (): never => {
      throw new Error('no place');
    };
    await expect(readUpstream(of([delta('a')]), { ...reading([]), take })).rejects.toThrow('no place');
  });
});

it('the reader of an upstream cancels its source once, however it ends', async () => {
  const left = vi.fn<() => void>();
  const source = (events: readonly InferenceEvent[]): AsyncIterable<InferenceEvent> => ({
    [Symbol.asyncIterator]: () => {
      const own = of(events);
      return {
        next: () => own.next(),
        async return() {
          left();
          return { done: true, value: undefined };
        },
      };
    },
  });
  await readUpstream(source([delta('a'), finish]), reading([]));
  await readUpstream(source([delta('a')]), reading([]));
  await readUpstream(source([delta('a')]), reading([], AbortSignal.abort()));
  expect(left).toHaveBeenCalledTimes(3);
});
