import type { MessagePart } from '@vitrine/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonAs } from '@vitrine/core/internal/graph/document/shape';
import * as nouns from '@vitrine/core/internal/graph/shapes';
import { parseRequest } from './body.ts';

const withFile = (file: object) =>
  parseRequest({
    messages: [{ role: 'user', parts: [{ type: 'file', mediaType: 'image/png', ...file }] }],
  });

describe('a file of a request', () => {
  it.each(['', 'aGVsbG8=', 'AB+/', 'A'.repeat(20_000_000)])(
    'a file of a request is accepted as its bytes in base64',
    (data) => {
      expect(withFile({ data })).toHaveProperty('request');
    },
  );

  it.each([
    'file-abc123',
    'file_abc',
    'gs://bucket/secret',
    'data:image/png;base64,AAAA',
    'a b',
    'ä',
    '\ud800',
  ])(
    'a file of a request is never a name that a provider could look up in the account of the proxy: %j',
    (data) => {
      expect(withFile({ data })).toEqual({ issue: expect.stringContaining('has to be base64') });
    },
  );
});

type Fields = Readonly<Record<string, unknown>>;

/** A valid value of every field of every part, without those that a request never contains. */
const parts: { readonly [Type in MessagePart['type']]: Fields } = {
  text: { text: 'a', providerMetadata: { a: 1 } },
  reasoning: { text: 'a', providerMetadata: { a: 1 } },
  'tool-call': { toolCallId: 'c', toolName: 't', input: { a: 1 }, providerMetadata: { a: 1 } },
  'tool-result': { toolCallId: 'c', toolName: 't', output: [1], outcome: 'failed' },
  file: {
    mediaType: 'image/png',
    data: 'AAAA',
    url: 'https://a.example/b.png',
    filename: 'b.png',
    providerMetadata: { a: 1 },
  },
  data: { name: 'weather', data: { a: 1 } },
  source: { id: 's', url: 'https://a.example/', title: 'A' },
};
/** Fields that core keeps to itself, as they are read where they are absent: its client leaves them out of requests. */
const ours: { readonly [Type in MessagePart['type']]?: Fields } = {
  'tool-call': { providerCallId: null },
  'tool-result': { durationMs: null },
  file: { blob: undefined },
};

const stored = (part: Fields): Fields | null => {
  try {
    const read = readJsonAs(nouns.message, { id: 'm', role: 'user', parts: [part], createdAt: 1 }, '');
    return (read.parts[0] as Fields | undefined) ?? null;
  } catch {
    return null;
  }
};
const requested = (part: Fields): Fields | null => {
  const read = parseRequest({ messages: [{ role: 'user', parts: [part] }] });
  return 'request' in read ? (read.request.messages[0]?.parts[0] as unknown as Fields) : null;
};

describe('the parts of a request and of a stored message', () => {
  it('the parts of both have the same types and fields', () => {
    const fieldsOf = Object.entries(nouns.parts).map(([type, { fields: table }]) => [
      type,
      Object.keys(table).filter((name) => name !== 'type'),
    ]);
    const expected = Object.entries(parts).map(([type, fields]) => [
      type,
      [...Object.keys(fields), ...Object.keys(ours[type as MessagePart['type']] ?? {})],
    ]);
    const sortDeep = (list: readonly (readonly unknown[])[]): unknown =>
      Object.fromEntries(list.map(([type, names]) => [type, (names as string[]).toSorted()]));
    expect(sortDeep(fieldsOf)).toEqual(sortDeep(expected));
    for (const [type, fields] of Object.entries(parts)) {
      expect(stored({ type, ...fields })).toEqual({
        type,
        ...fields,
        ...ours[type as MessagePart['type']],
      });
      expect(requested({ type, ...fields })).toEqual({ type, ...fields });
    }
  });

  it('the parts of both accept the same values in every field', () => {
    const value = fc.constantFrom<unknown>(
      undefined,
      null,
      '',
      'AAAA',
      'completed',
      1,
      1.5,
      [],
      [{}],
      {},
      true,
    );
    const changed = fc
      .constantFrom(...Object.entries(parts))
      .chain(([type, fields]) =>
        fc
          .record(Object.fromEntries(Object.keys(fields).map((name) => [name, value])), { requiredKeys: [] })
          .map((changes): Fields => JSON.parse(JSON.stringify({ type, ...fields, ...changes }))),
      );
    fc.assert(
      fc.property(changed, (part) => {
        // A request may leave the name of a file out.
        const isUnnamed = part['type'] === 'file' && !('filename' in part);
        expect(requested(part) !== null).toBe(
          stored(isUnnamed ? { ...part, filename: null } : part) !== null,
        );
      }),
      { numRuns: 2000 },
    );
  });
});
