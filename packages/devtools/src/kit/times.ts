import { type Context, createContext, useContext } from 'react';
import { formatSince, formatTime } from './format.ts';

/** How moments are told, with the function that turns to the other way. */
export type TimesSetting = { readonly isRelative: boolean; readonly turn: () => void };

/** By the clock, or from the start of the run that is looked at. */
export const Times: Context<TimesSetting> = createContext<TimesSetting>({
  isRelative: false,
  turn: () => undefined,
});

/** When the run that is looked at has begun, in Unix epoch milliseconds; null where there is none. */
export const RunStart: Context<number | null> = createContext<number | null>(null);

/** Tells a moment as it is wanted. */
export function useTimeText(): (at: number) => string {
  const { isRelative } = useContext(Times);
  const start = useContext(RunStart);
  return (at) => (isRelative && start !== null ? formatSince(at - start) : formatTime(at));
}
