import { StrictMode } from 'react';
import { renderToPipeableStream } from 'react-dom/server';
import type { Writable } from 'node:stream';
import { scenarios } from './scenarios/index.ts';

/** The number of roots in a page. */
export function rootsOf(name: string): number {
  return scenarios[name]?.length ?? 0;
}

/** Streams one root of a page as HTML. */
export function render(
  name: string,
  root: number,
  isStrict: boolean,
  onReady: () => void,
  into: Writable,
): void {
  const Page = scenarios[name]?.[root];
  if (!Page) throw new Error(`There is no page ${name} with a root ${root}.`);
  const page = isStrict ? (
    <StrictMode>
      <Page />
    </StrictMode>
  ) : (
    <Page />
  );
  const { pipe } = renderToPipeableStream(page, {
    onAllReady() {
      onReady();
      pipe(into);
    },
    onError: (error) => void into.destroy(error as Error),
  });
}
