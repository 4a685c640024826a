import type { StepViewId } from '../../define-panel-tab.ts';

/** The place of the step inspector with the details of a node. */
export type GraphTarget = {
  /** The ids of the tool executions between the root and the agent of the step. */
  readonly path: readonly string[];
  /** The index of the step. */
  readonly index: number;
  readonly view: StepViewId;
  readonly item: string | null;
};

/** The change of a node since the previous step. */
export type GraphChange = 'added' | 'changed';

/** An object in the graph of a state. */
export type GraphNode = {
  /** Derived from the entity, so that a node keeps its id over time. */
  readonly id: string;
  /** The name of its type. */
  readonly kind: string;
  readonly title: string;
  /** At most three short facts for one line. */
  readonly facts: readonly string[];
  /** The value in the state; keeps its identity while its content does not change. */
  readonly value: unknown;
  /** True for a placeholder of an absent object, drawn dashed. */
  readonly isAbsent: boolean;
  readonly target: GraphTarget | null;
  readonly children: readonly GraphNode[];
  /** Number of objects that are shown only on demand. */
  readonly hidden: number;
};
