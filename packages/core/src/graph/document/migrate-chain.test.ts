import { describe, expect, it } from 'vitest';
import { migrateChain, type MigrationChain } from './migrate-chain.ts';

const chain: MigrationChain = {
  kind: 'thing',
  field: 'version',
  version: 4,
  steps: {
    2: ({ words, ...rest }) => ({ ...rest, version: 3, texts: words }),
    3: ({ texts, ...rest }) => ({
      ...rest,
      version: 4,
      texts: (texts as string[]).map((text) => ({ text })),
    }),
  },
};

describe('a chain of migrations', () => {
  it('a chain migrates an older object step by step and leaves the original unchanged', () => {
    const older = { version: 2, words: ['a'], other: 1 };
    expect(migrateChain(chain, older, '')).toEqual({ version: 4, texts: [{ text: 'a' }], other: 1 });
    expect(older).toEqual({ version: 2, words: ['a'], other: 1 });
    expect(migrateChain(chain, { version: 3, texts: [] }, '')).toEqual({ version: 4, texts: [] });
  });

  it('a chain returns the current version and unversioned objects unchanged', () => {
    for (const value of [{ version: 4 }, { version: '2' }, {}, null, 5, 'x'])
      expect(migrateChain(chain, value, '')).toBe(value);
  });

  it('a chain rejects a newer version, or one older than any step, and names the version', () => {
    const refused = (version: number): unknown => {
      try {
        return migrateChain(chain, { version }, 'there');
      } catch (thrown) {
        return thrown;
      }
    };
    expect(refused(5)).toMatchObject({
      code: 'state-version-unsupported',
      message: expect.stringMatching(/thing at there has version 5.*reads version 4.*Update/),
    });
    expect(refused(1)).toMatchObject({ message: expect.stringMatching(/version 1.*No migration/) });
    expect(refused(-1)).toMatchObject({ code: 'state-version-unsupported' });
  });

  it('a chain rejects an object that a step cannot take, and a step that does not raise the version', () => {
    const invalid = expect.objectContaining({ code: 'state-invalid', data: { path: 'there' } });
    expect(() => migrateChain(chain, { version: 3 }, 'there')).toThrow(invalid);
    const stuck = { ...chain, steps: { 3: (stored: object) => ({ ...stored }) } };
    expect(() => migrateChain(stuck, { version: 3 }, 'there')).toThrow(invalid);
  });
});
