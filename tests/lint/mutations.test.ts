import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { graphMutations } from '../../scripts/mutate/graph-mutations.ts';
import { mutated } from '../../scripts/mutate/mutation.ts';
import { runMutations } from '../../scripts/mutate/run-mutations.ts';
import { sessionMutations } from '../../scripts/mutate/session-mutations.ts';
import { root } from '../../scripts/root.ts';

const all = [...graphMutations, ...runMutations, ...sessionMutations];

describe('the list of mutations', () => {
  it('the list of mutations follows the code: every text stands in its file once', () => {
    expect(all.length).toBeGreaterThanOrEqual(80);
    const faults = all.flatMap((mutation) => {
      try {
        mutated(readFileSync(join(root, mutation.file), 'utf8'), mutation);
        return [];
      } catch (thrown) {
        return [(thrown as Error).message];
      }
    });
    expect(faults).toEqual([]);
  });
});
