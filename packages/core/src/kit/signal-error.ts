import { AgentError } from './agent-error.ts';

// In a file of its own, so that modules that create signals load no other errors.

/** Creates the error for an unknown stop reason. */
export function signalInvalid({ reason, known }: { reason: string; known: readonly string[] }): AgentError {
  const message = `Stop reason ${JSON.stringify(reason)} is unknown; use one of ${known.join(', ')}.`;
  return new AgentError('signal-invalid', message, { data: { reason } });
}
