import { AgentError } from '../../kit/agent-error.ts';

/** @throws AgentError `id-invalid` for an id that is not safe in keys, file names and addresses. */
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
