import type { Usage } from '../budget/usage.ts';
import type { FinishReason } from './inference-client.ts';

/** What a model call came to; the text itself is in the step's output message. */
export type InferenceResponse = {
  /** The provider's id of the answer. */
  readonly id: string | null;
  readonly model: string | null;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly durationMs: number;
  /** From the request to the first delta; null when there was none. */
  readonly firstDeltaMs: number | null;
};
