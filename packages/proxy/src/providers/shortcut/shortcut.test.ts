import fc from 'fast-check';
import { expect, it } from 'vitest';
import { proveRuns } from '../../stream/served.fixture.ts';
import { createShortcut, type Part } from './shortcut.ts';

/** Modes in which a package reads texts, until an event switches the mode. */
const modes = ['text', 'thought', 'marked', 'held', 'counted', 'signed', 'other id'] as const;
type Mode = (typeof modes)[number];
type Asked = { readonly say: string } | { readonly mode: Mode } | { readonly sum: true };

const eventOf = (asked: Asked): string => `data: ${JSON.stringify(asked)}\n\n`;

/** A package whose state changes with everything but text, and that reports at the end all that it has read. */
function packageOf(first: Mode = 'text'): (event: string) => readonly Part[] {
  let [mode, read, count]: [Mode, string, number] = [first, '', 0];
  return (event) => {
    const asked = JSON.parse(event.slice('data: '.length)) as Asked;
    if ('mode' in asked) {
      mode = asked.mode;
      return [{ type: 'mode' }];
    }
    if ('sum' in asked) return [{ type: 'sum', delta: read }];
    const { say: delta } = asked;
    read += delta;
    if (delta === '') return [{ type: 'empty' }];
    const text = { type: 'text-delta', id: '0', delta };
    if (mode === 'thought') return [{ ...text, type: 'reasoning-delta' }];
    if (mode === 'marked') return [text, { type: 'mark' }];
    if (mode === 'held') return [];
    if (mode === 'counted') return [{ ...text, id: `${count++}` }];
    if (mode === 'signed') return [{ ...text, providerMetadata: { by: delta } }];
    return [mode === 'other id' ? { type: 'text-delta', delta } : text];
  };
}

const text = fc.constantFrom('a', 'a', 'b', '"', 'say', '', '\\u0061', 'é', '},{');
const asked = fc.oneof(
  { weight: 12, arbitrary: fc.record({ say: text }) },
  { weight: 1, arbitrary: fc.record({ mode: fc.constantFrom(...modes) }) },
  { weight: 1, arbitrary: fc.constant({ sum: true } as const) },
);

it('the shortcut gives the same parts as a package alone, however late that is, and the package has read everything before a part without text', () => {
  const script = fc.array(fc.tuple(asked, fc.nat({ max: 3 })), { maxLength: 60 });
  fc.assert(
    fc.property(script, fc.constantFrom(...modes), fc.boolean(), (steps, mode, isPrompt) => {
      const events = steps.map(([one]) => eventOf(one));
      const alone = packageOf(mode);
      const expected = events.flatMap((event) => alone(event));

      const [shortcut, read] = [createShortcut(), packageOf(mode)];
      const parts: Part[] = [];
      const late: Part[] = [];
      const feed: string[] = [];
      const deliver = (count: number): void => {
        for (const event of feed.splice(0)) late.push({ type: 'raw' }, ...read(event));
        for (const part of late.splice(0, count)) if (shortcut.part(part)) parts.push(part);
      };
      for (const [index, event] of events.entries()) {
        const part = shortcut.event(event, feed);
        if (part !== null) parts.push(part);
        deliver(isPrompt ? Infinity : (steps[index]?.[1] ?? 0));
      }
      shortcut.end(feed);
      deliver(Infinity);
      expect(parts).toEqual(expected);
    }),
    { numRuns: proveRuns(3000, 'PROVE_STREAMS') },
  );
});

it('the shortcut flushes pending text to the package before it grows large', () => {
  const [shortcut, read] = [createShortcut(), packageOf()];
  const given: number[] = [];
  for (let index = 0; index <= 100; index++) {
    const feed: string[] = [];
    if (index === 100) shortcut.end(feed);
    else shortcut.event(eventOf({ say: 'x'.repeat(10_000 + index) }), feed);
    for (const event of feed) {
      given.push(event.length);
      for (const part of [{ type: 'raw' }, ...read(event)]) shortcut.part(part);
    }
  }
  expect(Math.max(...given)).toBeLessThan(100_000);
  expect(given.length).toBeLessThan(30);
});

it('the shortcut rejects a package that has read something else', () => {
  const shortcut = createShortcut();
  for (const say of ['a', 'b', 'c']) {
    const feed: string[] = [];
    shortcut.event(eventOf({ say }), feed);
    for (const part of feed.length > 0 ? [{ type: 'raw' }, { type: 'text-delta', delta: say }] : [])
      shortcut.part(part);
  }
  shortcut.end([]);
  expect(() => shortcut.part({ type: 'text-delta', delta: 'x' })).toThrow('is not what');
});
