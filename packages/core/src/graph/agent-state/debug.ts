import type { Usage } from '../usage.ts';
import { explain, fresh } from '../execution-continuation.ts';
import { memoize } from '../../kit/memoize.ts';
import type { ErrorInfo } from '../error-info.ts';
import { errors, hasErrors, status, stepCount, usage } from './accessors.ts';
import type { AgentState, ExecutionStatus } from '../types.ts';

/** A state in a few lines, for logs. */
export type AgentStateSummary = {
  readonly status: ExecutionStatus | null;
  readonly executionCount: number;
  readonly hasExecution: boolean;
  readonly executionId: string | null;
  readonly steps: number;
  readonly continuation: string;
  readonly hasErrors: boolean | null;
  readonly errors: readonly ErrorInfo[];
  readonly usage: Usage;
};

/** The state in nine lines, for logs and panels. */
export const debug: (state: AgentState) => AgentStateSummary = memoize((state) => ({
  status: status(state),
  executionCount: state.executionCount,
  hasExecution: state.execution !== null,
  executionId: state.execution?.executionId ?? null,
  steps: stepCount(state),
  continuation: explain(state.execution?.continuation ?? fresh()),
  hasErrors: hasErrors(state),
  errors: errors(state),
  usage: usage(state),
}));
