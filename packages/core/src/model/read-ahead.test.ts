import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readAhead } from './read-ahead.ts';

const silence = { begin: () => undefined, end: () => undefined };
const after = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** A body that sends bytes with pauses, and then ends or breaks. */
function bodyOf(sent: readonly (readonly [byte: number, pauseMs: number])[], broken: Error | null = null) {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = sent[at++];
        if (next === undefined) return broken ? controller.error(broken) : controller.close();
        if (next[1] > 0) await after(next[1]);
        controller.enqueue(Uint8Array.of(next[0]));
      },
    },
    { highWaterMark: 0 },
  );
}

async function allOf(
  body: ReadableStream<Uint8Array>,
): Promise<{ bytes: number[]; calls: number; why: unknown }> {
  const ahead = readAhead(body.getReader(), silence);
  const bytes: number[] = [];
  for (let calls = 0; ; calls++) {
    try {
      const pieces = await ahead.next();
      if (pieces === null) return { bytes, calls, why: null };
      bytes.push(...pieces.flatMap((piece) => [...piece]));
    } catch (why) {
      return { bytes, calls, why };
    }
  }
}

afterEach(() => vi.unstubAllGlobals());

describe('a body that is read ahead', () => {
  it('a read-ahead body arrives complete and in order, for any timing, also up to a break', async () => {
    const pause = fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.nat(12));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(255), pause), { maxLength: 40 }),
        fc.boolean(),
        async (sent, breaks) => {
          const broken = breaks ? new Error('cut') : null;
          const { bytes, why } = await allOf(bodyOf(sent, broken));
          expect(bytes).toEqual(sent.map(([byte]) => byte));
          expect(why).toBe(broken);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a read-ahead body is delivered in few pieces when it is fast, its first piece and its end at once', async () => {
    const sent = Array.from({ length: 500 }, (_, at) => [at % 256, 0] as const);
    const { bytes, calls } = await allOf(bodyOf(sent));
    expect(bytes.length).toBe(500);
    expect(calls).toBeLessThan(50);
    const ahead = readAhead(
      bodyOf([
        [1, 0],
        [2, 0],
        [3, 5000],
      ]).getReader(),
      silence,
    );
    expect(await ahead.next()).toEqual([Uint8Array.of(1)]);
    // Pieces within the moment wait for its end, and not for more.
    expect(await ahead.next()).toEqual([Uint8Array.of(2)]);
    ahead.close();
  });

  it('a read-ahead body waits for no timer in a hidden page', async () => {
    vi.stubGlobal('document', { visibilityState: 'hidden' });
    vi.stubGlobal('setTimeout', () => expect.unreachable('A timer was set.'));
    const sent = Array.from({ length: 20 }, (_, at) => [at, 0] as const);
    expect((await allOf(bodyOf(sent))).bytes.length).toBe(20);
  });

  it('a read-ahead body is paused while too much of it waits', async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(new Uint8Array(100_000 * Math.sign(++sent))) },
      { highWaterMark: 0 },
    );
    const ahead = readAhead(body.getReader(), silence);
    await ahead.next();
    await after(50);
    expect(sent).toBeLessThan(15);
    const pieces = await ahead.next();
    expect(pieces?.length).toBeGreaterThan(9);
    ahead.close();
  });
});
