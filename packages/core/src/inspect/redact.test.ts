import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';

describe('what is shown', () => {
  it('has no values under names of secrets, however deep', () => {
    const value = {
      llm: { apiKey: 'sk-1', model: 'm' },
      list: [{ Authorization: 'Bearer x' }],
      password: null,
    };
    expect(redact(value)).toEqual({
      llm: { apiKey: '•••', model: 'm' },
      list: [{ Authorization: '•••' }],
      password: null,
    });
  });

  it('is the value itself where there is nothing to hide', () => {
    const value = { list: ['a', { maxTokens: 3 }] };
    expect(redact(value)).toBe(value);
    expect(redact('text')).toBe('text');
  });
});
