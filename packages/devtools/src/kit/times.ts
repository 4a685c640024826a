import { type Context, createContext, useContext } from 'react';
import { useTexts } from '../texts.ts';

/** The display of times, and the function that switches it. */
export type TimesSetting = { readonly isRelative: boolean; readonly turn: () => void };

/** Context: times are shown by the clock, or relative to the start of the selected run. */
export const Times: Context<TimesSetting> = createContext<TimesSetting>({
  isRelative: false,
  turn: () => undefined,
});

/** Context: the start of the selected run in Unix milliseconds; null when there is none. */
export const RunStart: Context<number | null> = createContext<number | null>(null);

/** Returns a function that formats a time as selected. */
export function useTimeText(): (at: number) => string {
  const { isRelative } = useContext(Times);
  const start = useContext(RunStart);
  const { formats } = useTexts();
  return (at) => (isRelative && start !== null ? formats.since(at - start) : formats.time(at));
}
