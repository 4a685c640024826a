import type { Usage } from './usage.ts';

export const finishReasons = ['stop', 'length', 'tool-calls', 'content-filter', 'error', 'other'] as const;

/** The reason why a model ended its answer; unknown reasons of a provider are `other`. */
export type FinishReason = (typeof finishReasons)[number];

/** The result of a model call; its text is in the step's output message. */
export type InferenceResponse = {
  /** The provider's id of the answer. */
  readonly id: string | null;
  readonly model: string | null;
  readonly finishReason: FinishReason;
  /** The provider's explanation of an answer that was filtered, refused or broken off; usually absent. */
  readonly explanation?: string;
  /** Events of the answer that could not be read and were left out; absent for none. */
  readonly skippedFrames?: number;
  readonly usage: Usage;
  readonly durationMs: number;
  /** Milliseconds from the request to the first delta; null when there was none. */
  readonly firstDeltaMs: number | null;
};

/** Returns a known finish reason unchanged, and `other` for unknown ones. */
export function toFinishReason(reason: unknown): FinishReason {
  return (finishReasons as readonly unknown[]).includes(reason) ? (reason as FinishReason) : 'other';
}
