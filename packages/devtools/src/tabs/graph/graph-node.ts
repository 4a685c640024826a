import type { StepViewId } from '../../define-panel-tab.ts';

/** What of the inspector tells more about a node. */
export type GraphTarget = {
  /** The tool executions between the root and the agent whose step it is. */
  readonly path: readonly string[];
  /** The step, counted from 0. */
  readonly index: number;
  readonly view: StepViewId;
  readonly item: string | null;
};

/** What has become of a node since the step before. */
export type GraphChange = 'added' | 'changed';

/** One object of the graph of a state. */
export type GraphNode = {
  /** By entity, so that it is the same node at every moment. */
  readonly id: string;
  /** The name of its type, or of what it stands for. */
  readonly kind: string;
  readonly title: string;
  /** At most three, for one line. */
  readonly facts: readonly string[];
  /** What it is in the state; the same object as long as nothing in it changes. */
  readonly value: unknown;
  /** There is none: it is drawn dashed. */
  readonly isAbsent: boolean;
  readonly target: GraphTarget | null;
  readonly children: readonly GraphNode[];
  /** Objects that are shown when one asks for them. */
  readonly hidden: number;
};
