import { describe, expect, it } from 'vitest';
import { parseRequest } from './request-schema.ts';

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
