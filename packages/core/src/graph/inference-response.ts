import type { Usage } from './usage.ts';

/** Why a model ended its answer; what a provider calls otherwise is `other`. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';

/** What a model call came to; the text itself is in the step's output message. */
export type InferenceResponse = {
  /** The provider's id of the answer. */
  readonly id: string | null;
  readonly model: string | null;
  readonly finishReason: FinishReason;
  /** In the provider's own words, why an answer ended that was filtered, refused or broken off; mostly there is none. */
  readonly explanation?: string;
  readonly usage: Usage;
  readonly durationMs: number;
  /** From the request to the first delta; null when there was none. */
  readonly firstDeltaMs: number | null;
};
