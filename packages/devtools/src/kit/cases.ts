import { useSyncExternalStore } from 'react';
import { useTexts } from '../texts.ts';

/** A case of the project with the result of its last check. */
type Case = {
  readonly name: string;
  /** Null when it is not decided. */
  readonly met: boolean | null;
  readonly sentence: string;
  /** The time from which on it is red, in Unix epoch milliseconds; absent for one that is not red. */
  readonly since?: number;
};

/** The cases of a page that Vite's plugin serves. */
type Cases = { readonly list: readonly Case[]; readonly keep: (name: string, file: string) => void };

const page = globalThis as { readonly vitrineCases?: Cases };
const none: readonly Case[] = [];

/** The cases of the project; none without the plugin. */
export function useCases(): readonly Case[] {
  return useSyncExternalStore(subscribe, () => page.vitrineCases?.list ?? none);
}

function subscribe(listener: () => void): () => void {
  addEventListener('vitrine:cases', listener);
  return () => removeEventListener('vitrine:cases', listener);
}

/** Tells how many cases the project has, how many are red and since when; null without a case. */
export function useCaseCount(): { readonly sentence: string; readonly red: number } | null {
  const { cause, formats } = useTexts();
  const cases = useCases();
  if (cases.length === 0) return null;
  const red = cases.filter(({ met }) => met === false);
  const since = Math.min(...red.map(({ since: own = Infinity }) => own));
  const time = since === Infinity ? null : formats.time(since).slice(0, 5);
  return { sentence: cause.caseCount(cases.length, red.length, time), red: red.length };
}

/** Keeps a case in the folder of the project. @returns false without the plugin */
export function keepCase(name: string, file: string): boolean {
  page.vitrineCases?.keep(name, file);
  return page.vitrineCases !== undefined;
}
