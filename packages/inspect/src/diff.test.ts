import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withMetadata, withUserMessage } from '@vitrine/core/internal/graph/agent-state/transitions';
import { diff, diffJson, type JsonDifference } from './diff.ts';
import { ask } from '@vitrine/testing/internal/fixtures';

const paths = (differences: readonly JsonDifference[]): string[] =>
  differences.map(({ kind, path }) => `${kind} ${path.join('.')}`);

describe('the difference of two states', () => {
  it('the difference is empty for the same state, and the changed paths for others', () => {
    const state = ask();
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
  it('items are matched by their ids at any index', () => {
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

  it('a changed order of items is reported', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ id }));
    expect(diffJson({ list: [a, b, c] }, { list: [c, { id: 'd' }, a] })).toEqual([
      { path: ['list', '1'], kind: 'added', after: { id: 'd' } },
      { path: ['list', '1'], kind: 'removed', before: b },
      { path: ['list'], kind: 'moved', before: ['a', 'c'], after: ['c', 'a'] },
    ]);
  });

  it('the difference is empty exactly for equal values', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const isEqual = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        expect(diffJson(a, b).length === 0).toBe(isEqual);
        expect(diffJson(a, structuredClone(a))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('the difference applied to the first value gives the second', () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        expect(applyPatch(before, diffJson(before, after))).toEqual(after);
      }),
      { numRuns: 2000 },
    );
  });
});

/** Values like those of states: few names and ids, so that two of them have much in common. */
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.nat(2),
    fc.dictionary(fc.constantFrom('x', 'y', 'id'), tie('value'), { maxKeys: 3 }),
    fc.uniqueArray(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), of: tie('value') }), {
      selector: ({ id }) => id,
      maxLength: 4,
    }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value;

function applyPatch(value: unknown, differences: readonly JsonDifference[]): unknown {
  const whole = differences.find(({ path, kind }) => path.length === 0 && kind === 'changed');
  if (whole) return whole.after;
  if (typeof value !== 'object' || value === null) return value;
  const own = (kind: string): readonly JsonDifference[] =>
    differences.filter((found) => found.kind === kind && found.path.length === 1);
  const next = Array.isArray(value) ? patchedRow(value, own, differences) : { ...value };
  const named = next as Record<string, unknown>;
  if (!Array.isArray(value)) {
    for (const { path } of own('removed')) delete named[path[0]!];
    for (const { path, after } of own('added')) named[path[0]!] = after;
  }
  const told = differences.filter(
    ({ path, kind }) => path.length > 1 || (path.length === 1 && kind === 'changed'),
  );
  const inside = told.concat(differences.filter(({ path, kind }) => path.length === 1 && kind === 'moved'));
  for (const name of new Set(inside.map(({ path }) => path[0]!)))
    named[name] = applyPatch(
      named[name],
      inside.filter(({ path }) => path[0] === name).map((found) => ({ ...found, path: found.path.slice(1) })),
    );
  return next;
}

/** Removes, reorders and adds items as the difference says. */
function patchedRow(
  row: readonly unknown[],
  own: (kind: string) => readonly JsonDifference[],
  differences: readonly JsonDifference[],
): unknown[] {
  const gone = new Set(own('removed').map(({ path }) => Number(path[0])));
  let next = row.filter((_, place) => !gone.has(place));
  const moved = differences.find(({ path, kind }) => path.length === 0 && kind === 'moved');
  if (moved)
    next = (moved.after as string[]).map((id) => next.find((item) => (item as { id: string }).id === id));
  for (const { path, after } of own('added')) next.splice(Number(path[0]), 0, after);
  return next;
}

/** A form for equality that ignores the order of keys. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { entries: entries.map(([key, child]) => [key, sorted(child)]) };
}
