import { expect, it } from 'vitest';

const sources = import.meta.glob<string>(['./**/*.{ts,tsx}', '!./**/*.test*', '!./fixtures/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
const isClient = (source: string): boolean => source.startsWith("'use client';");
const usesReact = /^import (?!type)(?:\{[^}]*\}|[^;{]*) from '(?:react|@tanstack\/react-query)';/m;

it("every module that calls React declares 'use client', so that a server component may import it", () => {
  const calling = Object.entries(sources).filter(([, source]) => usesReact.test(source));
  expect(calling.length).toBeGreaterThan(10);
  expect(calling.filter(([, source]) => !isClient(source)).map(([path]) => path)).toEqual([]);
});

it("the entry does not declare 'use client', so that a server may call what it re-exports from core", () => {
  expect(isClient(sources['./index.ts'] ?? '')).toBe(false);
});
