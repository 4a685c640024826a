import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withMetadata, withUserMessage } from '../graph/agent-state/context-transitions.ts';
import { diffJson, type JsonDifference } from '../kit/diff-json.ts';
import { asked } from '../testing/fixtures.ts';
import { diff } from './diff.ts';

const paths = (differences: readonly JsonDifference[]): string[] =>
  differences.map(({ kind, path }) => `${kind} ${path.join('.')}`);

describe('the difference of two states', () => {
  it('is nothing for the same one, and what was changed for others', () => {
    const state = asked();
    expect(diff(state, state)).toEqual([]);
    const next = withMetadata(state, { topic: 'sums' });
    expect(paths(diff(state, next)).filter((path) => !path.includes('updatedAt'))).toEqual([
      'added context.metadata.topic',
    ]);
    expect(paths(diff(next, state))).toContain('removed context.metadata.topic');
    const found = diff(state, withUserMessage(state, 'More')).filter(({ path }) => path.includes('messages'));
    expect(found).toMatchObject([{ kind: 'added', after: { parts: [{ text: 'More' }] } }]);
  });
});

describe('the difference of two values', () => {
  it('finds items by their ids, wherever they stand', () => {
    const [a, b] = [
      { id: 'a', text: '1' },
      { id: 'b', text: '2' },
    ];
    expect(paths(diffJson([a, b], [{ id: 'new' }, a, { ...b, text: '3' }]))).toEqual([
      'added 0',
      'changed 2.text',
    ]);
    expect(paths(diffJson([a, b], [b]))).toEqual(['removed 0']);
    expect(paths(diffJson([1, 2], [2]))).toEqual(['changed 0', 'removed 1']);
    expect(paths(diffJson({ a: [] }, { a: {} }))).toEqual(['changed a']);
  });

  it('is empty exactly for equal values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const isEqual = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        expect(diffJson(a, b).length === 0).toBe(isEqual);
        expect(diffJson(a, structuredClone(a))).toEqual([]);
      }),
    );
  });

  it('can be put on again, for objects', () => {
    const values = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.dictionary(fc.constantFrom('x', 'y'), fc.nat(3)),
    );
    fc.assert(
      fc.property(values, values, (before, after) => {
        const patched = structuredClone(before) as Record<string, unknown>;
        for (const { path, kind, after: value } of diffJson(before, after)) put(patched, path, kind, value);
        expect(patched).toEqual(after);
      }),
    );
  });
});

function put(root: Record<string, unknown>, path: readonly string[], kind: string, value: unknown): void {
  const holder = path.slice(0, -1).reduce((at, key) => at[key] as Record<string, unknown>, root);
  const key = path.at(-1) ?? '';
  if (kind === 'removed') delete holder[key];
  else holder[key] = value;
}

/** Equality that does not look at the order of keys; -0 is 0 in JSON but not to `Object.is`. */
function sorted(value: unknown): unknown {
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { entries: entries.map(([key, child]) => [key, sorted(child)]) };
}
