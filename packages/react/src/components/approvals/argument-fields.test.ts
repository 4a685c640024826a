import type { JsonObject } from '@vitrine/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { texts } from '../texts.ts';
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
    count: { type: 'integer', title: 'Number of copies', description: 'At least one' },
    isUrgent: { type: 'boolean' },
    size: { type: 'string', enum: ['small', 'large'] },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['to', 'count'],
};

describe('the fields of a call', () => {
  it('the fields are those of the schema, then the other names in the input', () => {
    const fields = argumentFields(schema, { to: 'a', count: 1, isUrgent: true, other: 'x' }) ?? [];
    expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['to', 'text', true],
      ['count', 'number', true],
      ['isUrgent', 'boolean', false],
      ['size', 'choice', false],
      ['tags', 'json', false],
      ['other', 'text', false],
    ]);
  });

  it('a field is named by its title, or a short description, or else the words of its name', () => {
    const long = 'An address of the company, as people write it on an envelope, with the country';
    const properties = {
      ...schema.properties,
      sendAt: { type: 'string', description: long },
      reply_to: { anyOf: [{ type: 'string', title: 'Reply to' }, { type: 'null' }] },
      imageURL: { type: 'string', title: ' ' },
    };
    const fields = argumentFields({ ...schema, properties }, {}) ?? [];
    const names = Object.fromEntries(
      fields.map(({ name, label, description }) => [name, [label, description]]),
    );
    expect(names).toEqual({
      to: ['Who gets it', ''],
      count: ['Number of copies', 'At least one'],
      isUrgent: ['is urgent', ''],
      size: ['size', ''],
      tags: ['tags', ''],
      sendAt: ['send at', long],
      reply_to: ['Reply to', ''],
      imageURL: ['imageURL', ''],
    });
    expect(argumentFields(null, { due_date: '', __: 1 })?.map(({ label }) => label)).toEqual([
      'due date',
      '__',
    ]);
  });

  it('an input that is no object has no fields', () => {
    for (const input of [null, 1, 'a', [1]]) expect(argumentFields(schema, input)).toBeNull();
  });

  it('a wrong value gives an error under the name of its field', () => {
    const fields = argumentFields(schema, { to: '', count: 1 }) ?? [];
    const read = (draft: ArgumentDraft): ReadArguments =>
      readArguments(fields, draft, { to: '', count: 1 }, texts.approvals);
    const { problems } = read({ to: '', count: 'many', size: '', tags: '[' });
    expect(Object.keys(problems ?? {})).toEqual(['count', 'tags']);
    expect(read({ to: '', count: ' ' }).problems).toEqual({ count: '“Number of copies” is required.' });
    expect(read({ to: '', count: 'many' }).problems).toEqual({
      count: 'Enter a number for “Number of copies”.',
    });
  });

  it('unchanged fields return the same input for any schema', () => {
    const name = fc.oneof(
      fc.constantFrom('to', 'count', 'isUrgent', 'size', 'tags', 'toString'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue()), (input) => {
        const fields = argumentFields(schema, input) ?? [];
        const { input: read } = readArguments(fields, draftOf(fields, input), input, texts.approvals);
        if (fields.every((field) => !field.isRequired || field.name in input))
          expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(input)));
      }),
    );
  });

  describe('the fields of nullable arguments', () => {
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

    it('a nullable field keeps its kind, and null shows as an empty field', () => {
      expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
        ['text', 'text'],
        ['number', 'number'],
        ['choice', 'choice'],
        ['isUrgent', 'boolean'],
        ['maybe', 'text'],
      ]);
      expect(fields[1]?.label).toBe('How many');
      expect(fields[2]?.choices).toEqual(['a', 'b']);
      expect(draftOf(fields, nothing)).toEqual({ text: '', number: '', choice: '', isUrgent: '', maybe: '' });
    });

    it('an emptied nullable field reads as null, or is left out when it is optional', () => {
      const full = { text: 'x', number: 1, choice: 'a', isUrgent: true, maybe: 'y' };
      const draft = { text: '', number: '', choice: '', isUrgent: '', maybe: '' };
      const { maybe: _maybe, ...rest } = nothing;
      expect(readArguments(argumentFields(of, full) ?? [], draft, full, texts.approvals).input).toEqual(rest);
    });

    it('a filled nullable field reads as its value', () => {
      const draft = { text: 'x', number: '2', choice: 'b', isUrgent: 'false', maybe: '' };
      expect(readArguments(fields, draft, nothing, texts.approvals).input).toEqual({
        text: 'x',
        number: 2,
        choice: 'b',
        isUrgent: false,
        maybe: null,
      });
    });
  });
});
