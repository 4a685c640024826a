import { expect, it } from 'vitest';

const sources = import.meta.glob<string>(['./**/*.{ts,tsx}', '!./**/*.test*', '!./fixtures/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
const isClient = (source: string): boolean => source.startsWith("'use client';");
const usesReact = /^import (?!type)(?:\{[^}]*\}|[^;{]*) from '(?:react|@tanstack\/react-query)';/m;

it('every module that calls React says that it belongs to the client, so that a server component may import it', () => {
  const calling = Object.entries(sources).filter(([, source]) => usesReact.test(source));
  expect(calling.length).toBeGreaterThan(10);
  expect(calling.filter(([, source]) => !isClient(source)).map(([path]) => path)).toEqual([]);
});

it('the entry does not: what it passes on from core may be called on a server', () => {
  expect(isClient(sources['./index.ts'] ?? '')).toBe(false);
});
