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
  /** The provider's explanation of an answer that was filtered, refused or broken off: 300 characters at most. */
  readonly explanation?: string;
  /** Events of the answer that could not be read and were left out; absent for none. */
  readonly skippedFrames?: number;
  /** Settings of the request that the model does not support, so that they were left out or changed; absent for none. */
  readonly unsupportedSettings?: readonly string[];
  /** The switches to other models before the answer began; absent for none. */
  readonly switches?: readonly {
    readonly from: string | null;
    readonly to: string | null;
    /** The code of the failure. */
    readonly code: string;
    /** Milliseconds from the request to the switch. */
    readonly afterMs: number;
  }[];
  readonly usage: Usage;
  readonly durationMs: number;
  /** Milliseconds from the request to the first delta; null when there was none. */
  readonly firstDeltaMs: number | null;
};

/** A model that failed before it said anything, and the one that was asked in its place. */
export type ModelSwitch = NonNullable<InferenceResponse['switches']>[number];

/** Returns a known finish reason unchanged, and `other` for unknown ones. */
export function toFinishReason(reason: unknown): FinishReason {
  return (finishReasons as readonly unknown[]).includes(reason) ? (reason as FinishReason) : 'other';
}
