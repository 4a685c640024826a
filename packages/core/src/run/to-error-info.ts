import { type ErrorInfo, errorInfo } from '../graph/error-info.ts';
import type { Run } from './run.ts';

/** A thrown value as data, with the agent's own redaction. */
export function toErrorInfo(run: Run, thrown: unknown): ErrorInfo {
  return errorInfo(thrown, run.agent.redactError ?? undefined);
}
