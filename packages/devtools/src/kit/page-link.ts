import { type Context, createContext } from 'react';

/** Shows the part of the page in which one of some calls or messages stands; false where there is none. */
export const PageLink: Context<(ids: readonly string[]) => boolean> = createContext(
  (_ids: readonly string[]): boolean => false,
);
