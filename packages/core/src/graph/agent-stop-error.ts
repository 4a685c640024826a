import { AgentError, hasMarker } from '../kit/agent-error.ts';
import { type StopSignal, stopRequested } from './stop-signal.ts';

const marker = Symbol.for('vitrine.agent-stop-error');

/**
 * An error that ends the run with a stop signal. Throw it in a hook, tool, guard or inference client. The default
 * signal is `stop-requested`. The step in flight is recorded up to that point.
 */
export class AgentStopError extends AgentError {
  readonly signal: StopSignal;

  constructor(signal: StopSignal = stopRequested(), message: string = signal.message) {
    super('agent-stop', message === '' ? signal.reason : message, { data: { reason: signal.reason } });
    this.name = 'AgentStopError';
    this.signal = signal.message === '' ? { ...signal, message: this.message } : signal;
    Object.defineProperty(this, marker, { value: true });
  }
}

export function isAgentStopError(error: unknown): error is AgentStopError {
  return hasMarker(error, marker);
}
