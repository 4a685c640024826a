import { type Context, createContext } from 'react';

/** The window in which the panel stands: that of the page, or one of its own. Null where there is none. */
export const PanelWindow: Context<Window | null> = createContext<Window | null>(
  typeof window === 'undefined' ? null : window,
);
