import { AgentError } from './agent-error.ts';

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** True for a UUID in either case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value);
}

/**
 * Checks a session id. @throws AgentError `id-invalid` for an id that is not safe in keys, file names and addresses.
 */
export function assertSessionId(id: string): void {
  if (/^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,127}$/.test(id)) return;
  throw new AgentError(
    'id-invalid',
    `Session id ${JSON.stringify(id)}: use 1 to 128 letters, digits, "_" or "-", not "-" first.`,
    {
      data: { id },
    },
  );
}
