import { expect, it } from 'vitest';
import { plainHeaders } from './plain-headers.ts';

it.each([
  ['an object', { 'X-One': '1', accept: 'a/b' }],
  ['pairs', [['X-One', '1'] as [string, string], ['accept', 'a/b'] as [string, string]]],
  ['headers', new Headers({ 'X-One': '1', accept: 'a/b' })],
])('headers of %s are given by their names in lower case', (_what, headers) => {
  expect(plainHeaders(headers)).toEqual({ 'x-one': '1', accept: 'a/b' });
});

it('no headers give an empty record', () => {
  expect(plainHeaders(undefined)).toEqual({});
});
