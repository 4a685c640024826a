import { expect, it } from 'vitest';
import { plainHeaders } from './plain-headers.ts';

it.each([
  ['an object', { 'X-One': '1', accept: 'a/b' }],
  ['pairs', [['X-One', '1'] as [string, string], ['accept', 'a/b'] as [string, string]]],
  ['headers', new Headers({ 'X-One': '1', accept: 'a/b' })],
])('gives headers by their names in small letters, of %s', (_what, headers) => {
  expect(plainHeaders(headers)).toEqual({ 'x-one': '1', accept: 'a/b' });
});

it('gives none for none', () => {
  expect(plainHeaders(undefined)).toEqual({});
});
