/** What a stretch of a bar was spent on. */
export type SegmentKind =
  /** Hooks and checks before the call, room in the budget, or that the start of a tool is stored. */
  | 'before'
  /** The model was called, and nothing has come yet. */
  | 'first-token'
  | 'streaming'
  /** A call has failed and is tried again. */
  | 'retry'
  | 'tool'
  /** It waits for a person. */
  | 'person';

/** A stretch of a bar, in Unix epoch milliseconds. */
export type Segment = { readonly kind: SegmentKind; readonly from: number; readonly to: number };

/** A row of the waterfall: a step of the agent or of a subagent, or a call in it. */
export type Lane = {
  /** That of the step or of the call. */
  readonly id: string;
  readonly kind: 'step' | 'call';
  /** The tool executions between the root and the agent whose step it is. */
  readonly path: readonly string[];
  /** The step of that agent, counted from 0. */
  readonly index: number;
  readonly stepId: string;
  /** 0 for steps of the root. */
  readonly depth: number;
  /** The number of a step, or the name of a tool. */
  readonly label: string;
  /** The type of a step, or the status of a call. */
  readonly state: string;
  /** The tools that a step called. */
  readonly tools: readonly string[];
  readonly from: number;
  readonly to: number;
  /** It is not over. */
  readonly isOpen: boolean;
  /** Measured with the monotonic clock where that is known. */
  readonly durationMs: number;
  readonly segments: readonly Segment[];
  /** With those of subagents. */
  readonly tokens: number;
  readonly cost: number | null;
  readonly hasError: boolean;
};
