import { expect, it } from 'vitest';
import { routeName } from './request-line.ts';

it.each([
  ['/v1/inference', '/v1/inference'],
  ['/v1/inference/5f2a', '/v1/inference/:id'],
  ['/v1/sessions', '/v1/sessions'],
  ['/v1/sessions/a', '/v1/sessions/:id'],
  ['/v1/sessions/a/records', '/v1/sessions/:id/records'],
  ['/v1/sessions/a/files/00ff', '/v1/sessions/:id/files/:hash'],
  ['/v1/sessions/files/00ff', '/v1/sessions/files/:hash'],
])('the route %s is named by its pattern, without its values', (route, pattern) => {
  expect(routeName('GET', route)).toBe(`GET ${pattern}`);
});

it('an unknown route has one name', () => {
  for (const [method, route] of [
    ['GET', '/v1/sessions/a/files/00ff/more'],
    ['GET', '/v2/inference'],
    ['BREW', '/v1/inference'],
  ] as const)
    expect(routeName(method, route)).toBe('other');
});
