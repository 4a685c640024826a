import { type Context, createContext } from 'react';

/**
 * Context: a function that shows the element of one of the given calls or messages in the page. Returns
 * false when there is none.
 */
export const PageLink: Context<(ids: readonly string[]) => boolean> = createContext(
  (_ids: readonly string[]): boolean => false,
);
