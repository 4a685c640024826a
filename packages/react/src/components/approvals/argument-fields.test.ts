import type { JsonObject } from '@vitrine/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  type ArgumentDraft,
  argumentFields,
  draftOf,
  readArguments,
  type ReadArguments,
} from './argument-fields.ts';

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
    const read = (draft: ArgumentDraft): ReadArguments => readArguments(fields, draft, { to: '', count: 1 });
    const { problems } = read({ to: '', count: 'many', size: '', tags: '[' });
    expect(Object.keys(problems ?? {})).toEqual(['count', 'tags']);
    expect(read({ to: '', count: ' ' }).problems).toEqual({ count: 'This is needed.' });
  });

  it('give back any input that nobody has changed, whatever the schema says', () => {
    const name = fc.oneof(
      fc.constantFrom('to', 'count', 'isUrgent', 'size', 'tags', 'toString'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue()), (input) => {
        const fields = argumentFields(schema, input) ?? [];
        const { input: read } = readArguments(fields, draftOf(fields, input), input);
        if (fields.every((field) => !field.isRequired || field.name in input))
          expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(input)));
      }),
    );
  });

  describe('that may be null', () => {
    const shape = z.object({
      text: z.string().nullable(),
      number: z.number().min(1).nullable().describe('How many'),
      choice: z.enum(['a', 'b']).nullable(),
      isUrgent: z.boolean().nullable(),
      maybe: z.string().nullish(),
    });
    const of = z.toJSONSchema(shape) as JsonObject;
    const nothing = { text: null, number: null, choice: null, isUrgent: null, maybe: null };
    const fields = argumentFields(of, nothing) ?? [];

    it('are those of what they are otherwise, and empty', () => {
      expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
        ['text', 'text'],
        ['number', 'number'],
        ['choice', 'choice'],
        ['isUrgent', 'boolean'],
        ['maybe', 'text'],
      ]);
      expect(fields[1]?.description).toBe('How many');
      expect(fields[2]?.choices).toEqual(['a', 'b']);
      expect(draftOf(fields, nothing)).toEqual({ text: '', number: '', choice: '', isUrgent: '', maybe: '' });
    });

    it('are null when they are emptied, or left out where they may be', () => {
      const full = { text: 'x', number: 1, choice: 'a', isUrgent: true, maybe: 'y' };
      const draft = { text: '', number: '', choice: '', isUrgent: '', maybe: '' };
      const { maybe: _maybe, ...rest } = nothing;
      expect(readArguments(argumentFields(of, full) ?? [], draft, full).input).toEqual(rest);
    });

    it('are what is put in', () => {
      const draft = { text: 'x', number: '2', choice: 'b', isUrgent: 'false', maybe: '' };
      expect(readArguments(fields, draft, nothing).input).toEqual({
        text: 'x',
        number: 2,
        choice: 'b',
        isUrgent: false,
        maybe: null,
      });
    });
  });
});
