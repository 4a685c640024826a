import { type Context, createContext } from 'react';

/** The window that contains the panel: that of the page, or its own. Null where there is no window. */
export const PanelWindow: Context<Window | null> = createContext<Window | null>(
  typeof window === 'undefined' ? null : window,
);
