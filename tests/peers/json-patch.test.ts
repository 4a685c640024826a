import fc from 'fast-check';
import { applyPatch } from 'fast-json-patch';
import { expect, it } from 'vitest';
import type { JsonValue } from '@vitrine/core';
import { patch } from '../../bridges/ag-ui/src/json-patch.ts';

it('a patch gives what fast-json-patch gives, or is refused as there', () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const token = fc.constantFrom('a', 'b', '0', '1', '-', '~0', '~1');
  const path = fc.array(token, { maxLength: 2 }).map((tokens) => tokens.map((one) => `/${one}`).join(''));
  const operation = fc.oneof(
    fc.record({ op: fc.constantFrom('add', 'replace'), path, value }),
    fc.record({ op: fc.constant('remove'), path }),
    fc.record({ op: fc.constantFrom('copy', 'move'), from: path, path }),
  );
  const base = fc.constantFrom<JsonValue>({ a: [1, 2], b: { a: 1 }, '~': 1, '/': 2 }, { a: {}, b: [] }, [
    1,
    [2],
  ]);
  fc.assert(
    fc.property(base, operation, (before, one) => {
      // There, a value that is put into itself becomes a circle.
      if ('from' in one && one.path.startsWith(one.from)) return;
      const ours = patch(before, [one]);
      let theirs: unknown = null;
      try {
        theirs = applyPatch(structuredClone(before), [one] as never, true).newDocument;
      } catch {
        return;
      }
      expect(ours?.value ?? null).toEqual(theirs ?? null);
    }),
    { numRuns: 300 },
  );
});
