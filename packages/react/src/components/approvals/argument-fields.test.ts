import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentFields, draftOf, readArguments } from './argument-fields.ts';

const schema = {
  type: 'object',
  properties: {
    to: { type: 'string', description: 'Who gets it' },
    count: { type: 'integer' },
    isUrgent: { type: 'boolean' },
    size: { type: 'string', enum: ['small', 'large'] },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['to', 'count'],
};

describe('the fields of a call', () => {
  it('are what its schema describes, and what is there besides', () => {
    const fields = argumentFields(schema, { to: 'a', count: 1, isUrgent: true, other: 'x' }) ?? [];
    expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['to', 'text', true],
      ['count', 'number', true],
      ['isUrgent', 'boolean', false],
      ['size', 'choice', false],
      ['tags', 'json', false],
      ['other', 'text', false],
    ]);
    expect(fields[0]?.description).toBe('Who gets it');
  });

  it('are none for what is no object', () => {
    for (const input of [null, 1, 'a', [1]]) expect(argumentFields(schema, input)).toBeNull();
  });

  it('say what is wrong with them, by name', () => {
    const fields = argumentFields(schema, { to: '', count: 1 }) ?? [];
    const { problems } = readArguments(fields, { to: '', count: 'many', size: '', tags: '[' });
    expect(Object.keys(problems ?? {})).toEqual(['count', 'tags']);
    expect(readArguments(fields, { to: '', count: ' ' }).problems).toEqual({ count: 'This is needed.' });
  });

  it('give back any input that nobody has changed, whatever the schema says', () => {
    const name = fc.oneof(
      fc.constantFrom('to', 'count', 'isUrgent', 'size', 'tags', 'toString'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue()), (input) => {
        const fields = argumentFields(schema, input) ?? [];
        // A text of nothing that may be missing is left out: a field of text cannot tell them apart.
        const isText = (key: string): boolean => fields.find(({ name }) => name === key)?.kind === 'text';
        const kept = Object.fromEntries(
          Object.entries(input).filter(([key, value]) => value !== '' || key === 'to' || !isText(key)),
        );
        const { input: read } = readArguments(fields, draftOf(fields, input));
        if (fields.every((field) => !field.isRequired || field.name in input))
          expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(kept)));
      }),
    );
  });
});
