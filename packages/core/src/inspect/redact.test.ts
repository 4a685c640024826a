import { afterEach, describe, expect, it } from 'vitest';
import { redact, redactionsIn, redactText } from './redact.ts';
import { sanitizeWith } from './sanitize.ts';

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

  it('has nothing in its names that looks like a secret either, and loses none of what stands under them', () => {
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

  it('is the value itself where there is nothing to hide', () => {
    const value = { list: ['a', { maxTokens: 3 }] };
    expect(redact(value)).toBe(value);
    expect(redact('text')).toBe('text');
  });
});

describe('what an application says may be shown', () => {
  let takeBack = (): void => undefined;
  afterEach(() => takeBack());

  it('is asked for every text, number and boolean with its path, and stands in its place', () => {
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

  it('hides what it gives nothing for, and all where it throws', () => {
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

  it('is looked at for secrets itself, and asked for none that stands under the name of one', () => {
    const asked: unknown[] = [];
    takeBack = sanitizeWith((path) => {
      asked.push(path.join('.'));
      return 'apiKey: sk-abcdefgh12345678';
    });
    expect(redact({ text: 'a', password: 'b' })).toEqual({ text: 'apiKey: •••', password: '•••' });
    expect(asked).toEqual(['text']);
  });

  it('goes through all that were said, as long as they are', () => {
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
