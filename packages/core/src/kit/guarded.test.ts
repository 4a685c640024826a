// The tests use objects that only look like promises.
/* oxlint-disable unicorn/no-thenable -- see above */
import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { callGuarded } from './async.ts';

const forever = (): Promise<never> => new Promise(() => undefined);
const unlimited = { author: 'hook "audit"', signal: null, timeoutMs: null };

afterEach(() => {
  vi.useRealTimers();
});

describe('guarded calls of user code', () => {
  it('guarded returns the result of the code, at once or later', async () => {
    expect(await callGuarded(unlimited, () => 1)).toBe(1);
    expect(await callGuarded(unlimited, async () => 2)).toBe(2);
    expect(
      await callGuarded(
        unlimited,
        () => ({ then: (resolve: (value: number) => void) => resolve(3) }) as PromiseLike<number>,
      ),
    ).toBe(3);
  });

  it('guarded rejects with the error of the code, at once or later', async () => {
    const fault = new Error('no');

    await expect(
      callGuarded(unlimited, () => {
        throw fault;
      }),
    ).rejects.toBe(fault);
    await expect(
      callGuarded(unlimited, async () => {
        throw fault;
      }),
    ).rejects.toBe(fault);
    await expect(callGuarded(unlimited, () => Promise.reject(undefined))).rejects.toBeUndefined();
    const trap = {
      get then(): never {
        throw fault;
      },
    };
    await expect(callGuarded(unlimited, () => trap)).rejects.toBe(fault);
  });

  it('guarded rejects with the reason of the signal as soon as it is aborted', async () => {
    const controller = new AbortController();
    const outcome = callGuarded({ ...unlimited, signal: controller.signal }, forever);

    controller.abort('enough');

    await expect(outcome).rejects.toBe('enough');
  });

  it('guarded rejects with the reason when the code itself aborts', async () => {
    const controller = new AbortController();
    const { signal } = controller;

    await expect(callGuarded({ ...unlimited, signal }, () => controller.abort('self'))).rejects.toBe('self');
  });

  it('guarded does not start the code under an aborted signal', async () => {
    const call = vi.fn(forever);

    await expect(callGuarded({ ...unlimited, signal: AbortSignal.abort('before') }, call)).rejects.toBe(
      'before',
    );
    expect(call).not.toHaveBeenCalled();
  });

  it('guarded rejects after the time limit with an error that names the author', async () => {
    vi.useFakeTimers();
    const outcome = callGuarded({ ...unlimited, timeoutMs: 5_000 }, forever);
    const expectation = expect(outcome).rejects.toMatchObject({
      code: 'user-code-timeout',
      message: expect.stringContaining('hook "audit" did not answer within 5000 ms'),
      data: { author: 'hook "audit"', timeoutMs: 5_000 },
    });

    await vi.advanceTimersByTimeAsync(5_000);
    await expectation;
  });

  it.each([null, Number.POSITIVE_INFINITY, Number.NaN, 2 ** 31])(
    'guarded starts no timer for a limit of %s',
    async (timeoutMs) => {
      const schedule = vi.fn(() => () => undefined);

      expect(await callGuarded({ ...unlimited, timeoutMs, schedule }, async () => 'kept')).toBe('kept');
      expect(schedule).not.toHaveBeenCalled();
    },
  );

  it('guarded rejects at once with a limit that is over already', async () => {
    const schedule = vi.fn((_ms: number, f: () => void) => {
      f();
      return () => undefined;
    });

    await expect(callGuarded({ ...unlimited, timeoutMs: -5, schedule }, forever)).rejects.toMatchObject({
      data: { timeoutMs: 0 },
    });
    expect(schedule).toHaveBeenCalledWith(0, expect.any(Function));
  });

  it.each([
    ['gives a value', () => callGuarded({ ...guard(), signal: guard.signal }, async () => 1)],
    ['fails', () => callGuarded({ ...guard(), signal: guard.signal }, () => Promise.reject(new Error('no')))],
    ['is out of time', () => callGuarded({ ...guard(), signal: guard.signal, timeoutMs: 1 }, forever)],
  ])('guarded leaves neither timer nor listener when the code %s', async (_title, run) => {
    guard.reset();

    await run().catch(() => undefined);

    expect(guard.timers.size).toBe(0);
    expect(getEventListeners(guard.signal, 'abort')).toHaveLength(0);
  });

  it('guarded leaves neither timer nor listener after an abort', async () => {
    guard.reset();
    const controller = new AbortController();
    const outcome = callGuarded({ ...guard(), signal: controller.signal }, forever);
    expect(guard.timers.size).toBe(1);

    controller.abort('enough');

    await expect(outcome).rejects.toBe('enough');
    expect(guard.timers.size).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('guarded ignores code that fails after its time', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    let fail: (error: Error) => void = () => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });

    await expect(callGuarded({ ...unlimited, timeoutMs: 1 }, () => late)).rejects.toMatchObject({
      code: 'user-code-timeout',
    });
    fail(new Error('late'));
    await new Promise((resolve) => setTimeout(resolve, 10));

    expect(unhandled).not.toHaveBeenCalled();
    process.off('unhandledRejection', unhandled);
  });
});

/** A guard with real timers that are counted while they wait. */
const guard = Object.assign(
  () => ({
    author: 'tool "search"',
    timeoutMs: 1_000,
    schedule(ms: number, f: () => void) {
      const timer = setTimeout(f, ms);
      guard.timers.add(timer);
      return () => {
        clearTimeout(timer);
        guard.timers.delete(timer);
      };
    },
  }),
  {
    timers: new Set<unknown>(),
    signal: new AbortController().signal,
    reset() {
      guard.timers.clear();
    },
  },
);
