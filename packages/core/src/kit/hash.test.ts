import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash, contentHashLength, hasContentHash } from './hash.ts';

const text = fc.string({ unit: 'binary' });

describe('the content hash of a text', () => {
  it('the hash of a text is found at its position in another text, whatever surrounds it', () => {
    fc.assert(
      fc.property(text, text, text, (of, before, after) => {
        const hash = contentHash(of);
        expect(hash).toHaveLength(contentHashLength);
        expect(hasContentHash(of, before + hash + after, before.length)).toBe(true);
      }),
    );
  });

  it('the hash of a text is not found when a letter differs, is missing, or belongs to another text', () => {
    fc.assert(
      fc.property(text, text, fc.nat(contentHashLength - 1), (of, other, at) => {
        const hash = contentHash(of);
        const changed = `${hash.slice(0, at)}${hash[at] === '0' ? '1' : '0'}${hash.slice(at + 1)}`;
        expect(hasContentHash(of, changed, 0)).toBe(false);
        expect(hasContentHash(of, hash.slice(0, at), 0)).toBe(false);
        expect(hasContentHash(other, hash, 0)).toBe(other === of);
      }),
    );
  });
});
