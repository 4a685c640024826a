import type { ToolExecution } from '@vitrine/core';
import type { StepState } from '../steps/step-state.ts';

/** The activity during a segment of a bar. */
export type SegmentKind =
  /** Hooks and checks before the call, waiting for budget, or storing the start of a tool. */
  | 'before'
  /** The model was called and has not answered yet. */
  | 'first-token'
  | 'streaming'
  /** A call failed and is retried. */
  | 'retry'
  | 'tool'
  /** The run waits for a person. */
  | 'person';

/** A segment of a bar in Unix milliseconds. */
export type Segment = { readonly kind: SegmentKind; readonly from: number; readonly to: number };

/** A row of the waterfall: a step of the agent or of a subagent, or a call in it. */
export type Lane = {
  /** The id of the step or call. */
  readonly id: string;
  readonly kind: 'step' | 'call';
  /** The ids of the tool executions between the root and the agent of the step. */
  readonly path: readonly string[];
  /** The index of the step of that agent. */
  readonly index: number;
  readonly stepId: string;
  /** 0 for steps of the root. */
  readonly depth: number;
  /** The number of a step, or the name of a tool. */
  readonly label: string;
  /** The state of a step, or the status of a call. */
  readonly state: StepState | ToolExecution['status'];
  /** The names of the tools that a step called. */
  readonly tools: readonly string[];
  readonly from: number;
  readonly to: number;
  /** True while the step or call is in progress. */
  readonly isOpen: boolean;
  /** Duration in milliseconds, by the monotonic clock if known. */
  readonly durationMs: number;
  readonly segments: readonly Segment[];
  /** Number of tokens, including those of subagents. */
  readonly tokens: number;
  readonly cost: number | null;
  readonly hasError: boolean;
};
