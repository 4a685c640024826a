import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTimeBox } from './time-box.ts';

it('any stretch of frames takes at most its share and one piece of work, which counts as six frames', () => {
  const work = fc.array(fc.array(fc.nat(40), { maxLength: 12 }), { maxLength: 30 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), work, (ms, frames) => {
      let clock = 0;
      let tick: (() => void) | null = null;
      const box = createTimeBox({ ms, now: () => clock, nextFrame: (listener) => void (tick = listener) });
      const spent = frames.map((pieces) => {
        let taken = 0;
        for (const piece of pieces)
          box.take(() => {
            clock += piece;
            taken += Math.min(piece, 6 * ms);
          });
        const due = tick;
        tick = null;
        due?.();
        return taken;
      });
      const longest = Math.min(6 * ms, Math.max(0, ...frames.flat()));
      for (let from = 0; from < spent.length; from++) {
        for (let to = from + 1; to <= spent.length; to++) {
          const sum = spent.slice(from, to).reduce((all, one) => all + one, 0);
          expect(sum).toBeLessThan(ms * (to - from) + Math.max(1, longest));
        }
      }
    }),
    // An earlier version forgot the time that a frame had taken before the piece that took too long.
    { examples: [[3, [[2, 18], [], [], [], [], [], [4], [18]]]] },
  );
});

it('each waiting listener is called once, in order, when there is time again, unless it was cancelled', () => {
  let clock = 0;
  const frames: (() => void)[] = [];
  const box = createTimeBox({ ms: 10, now: () => clock, nextFrame: (one) => void frames.push(one) });
  const calls: string[] = [];
  box.take(() => (clock += 25));
  expect(box.take(() => 'never')).toBeNull();
  box.whenFree(() => calls.push('a'));
  box.whenFree(() => calls.push('b'))();
  box.whenFree(() => {
    calls.push('c');
    box.take(() => (clock += 10));
  });
  box.whenFree(() => calls.push('d'));
  const seen = Array.from({ length: 6 }, () => {
    frames.shift()?.();
    return calls.join('');
  });
  expect(seen).toEqual(['', 'ac', 'acd', 'acd', 'acd', 'acd']);
  expect(frames).toEqual([]);
});

it('failing work takes its time too, and its error is thrown', () => {
  let clock = 0;
  const box = createTimeBox({ ms: 10, now: () => clock, nextFrame: () => undefined });
  const fail = (): never => {
    clock += 10;
    throw new RangeError('too deep');
  };
  expect(() => box.take(fail)).toThrow('too deep');
  expect(box.take(() => 1)).toBeNull();
});
