import { AgentError } from '@vitrine/core';

/**
 * Returns the prefix if it fits into table names, because names are put into statements unescaped.
 * @throws AgentError `agent-invalid` for one that is no plain name; `what` begins the sentence.
 */
export function checkPrefix(what: string, prefix: string): string {
  if (/^[a-z_][a-z0-9_]{0,30}$/.test(prefix)) return prefix;
  const message = `${what}: the prefix ${JSON.stringify(prefix)} is no name of small letters, digits and "_". Give one of at most 31 characters.`;
  throw new AgentError('agent-invalid', message);
}
