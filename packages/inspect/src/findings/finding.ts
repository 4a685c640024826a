import type { JsonValue } from '@vitrine/core/internal/kit/json';

/**
 * The weight of a finding. A `fault` is certain: a lost write, an answer that is not whole, an error that ended the run or
 * changed it. A `hint` is remarkable, and may be just what was meant.
 */
export type FindingSeverity = 'fault' | 'hint';

/** The place of a finding. Within one run, `path` and `seq` name one event. */
export type FindingAddress = {
  /** The ids of the tool executions between the root and the agent; empty for the root. */
  readonly path: readonly string[];
  /** The `seq` of the event that shows it; for a signal, that of the change before it. */
  readonly seq: number;
  /** The run of the root; null outside any run. */
  readonly executionId: string | null;
  readonly stepId?: string;
  readonly toolCallId?: string;
  /** Keys from the state of the agent, e.g. `['plugins', 'cart', 'data', 'total']`. */
  readonly statePath?: readonly string[];
};

/** The facts behind a finding, as plain JSON. They may hold secrets of the run: redact them before you send them. */
export type FindingEvidence = {
  /** The value before: given arguments, a former prompt, the result of the tool itself. */
  readonly before?: JsonValue;
  /** The value after. */
  readonly after?: JsonValue;
  /** The hook, tool, plugin or agent that did it, by name. */
  readonly who?: string;
  /** Every author in order, for a value that several wrote. */
  readonly writers?: readonly { readonly who: string; readonly value: JsonValue }[];
  readonly [fact: string]: JsonValue | undefined;
};

/** One thing that went wrong inside a run, or is remarkable. */
export type Finding = {
  /** The code of its detector, e.g. `answer-cut`. */
  readonly code: string;
  readonly severity: FindingSeverity;
  /** One sentence for the developer. */
  readonly sentence: string;
  /** One or two sentences that say what to do. */
  readonly remedy: string;
  readonly address: FindingAddress;
  readonly evidence: FindingEvidence;
  /** Present for a hint that the agent, or the hook, tool or subagent that did it, names in `expects`. */
  readonly isExpected?: true;
};
