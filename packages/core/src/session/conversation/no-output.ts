import type { SomeOutput } from './later-views.ts';

/** The answer of an agent that has given none. */
export const noOutput: SomeOutput = { partial: null, final: null };
