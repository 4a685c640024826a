import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { redact, type Redaction, redactText, sanitizeWith } from './redact.ts';

function redactionsIn(value: unknown): readonly Redaction[] {
  const found: Redaction[] = [];
  redact(value, { onRedact: (redaction) => found.push(redaction) });
  return found;
}

describe('the redaction of a value', () => {
  it('redaction removes values under names of secrets at any depth', () => {
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

  it('a part of a value hides what it would hide in the whole, at any place', () => {
    const name = fc.constantFrom('apiKey', 'headers', 'env', 'list', 'text', 'max_tokens', 'password');
    const { whole } = fc.letrec<{ readonly whole: unknown }>((tie) => ({
      whole: fc.oneof(
        { depthSize: 'medium' },
        fc.constantFrom('a', 1, true, null, 'Bearer abcdef123456'),
        fc.array(tie('whole'), { maxLength: 3 }),
        fc.dictionary(name, tie('whole'), { maxKeys: 4 }),
      ),
    }));
    const expectEqual = (value: unknown, hidden: unknown, path: readonly string[]): void => {
      expect(redact(value, { path })).toEqual(hidden);
      if (typeof value === 'object' && value !== null && typeof hidden === 'object' && hidden !== null)
        for (const [key, child] of Object.entries(value))
          expectEqual(child, (hidden as Record<string, unknown>)[key], [...path, key]);
    };
    fc.assert(fc.property(whole, (value) => expectEqual(value, redact(value), [])));
    expect(redact('x', { path: ['calls', 'apiKey', 'inner'] })).toBe('•••');
  });

  it('redaction masks names that look like a secret, and keeps the values under them', () => {
    const value = {
      'https://me:hunter2@a.example/x': { hits: 1 },
      'https://me:hunter2@b.example/x': 2,
      'Bearer abcdef123456': 3,
      'Bearer abcdef654321': { text: 'Bearer abcdef654321' },
      name: 4,
    };
    expect(redact(value)).toEqual({
      'https://•••@a.example/x': { hits: 1 },
      'https://•••@b.example/x': 2,
      'Bearer •••': 3,
      'Bearer ••• (2)': { text: 'Bearer •••' },
      name: 4,
    });
    expect(redactionsIn(value)).toEqual([
      { path: ['https://•••@a.example/x'], by: 'pattern' },
      { path: ['https://•••@b.example/x'], by: 'pattern' },
      { path: ['Bearer •••'], by: 'pattern' },
      { path: ['Bearer ••• (2)'], by: 'pattern' },
      { path: ['Bearer ••• (2)', 'text'], by: 'pattern' },
    ]);
  });

  it('redaction returns the value itself when there is nothing to hide', () => {
    const value = { list: ['a', { maxTokens: 3 }] };
    expect(redact(value)).toBe(value);
    expect(redact('text')).toBe('text');
  });
});

describe('the sanitize functions of an application', () => {
  let takeBack = (): void => undefined;
  afterEach(() => takeBack());

  it('a sanitize function receives every text, number and boolean with its path, and its result replaces the value', () => {
    const asked: unknown[] = [];
    takeBack = sanitizeWith((path, value) => {
      asked.push([path.join('.'), value]);
      return path.at(-1) === 'ssn' ? 'a number' : value;
    });
    const value = { people: [{ name: 'Ada', ssn: 123, isNew: true, of: null }] };
    expect(redact(value, { path: ['state'] })).toEqual({
      people: [{ name: 'Ada', ssn: 'a number', isNew: true, of: null }],
    });
    expect(asked).toEqual([
      ['state.people.0.name', 'Ada'],
      ['state.people.0.ssn', 123],
      ['state.people.0.isNew', true],
    ]);
    expect(value.people[0]?.ssn).toBe(123);
    expect(redactionsIn(value)).toEqual([{ path: ['people', '0', 'ssn'], by: 'sanitize' }]);
  });

  it('a sanitize function that returns undefined hides the value, and one that throws hides all', () => {
    takeBack = sanitizeWith((path, value) => {
      if (value === 'broken') throw new Error('no');
      return path.includes('open') ? value : undefined;
    });
    expect(redact({ open: 'a', shut: 'b', list: [1, 'broken'] })).toEqual({
      open: 'a',
      shut: '•••',
      list: ['•••', '•••'],
    });
    expect(redactText('broken', 'open')).toBe('•••');
  });

  it('the result of a sanitize function is searched for secrets, and no function is called for a value under a secret name', () => {
    const asked: unknown[] = [];
    takeBack = sanitizeWith((path) => {
      asked.push(path.join('.'));
      return 'apiKey: sk-abcdefgh12345678';
    });
    expect(redact({ text: 'a', password: 'b' })).toEqual({ text: 'apiKey: •••', password: '•••' });
    expect(asked).toEqual(['text']);
  });

  it('all sanitize functions are applied while they are registered', () => {
    const first = sanitizeWith((_path, value) => `${String(value)}1`);
    const second = sanitizeWith((_path, value) => `${String(value)}2`);
    expect(redactText('x', 'text')).toBe('x12');
    first();
    expect(redactText('x', 'text')).toBe('x2');
    first();
    second();
    expect(redactText('x', 'text')).toBe('x');
  });
});
