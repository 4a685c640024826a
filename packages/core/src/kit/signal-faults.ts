import { AgentError } from './agent-error.ts';

// Apart from the other errors, so that who makes signals needs none of those.

/** For a reason that is none of those that are known. */
export function signalInvalid({ reason, known }: { reason: string; known: readonly string[] }): AgentError {
  const message = `Stop reason ${JSON.stringify(reason)} is unknown; use one of ${known.join(', ')}.`;
  return new AgentError('signal-invalid', message, { data: { reason } });
}
