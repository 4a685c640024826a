import type { SomeOutput } from './later-views.ts';

/** The output of an agent without an answer. */
export const noOutput: SomeOutput = { partial: null, final: null };
