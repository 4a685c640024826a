import { expect, it } from 'vitest';
import { mutableFields } from './hook.ts';

it('a hook may replace exactly these fields at its point', () => {
  const entries = Object.entries(mutableFields).filter(([, fields]) => fields.length > 0);
  expect(Object.fromEntries(entries)).toEqual({
    'before-inference': ['request'],
    'after-inference': ['response'],
    'before-tool-use': ['toolCall', 'blocked', 'execution', 'errors'],
    'after-tool-use': ['execution'],
    'on-error': ['errors'],
  });
});
