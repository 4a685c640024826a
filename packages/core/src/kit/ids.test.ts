import { afterEach, describe, expect, it, vi } from 'vitest';
import { isUuid, uuidV7 } from './ids.ts';

afterEach(() => (vi.useRealTimers(), vi.unstubAllGlobals()));

const many = (): string[] => Array.from({ length: 10_000 }, uuidV7);

describe('UUIDs of version 7', () => {
  it('uuidV7 returns unique UUIDs of version 7', () => {
    const ids = many();
    expect(ids.every((id) => isUuid(id) && /^.{8}-.{4}-7.{3}-[89ab].{3}-.{12}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('uuidV7 begins with the time in milliseconds', () => {
    vi.useFakeTimers({ now: Date.now() + 3_600_000 });
    const now = Date.now();
    expect(parseInt(uuidV7().replaceAll('-', '').slice(0, 12), 16)).toBe(now);
  });

  it('uuidV7 keeps the order of creation within one millisecond, and when the clock is set back', () => {
    vi.useFakeTimers({ now: Date.now() + 7_200_000 });
    const first = many();
    vi.setSystemTime(Date.now() - 60_000);
    const ids = [...first, ...many()];
    expect(ids).toEqual([...ids].sort());
  });

  it.each([undefined, {}])('uuidV7 says what is missing in a runtime whose crypto is %o', (crypto) => {
    vi.stubGlobal('crypto', crypto);
    expect(many).toThrow(
      'This runtime has no crypto.getRandomValues. In jest with jsdom, load the setup file of guide/testing; in React Native, load a polyfill before Vitrine.',
    );
  });
});
