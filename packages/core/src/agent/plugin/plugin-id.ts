import * as errors from '../../kit/definition-error.ts';

/** The prefixes under which the library keeps its own data beside the state of plugins. */
const reservedPrefixes = ['vitrine:', 'quarantine:'];

/**
 * Checks a plugin id. State is kept by id in a plain object.
 * @throws AgentError `agent-invalid` for an id that is empty, used by the library, or a property of every object
 * (`constructor`, `__proto__`, `toString` …).
 */
export function assertPluginId(id: string): void {
  const prefix = reservedPrefixes.find((candidate) => id.startsWith(candidate));
  if (id !== '' && id !== 'prototype' && !(id in Object.prototype) && prefix === undefined) return;
  const why = id === '' ? 'is empty' : prefix ? `begins with the reserved "${prefix}"` : 'is reserved';
  throw errors.agentInvalid(`Plugin id ${JSON.stringify(id)} ${why}; give it another one.`);
}
