import { endingError } from '../graph/agent-state/ending-error.ts';
import { status, stopReason } from '../graph/agent-state/accessors.ts';
import { type ErrorInfo, of as errorInfo } from '../graph/error-info.ts';
import type { AgentState } from '../graph/types.ts';
import { AgentError } from '../kit/agent-error.ts';

/** The error of a run that failed or used up its retries. The user should see it and may retry. */
export function runError(state: AgentState): ErrorInfo | null {
  if (status(state) !== 'failed' && stopReason(state) !== 'retry-limit-reached') return null;
  return (
    endingError(state) ?? errorInfo(new AgentError('inference-failed', 'The run failed without saying why.'))
  );
}
